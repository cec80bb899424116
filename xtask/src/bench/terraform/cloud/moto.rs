//! A running `moto_server`.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::peers::Peers;

/// The deadline for its first answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// It loads its model of a service at the first request, which takes more than a second. This must not count in any run.
const WAKE: &str = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-amz-json-1.1\r\n\
     X-Amz-Target: AmazonSSM.DescribeParameters\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/20260101/eu-central-1/ssm/aws4_request, \
     SignedHeaders=host, Signature=0\r\nContent-Length: 2\r\n\r\n{}";

/// It ends when this is dropped.
pub(in super::super) struct Moto {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Moto {
    /// Starts it and waits until it has answered.
    pub(super) fn start(peers: &Peers) -> Result<Self> {
        // Free now, and hardly taken by another process in the next moment.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let program = peers.moto().join("bin/moto_server");
        let child = Command::new(&program)
            .args(["-H", &address.ip().to_string(), "-p", &address.port().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}: run `cargo xtask peers` first", program.display()))?;
        let moto = Self { child, address };
        let started = Instant::now();
        let mut connection = loop {
            match TcpStream::connect(address) {
                Ok(connection) => break connection,
                Err(_) if started.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(50)),
                Err(error) => return Err(error).with_context(|| format!("{} does not answer", program.display())),
            }
        };
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.write_all(WAKE.as_bytes())?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        ensure!(answer.contains("\"Parameters\""), "{} has no parameters: {answer}", program.display());
        Ok(moto)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
