//! Process groups: sending signals, and checking for remaining members.

use std::io;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

/// Asks every process of a group to end.
pub(crate) fn interrupt(group: u32) {
    send(group, Signal::INT);
}

/// Ends every process of a group.
pub(crate) fn kill(group: u32) {
    send(group, Signal::KILL);
}

/// The name of a signal that by default ends a process.
pub(crate) fn signal_name(signal: i32) -> Option<&'static str> {
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::SYS, "SIGSYS"),
    ];
    names.iter().find(|(known, _)| known.as_raw() == signal).map(|(_, name)| *name)
}

/// Whether a group has a running process. Zombies do not count: in a container whose init process reaps nothing they would stay for ever.
pub(crate) fn alive(group: u32) -> bool {
    let Some(pid) = pid(group) else { return false };
    match test_kill_process_group(pid) {
        Err(rustix::io::Errno::SRCH) => false,
        _ => has_running_member(group),
    }
}

/// Waits until a child of this process has ended, and leaves it unreaped: until it is reaped, neither its id nor its group's
/// can be reused, so the group can still be signalled safely.
pub(crate) fn wait_until_exited(child: u32) -> io::Result<()> {
    let pid = pid(child).ok_or(io::ErrorKind::InvalidInput)?;
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

fn send(group: u32, signal: Signal) {
    if let Some(pid) = pid(group) {
        // The only possible error is that the group is empty.
        let _nobody_left = kill_process_group(pid, signal);
    }
}

/// Ids 0 and 1 never name a group of ours: 0 would mean our own group, and 1 every process.
pub(super) fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().filter(|id| *id > 1).and_then(Pid::from_raw)
}

#[cfg(target_os = "linux")]
fn has_running_member(group: u32) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    processes.flatten().any(|entry| {
        let name = entry.file_name();
        let is_process = name.to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        is_process && std::fs::read(entry.path().join("stat")).is_ok_and(|stat| runs_in(&stat, group))
    })
}

/// Whether the process of this `/proc/PID/stat` is in a group and running.
#[cfg(target_os = "linux")]
pub(super) fn runs_in(stat: &[u8], group: u32) -> bool {
    super::identity::field(stat, 5) == Some(u64::from(group)) && runs(stat)
}

/// Whether the process of this `/proc/PID/stat` is neither dead nor dying.
#[cfg(target_os = "linux")]
pub(super) fn runs(stat: &[u8]) -> bool {
    let state = stat.iter().rposition(|byte| *byte == b')').and_then(|end| stat.get(end + 2));
    !matches!(state, Some(b'Z' | b'X') | None)
}

#[cfg(not(target_os = "linux"))]
fn has_running_member(_group: u32) -> bool {
    true
}
