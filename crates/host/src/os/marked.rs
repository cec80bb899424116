//! Processes that carry a plugin's mark, wherever they went.
//!
//! A process that starts a session of its own, or whose parent has ended, is in no group of ours and no longer a descendant. But it keeps
//! its environment unless it deliberately drops it, so a plugin's environment has a variable that names the plugin.

use std::time::Duration;

use crate::mark::Mark;
use crate::os::Identity;

/// The result of scanning all processes.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// Whether the group has a running process. Known only on Linux.
    pub(crate) members: Option<bool>,
    /// The running processes that carry the mark; on systems other than Linux always none.
    pub(crate) marked: Vec<Identity>,
    /// Whether a process is in the middle of exec: it has no environment at that moment, and may carry the mark.
    pub(crate) unsure: bool,
}

/// How long an exec may take. Meanwhile it is unknown whether the process carries a mark.
pub(crate) const TRANSFORMATION: Duration = Duration::from_millis(20);

impl Look {
    /// Whether a process carries the mark, or may, given the time since scanning began.
    pub(crate) fn has_strays(&self, elapsed: Duration) -> bool {
        !self.marked.is_empty() || (self.unsure && elapsed < TRANSFORMATION)
    }
}

/// Scans all processes once, for members of a group and for processes with a mark.
#[cfg(target_os = "linux")]
pub(crate) fn look(group: Option<u32>, mark: &Mark) -> Look {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Look::default() };
    let mut look = Look { members: Some(false), ..Look::default() };
    for entry in processes.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { continue };
        if group.is_some_and(|group| super::group::runs_in(&stat, group)) {
            look.members = Some(true);
        }
        // A process older than the marked plugin was not started by it; most processes are, and cost no second read.
        let Some(started) = candidate(&stat, mark.since()) else { continue };
        // Other users' processes cannot be read, and do not belong to us.
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        if environment.is_empty() {
            look.unsure = true;
        } else if mark.is_in(&environment) {
            look.marked.push(Identity { pid, started });
        }
    }
    look
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn look(_group: Option<u32>, _mark: &Mark) -> Look {
    Look::default()
}

/// Ends processes that a scan found. The next scan finds any that they start meanwhile.
pub(crate) fn kill_each(processes: &[Identity]) {
    for identity in processes {
        end(*identity);
    }
}

/// When the process started, if it is running, not older than `since`, and not the kernel's own.
#[cfg(target_os = "linux")]
fn candidate(stat: &[u8], since: u64) -> Option<u64> {
    const KERNEL: u64 = 2;
    let started = super::identity::field(stat, 22).filter(|started| *started >= since)?;
    let of_kernel = super::identity::field(stat, 4) == Some(KERNEL);
    (super::group::runs(stat) && !of_kernel).then_some(started)
}

/// Kills a process, unless its id belongs to another one by now: a pidfd refers to one process, even if the id is reused.
#[cfg(target_os = "linux")]
fn end(identity: Identity) {
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let Some(pid) = super::group::pid(identity.pid) else { return };
    if let Ok(process) = pidfd_open(pid, PidfdFlags::empty())
        && Identity::of(identity.pid) == identity
    {
        // The only possible error is that it has ended.
        let _ended_already = pidfd_send_signal(process, Signal::KILL);
    }
}

#[cfg(not(target_os = "linux"))]
fn end(_identity: Identity) {}
