//! Both halves back to back: a Pulumi plugin that passes every call on to another one.
//!
//! `cargo xtask conformance --relay` puts it between the real `pulumi` and its own conformance providers: anything that one half misunderstands,
//! or the other leaves out, shows in the state. It is started as `pulumi-resource-NAME` and starts the program of the same name in the directory
//! that `RELAY_TO` names.

#[allow(clippy::unwrap_used, reason = "it is made for tests")]
#[path = "../tests/all/peers/process.rs"]
mod process;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, Origin, connect, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use process::Child;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let own = PathBuf::from(std::env::args_os().next().ok_or("started without a name")?);
    let name = own.file_name().ok_or("started without a name")?.to_owned();
    let engine = std::env::args().nth(1);
    let directory = PathBuf::from(std::env::var_os("RELAY_TO").ok_or("RELAY_TO is not set")?);
    let program = directory.join(&name).display().to_string();
    // The real plugin ends with this process, however that ends.
    let arguments: Vec<&str> = ["--pdeathsig", "KILL", "--", &program].into_iter().chain(engine.as_deref()).collect();
    let process = Arc::new(Child::start(PathBuf::from("setpriv"), &arguments));
    let origin = Origin::Process { process, directory, deadline: Duration::from_secs(60) };
    let options = ConnectOptions {
        name: name.to_string_lossy().trim_start_matches("pulumi-resource-").to_owned(),
        engine_address: engine.clone().unwrap_or_default(),
        deadlines: ConnectDeadlines::default(),
        log: None,
    };
    let plugin = connect(origin, options).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let until = async {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    };
    serve(plugin, listener, engine.as_deref(), until).await;
    Ok(())
}
