//! A plugin's process, by Pulumi's rules.
//!
//! A host starts it with the engine's address as its last argument. It listens, prints its port, serves, and ends
//!
//! - on SIGINT or SIGTERM, when the running calls have been answered; a second signal ends it immediately;
//! - when its host is gone. Both `pulumi` and `outrigger` hold the other end of a pipe that is its standard input, which
//!   closes with them, however they end. But standard input may also be `/dev/null`, which is at its end from the
//!   beginning, or a terminal: then the plugin checks now and then whether the engine is there. Without an engine's address
//!   it was started by hand, and its user ends it.

use std::ffi::OsString;
use std::future::Future;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use outrigger_provider::{CallContext, Plugin};
use outrigger_pulumi::engine_is_there;
use outrigger_transport::port;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::time::{Duration, sleep};

use crate::Package;

/// How often the plugin checks whether the engine is there.
const ASKING: Duration = Duration::from_secs(30);

/// Serves the package as a plugin: the whole of a plugin's `main`.
///
/// ```no_run
/// use std::process::ExitCode;
/// use outrigger_sdk::Package;
///
/// fn main() -> ExitCode {
///     outrigger_sdk::serve(Package::new("kit", env!("CARGO_PKG_VERSION")))
/// }
/// ```
pub fn serve(package: Package) -> ExitCode {
    serve_with(package, std::env::args_os().skip(1))
}

/// Serves the package with these arguments, for a program that is a plugin among other things.
pub fn serve_with(package: Package, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(text) = about(&package, &arguments) {
        let _gone = writeln!(io::stdout(), "{text}");
        return ExitCode::SUCCESS;
    }
    let engine = engine_address(arguments);
    let name = package.name;
    let served = package
        .environment(|variable| std::env::var(variable).ok())
        .plugin()
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        .and_then(|plugin| {
            run(plugin, engine, runtime::Builder::new_multi_thread()).map_err(|error| error.to_string())
        });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => cannot_run(name, &message),
    }
}

/// Serves a plugin that is not a [`Package`] with these arguments. It gets one thread, so it may wait but must not block.
pub fn serve_plugin(name: &str, plugin: Arc<dyn Plugin>, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match run(plugin, engine_address(arguments), runtime::Builder::new_current_thread()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => cannot_run(name, &error.to_string()),
    }
}

/// The output for a user who runs the plugin by hand.
fn about(package: &Package, arguments: &[OsString]) -> Option<String> {
    let (name, version) = (package.name, package.version);
    match arguments {
        [one] if one == "--version" => Some(format!("{name} {version}")),
        [one] if one == "--help" || one == "-h" => Some(format!(
            "The plugin `{name}` {version} for `outrigger` and `pulumi`, which start it when a project needs it.\n\
             `outrigger plugin schema PATH` shows its resources and functions, `outrigger plugin call PATH` calls it."
        )),
        _ => None,
    }
}

fn cannot_run(name: &str, message: &str) -> ExitCode {
    // The host shows the end of a plugin's stderr.
    let _nobody_reads = writeln!(io::stderr(), "the plugin `{name}` cannot run: {message}");
    ExitCode::FAILURE
}

/// The last argument that is no flag. `pulumi` may put `--logtostderr`, `-v=N` and `--tracing URL` before it.
fn engine_address(arguments: impl IntoIterator<Item = OsString>) -> Option<String> {
    let mut address = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--tracing" | "-tracing") => drop(arguments.next()),
            Some(flag) if flag.starts_with('-') => {}
            text => address = text.map(str::to_owned),
        }
    }
    address
}

/// Serving is a task as the calls are, so that a call that arrives while the plugin is idle goes to its end on the thread that read
/// it. Where there are several threads, that of `main` waits only, and hears a signal whatever the plugin is at.
fn run(plugin: Arc<dyn Plugin>, engine: Option<String>, mut runtime: runtime::Builder) -> io::Result<()> {
    let runtime = runtime.enable_all().build()?;
    let served = runtime.block_on(async {
        let signals = count_signals()?;
        let again = signals.clone();
        let listener = port::listen(&mut io::stdout()).await?;
        let serving = tokio::spawn(async move {
            let asked_to_end = async {
                tokio::select! {
                    () = reach(signals, 1) => {}
                    () = host_is_gone(engine.as_deref()) => {}
                }
            };
            outrigger_pulumi::serve(Arc::clone(&plugin), listener, engine.as_deref(), asked_to_end).await;
            plugin.close(&CallContext::background()).await;
        });
        tokio::select! {
            served = serving => served.map_err(|_| io::Error::other("the server panicked")),
            () = reach(again, 2) => Ok(()),
        }
    });
    // Work that the author left running does not keep the process alive.
    runtime.shutdown_background();
    served
}

/// Counts SIGINT and SIGTERM.
fn count_signals() -> io::Result<watch::Receiver<u32>> {
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    let (count, counted) = watch::channel(0);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = terminations.recv() => {}
            }
            count.send_modify(|count| *count += 1);
        }
    });
    Ok(counted)
}

async fn reach(mut counted: watch::Receiver<u32>, count: u32) {
    let _counting_ended = counted.wait_for(|counted| *counted >= count).await;
}

/// Waits until the host that started this process is gone.
async fn host_is_gone(engine: Option<&str>) {
    let Some(engine) = engine else { return std::future::pending().await };
    match standard_input_closes() {
        Some(closed) => closed.await,
        None => loop {
            sleep(ASKING).await;
            if !engine_is_there(engine).await {
                return;
            }
        },
    }
}

/// The end of standard input, if it is a pipe.
fn standard_input_closes() -> Option<impl Future<Output = ()>> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let input = std::fs::File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let kind = input.metadata().ok()?.file_type();
    if !kind.is_fifo() && !kind.is_socket() {
        return None;
    }
    let (closed, waiting) = oneshot::channel();
    // A separate thread, which the process does not wait for when it ends.
    std::thread::spawn(move || {
        let mut input = input;
        let mut ignored = [0; 256];
        while matches!(input.read(&mut ignored), Ok(count) if count > 0) {}
        let _already_ending = closed.send(());
    });
    Some(async {
        let _closed = waiting.await;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_what_is_no_flag() {
        let address = |line: &str| engine_address(line.split_whitespace().map(OsString::from));
        assert_eq!(address(""), None);
        assert_eq!(address("127.0.0.1:1"), Some("127.0.0.1:1".to_owned()));
        assert_eq!(
            address("--logtostderr -v=9 --tracing http://localhost:1 127.0.0.1:2"),
            Some("127.0.0.1:2".to_owned())
        );
        assert_eq!(address("--tracing"), None);
    }
}
