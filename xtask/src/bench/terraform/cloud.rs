//! A cloud that answers like AWS, for as long as it is needed.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::peers::Peers;

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `moto_server`.
pub(super) struct Cloud {
    child: Child,
    port: u16,
}

impl Cloud {
    /// Starts it and waits until it answers.
    pub(super) fn start(peers: &Peers) -> Result<Self> {
        // Free now, and hardly taken by somebody else in the next moment.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let program = peers.moto().join("bin/moto_server");
        let child = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}: run `cargo xtask peers` first", program.display()))?;
        let cloud = Self { child, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if started.elapsed() > PATIENCE {
                bail!("{} does not answer", program.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(cloud)
    }

    /// Where it is.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Cloud {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
