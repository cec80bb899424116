//! Deeds of the process: to itself, to its output, to the machine.

use std::ffi::OsStr;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process, setsid};

use crate::deed::Deed;

/// Makes this program run as an idle child, or as the child that continues after its parent.
pub(crate) const CHILD: &str = "CHAOS_CHILD";

/// The size of a flood on each stream.
const FLOOD: usize = 100_000_000;

/// The amount of memory taken.
const MEAL: usize = 256 * 1024 * 1024;

/// How long the processor is busy.
const SPIN: Duration = Duration::from_millis(200);

/// How long a child lives unless it is ended.
const LIFE: Duration = Duration::from_secs(120);

/// Does a deed of the process, after which the plugin continues or has ended. Ignores other deeds.
pub(crate) fn of(deed: Deed, moment: &str) -> io::Result<()> {
    match deed {
        Deed::Exit => {
            say(&format!("chaos: the end comes in {moment}\n"));
            std::process::exit(3);
        }
        Deed::Segfault => {
            say(&format!("chaos: about to crash in {moment}\n"));
            // Rust's own handler catches the first signal and then restores its default meaning.
            for _ in 0..2 {
                kill_process(getpid(), Signal::SEGV)?;
            }
        }
        Deed::Child => child("group", Stdio::null())?,
        Deed::Escape => child("session", Stdio::null())?,
        Deed::EscapeWithOutput => child("session", Stdio::inherit())?,
        Deed::Flood => flood(&[b"chaos ".repeat(16).as_slice(), b"\n"].concat())?,
        Deed::FloodUnbroken => flood(&b"x".repeat(4096))?,
        Deed::FloodBinary => flood(&(0..=255).collect::<Vec<u8>>())?,
        Deed::Gorge => gorge(),
        _ => {}
    }
    Ok(())
}

/// Writes to standard error. A closed stream is no reason to stop.
pub(crate) fn say(text: &str) {
    let _nobody_listens = io::stderr().write_all(text.as_bytes());
}

/// Runs this program as a child.
pub(crate) fn be_a_child(kind: &OsStr) -> ExitCode {
    if kind == "session" && setsid().is_err() {
        return ExitCode::FAILURE;
    }
    say(".");
    std::thread::sleep(LIFE);
    ExitCode::SUCCESS
}

/// Starts a child and waits until it is ready.
fn child(kind: &str, stdout: Stdio) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut child = command.env(CHILD, kind).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).spawn()?;
    let ready = child.stderr.take().map(|mut stderr| stderr.read_exact(&mut [0]));
    ready.unwrap_or(Ok(()))
}

/// Writes to both streams at once, as two threads of a plugin would.
fn flood(piece: &[u8]) -> io::Result<()> {
    let block = piece.repeat(1 + 65_536 / piece.len());
    let times = FLOOD / block.len();
    std::thread::scope(|scope| {
        let errors = scope.spawn(|| write_all(&mut io::stderr(), &block, times));
        write_all(&mut io::stdout().lock(), &block, times)?;
        errors.join().unwrap_or(Ok(()))
    })?;
    say("\nchaos: the flood is over\n");
    Ok(())
}

fn write_all(stream: &mut impl Write, block: &[u8], times: usize) -> io::Result<()> {
    (0..times).try_for_each(|_| stream.write_all(block))
}

fn gorge() {
    let meal = vec![1_u8; MEAL];
    let end = Instant::now() + SPIN;
    while Instant::now() < end {
        black_box(meal.iter().step_by(4096).map(|byte| u64::from(*byte)).sum::<u64>());
    }
}
