//! All processes of a command, and how to end them. On Linux these are the descendants of its warden; elsewhere, its process group.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How often to check whether a process is left.
const LOOK: Duration = Duration::from_millis(10);

/// Orphans become children of this process, so no process of the command gets out of sight.
pub(super) fn adopt() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Ends all processes of the command: gently at first, by force after the grace period. Processes started meanwhile are ended too.
/// Another thread has to reap them.
pub(super) fn end(command: Pid, grace: Duration) {
    let deadline = Instant::now() + grace;
    let mut asked = Vec::new();
    loop {
        let alive = alive(command);
        if alive.is_empty() {
            return;
        }
        let kindly = Instant::now() < deadline;
        for process in alive {
            // A process that has ended in the meantime needs no signal.
            if !kindly {
                let _ended = send(process, Signal::KILL);
            } else if !asked.contains(&process) {
                asked.push(process);
                let _ended = send(process, Signal::TERM);
                // A stopped process receives nothing until it continues.
                let _ended = send(process, Signal::CONT);
            }
        }
        thread::sleep(LOOK);
    }
}

#[cfg(target_os = "linux")]
fn send(process: Pid, signal: Signal) -> rustix::io::Result<()> {
    rustix::process::kill_process(process, signal)
}

#[cfg(not(target_os = "linux"))]
fn send(group: Pid, signal: Signal) -> rustix::io::Result<()> {
    rustix::process::kill_process_group(group, signal)
}

#[cfg(not(target_os = "linux"))]
fn alive(group: Pid) -> Vec<Pid> {
    rustix::process::test_kill_process_group(group).map(|()| group).into_iter().collect()
}

/// The living descendants of this process, according to `/proc`.
#[cfg(target_os = "linux")]
fn alive(_command: Pid) -> Vec<Pid> {
    use std::collections::BTreeMap;
    let mut children: BTreeMap<i32, Vec<(i32, bool)>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { continue };
        if let Some((parent, alive)) = parse(&String::from_utf8_lossy(&stat)) {
            children.entry(parent).or_default().push((pid, alive));
        }
    }
    let mut found = Vec::new();
    let mut unseen = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = unseen.pop() {
        for (pid, alive) in children.remove(&parent).unwrap_or_default() {
            unseen.push(pid);
            found.extend(Pid::from_raw(pid).filter(|_| alive));
        }
    }
    found
}

/// The parent, and whether the process is alive. The name in the second field may contain anything, even brackets.
#[cfg(target_os = "linux")]
fn parse(stat: &str) -> Option<(i32, bool)> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    Some((fields.next()?.parse().ok()?, !matches!(state, "Z" | "X")))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_confuse() {
        assert_eq!(parse("12 (a) b (c) S 7 12 12 0"), Some((7, true)));
        assert_eq!(parse("12 (x) Z 7 12"), Some((7, false)));
        assert_eq!(parse("12 (x"), None);
    }
}
