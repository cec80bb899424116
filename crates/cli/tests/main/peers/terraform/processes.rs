//! Processes, found by an inherited variable, and waiting for events.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long processes may live after a command that ended by itself: it ends its providers before. Under `pulumi`, which kills its plugins, a keeper
/// notices that its bridge is gone and ends the rest.
pub(super) const AT_ONCE: Duration = Duration::from_secs(1);

/// How long the end of all processes may take after a kill: a keeper gives them a grace period.
pub(super) const GRACE: Duration = Duration::from_secs(15);

/// A living process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Process {
    pub(super) id: u32,
    /// The file name of its program, as it was called.
    pub(super) name: String,
    /// All arguments, for a report.
    pub(super) command: String,
}

/// Every living process whose environment has an entry.
pub(super) fn marked(mark: &str) -> Vec<Process> {
    let ids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mark = mark.as_bytes();
    let is_marked = |id: &u32| {
        // A process may end while it is looked at.
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == mark)
    };
    ids.filter(is_marked).map(process).collect()
}

fn process(id: u32) -> Process {
    let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    let program = command.split(' ').next().unwrap_or_default();
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Process { id, name, command }
}

/// Waits until no process has the mark, or long enough; returns the processes that are left.
pub(super) fn gone(mark: &str, grace: Duration) -> Vec<Process> {
    let end = Instant::now() + grace;
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// Sends SIGKILL. A process that is gone already is no error.
pub(super) fn kill(process: &Process) {
    let _ = Command::new("kill").args(["-KILL", &process.id.to_string()]).stderr(Stdio::null()).status();
}

/// Tries again and again until there is a result.
#[track_caller]
pub(super) fn awaited<T>(look: impl Fn() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "it did not come");
        thread::park_timeout(Duration::from_millis(2));
    }
}

/// `pulumi` may kill a bridge that has only just started its keeper, which then never was the bridge's child.
#[test]
fn a_keeper_whose_host_was_gone_before_it_ran_does_not_wait_for_it() {
    let mut host = Command::new("true").spawn().unwrap();
    host.wait().unwrap();
    let record = [&b"h"[..], &host.id().to_le_bytes(), &[0; 8]].concat();
    let began = Instant::now();
    let mut keeper = Command::new(env!("CARGO_BIN_EXE_outrigger"));
    let mut keeper = keeper.arg("__keeper").stdin(Stdio::piped()).spawn().unwrap();
    keeper.stdin.take().unwrap().write_all(&record).unwrap();
    assert!(keeper.wait().unwrap().success());
    // It waits five seconds for a host that is still there.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
}
