//! The process between the plugin and a command.
//!
//! Its standard input is a socket to the plugin, which sends the command's input as a length and that many bytes, and receives
//! one line that reports how the command ended. When the plugin closes its side, or is gone, all processes are ended.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, WaitStatus, wait};

use super::run::Ending;
use super::tree;

/// Runs the command given by the arguments: the grace period in milliseconds, the program, its arguments.
pub(crate) fn watch_over(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let grace = arguments.next().and_then(|text| text.to_str()?.parse().ok()).map(Duration::from_millis);
    let (Some(grace), Some(program)) = (grace, arguments.next()) else { return ExitCode::FAILURE };
    let Ok(plugin) = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else { return ExitCode::FAILURE };
    let ending = match supervise(&plugin, grace, Command::new(program).args(arguments)) {
        Ok(ending) => ending,
        Err(error) => Ending::NotStarted(error.to_string()),
    };
    // If the plugin is gone, the report is not needed.
    let _nobody_reads = (&plugin).write_all(ending.line().as_bytes());
    ExitCode::SUCCESS
}

fn supervise(plugin: &UnixStream, grace: Duration, command: &mut Command) -> io::Result<Ending> {
    tree::adopt()?;
    let mut length = [0; 8];
    (&mut &*plugin).read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let input = if length == 0 { Stdio::null() } else { Stdio::piped() };
    let mut child = command.stdin(input).process_group(0).spawn()?;
    let own = Pid::from_child(&child);
    let ending = Arc::new(AtomicBool::new(false));
    let end = {
        let ending = Arc::clone(&ending);
        move || {
            if !ending.swap(true, Ordering::SeqCst) {
                tree::end(own, grace);
            }
        }
    };
    feed(plugin.try_clone()?, child.stdin.take(), length, end.clone());
    let mut status = None;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, ended))) if pid == own => {
                status = Some(ended);
                // The processes that it left behind end with it.
                thread::spawn(end.clone());
            }
            Ok(_) => {}
            Err(error) if error == rustix::io::Errno::INTR => {}
            // No process is left.
            Err(_) => break,
        }
    }
    Ok(status.map_or_else(|| Ending::NotStarted("its exit status is unknown".to_owned()), ending_of))
}

/// Passes on the command's input, and watches for the plugin's end. Two threads: a command that does not read its input must
/// not hide the end of the plugin.
fn feed(mut plugin: UnixStream, stdin: Option<ChildStdin>, length: u64, gone: impl FnOnce() + Send + 'static) {
    let (pieces, written) = mpsc::channel::<Vec<u8>>();
    if let Some(mut stdin) = stdin {
        // A command need not read its input, which ends when the channel does.
        thread::spawn(move || written.iter().all(|piece| stdin.write_all(&piece).is_ok()));
    }
    thread::spawn(move || {
        let (mut pieces, mut rest) = (Some(pieces), length);
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = plugin.read(&mut buffer) {
            rest = rest.saturating_sub(count as u64);
            let piece = buffer.get(..count).unwrap_or_default().to_vec();
            if pieces.as_ref().is_none_or(|pieces| pieces.send(piece).is_err()) || rest == 0 {
                pieces = None;
            }
        }
        gone();
    });
}

fn ending_of(status: WaitStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Code(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::NotStarted("its exit status cannot be read".to_owned()),
    }
}
