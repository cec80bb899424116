//! From the first instruction to the port line, with the misdeeds on the way.

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::damage;
use crate::deed::{Deed, Plan, START};
use crate::serve;

/// Announces a port and serves, as far as the plan allows.
pub(crate) fn run(plan: Plan) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(announce_and_serve(plan))
}

async fn announce_and_serve(plan: Plan) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let mut line = format!("{}\n", listener.local_addr()?.port());
    let mut afterwards = Vec::new();
    damage::say("chaos: starting\n");
    for deed in plan.at(START) {
        match deed {
            Deed::Garbage => line = "usage: pulumi-resource-chaos [options]\n".to_owned(),
            Deed::Hang => std::future::pending().await,
            Deed::PortInvalid => line = "70000\n".to_owned(),
            Deed::PortClosed => line = format!("{}\n", closed_port().await?),
            Deed::PortForeign => line = format!("{}\n", foreign_port().await?),
            Deed::PortMute => line = format!("{}\n", mute_port().await?),
            Deed::PortTwice => line.push_str("1\n"),
            Deed::LineEndless => line = "x".repeat(1 << 20),
            Deed::Daemonize => return daemonize(),
            Deed::Deaf => be_deaf()?,
            Deed::CloseOutput | Deed::PortThenExit => afterwards.push(*deed),
            // A flood follows the port, which would be lost otherwise; the rest comes first.
            Deed::Flood | Deed::FloodUnbroken | Deed::FloodBinary => afterwards.push(*deed),
            deed => damage::of(*deed, START)?,
        }
    }
    io::stdout().write_all(line.as_bytes())?;
    io::stdout().flush()?;
    for deed in afterwards {
        match deed {
            // The descriptor stays open and leads nowhere, as after `>&-` and the next open.
            Deed::CloseOutput => rustix::stdio::dup2_stdout(std::fs::File::create("/dev/null")?)?,
            Deed::PortThenExit => damage::of(Deed::Exit, "the moment after the port")?,
            deed => {
                // On a separate thread, so that calls are answered meanwhile.
                std::thread::spawn(move || damage::of(deed, START));
            }
        }
    }
    serve::run(listener, plan).await
}

/// A port that was free a moment ago and is now closed.
async fn closed_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?.port())
}

/// A port whose owner speaks another protocol.
async fn foreign_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _their_loss = stream.read(&mut [0; 1024]).await;
            let _their_loss = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    Ok(port)
}

/// A port whose owner accepts connections and never answers.
async fn mute_port() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            kept.push(stream);
        }
    });
    Ok(port)
}

/// Daemonizes: a child continues with the same output, and the parent ends.
fn daemonize() -> io::Result<()> {
    Command::new(std::env::current_exe()?).env("CHAOS", "").stdin(Stdio::null()).spawn()?;
    damage::say("chaos: going into the background\n");
    Ok(())
}

/// Ignores SIGINT and SIGTERM.
fn be_deaf() -> io::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let mut signals = signal(kind)?;
        tokio::spawn(async move { while signals.recv().await.is_some() {} });
    }
    Ok(())
}
