//! Processes that carry a plugin's mark, wherever they went.
//!
//! A process that starts a session of its own, or whose parent has ended, is in no group of ours and nobody's child any more. What
//! it cannot lose without meaning to is its environment, so a plugin's holds a variable that names it.

use std::time::Duration;

use crate::mark::Mark;
use crate::os::Identity;

/// What a look at all processes found.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// Whether somebody who runs is in the group. Elsewhere than on Linux it cannot be told.
    pub(crate) members: Option<bool>,
    /// Who carries the mark and runs. Elsewhere than on Linux nobody is found.
    pub(crate) marked: Vec<Identity>,
    /// Whether somebody is just becoming another program: it has no environment at that moment, and may carry the mark.
    pub(crate) unsure: bool,
}

/// How long a process may be on its way from one program to the next. Meanwhile it cannot be told whose it is.
pub(crate) const TRANSFORMATION: Duration = Duration::from_millis(20);

impl Look {
    /// Whether somebody carries the mark, or may do so, where looks began so long ago.
    pub(crate) fn has_strays(&self, elapsed: Duration) -> bool {
        !self.marked.is_empty() || (self.unsure && elapsed < TRANSFORMATION)
    }
}

/// Looks once at all processes: for members of a group, and for processes with a mark.
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
        // Who is older than the marked plugin was not started by it; most processes are, and cost no second read.
        let Some(started) = candidate(&stat, mark.since()) else { continue };
        // Other users' processes cannot be read, and are none of ours.
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

/// Ends processes that a look found. What they start meanwhile is for the next look.
pub(crate) fn kill_each(processes: &[Identity]) {
    for identity in processes {
        end(*identity);
    }
}

/// When the process started, if it runs, is not older than `since`, and is not the kernel's own.
#[cfg(target_os = "linux")]
fn candidate(stat: &[u8], since: u64) -> Option<u64> {
    const KERNEL: u64 = 2;
    let started = super::identity::field(stat, 22).filter(|started| *started >= since)?;
    let of_kernel = super::identity::field(stat, 4) == Some(KERNEL);
    (super::group::runs(stat) && !of_kernel).then_some(started)
}

/// Kills a process, unless its id belongs to somebody else by now: a descriptor is of one process, whatever becomes of the id.
#[cfg(target_os = "linux")]
fn end(identity: Identity) {
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let Some(pid) = super::group::pid(identity.pid) else { return };
    if let Ok(process) = pidfd_open(pid, PidfdFlags::empty())
        && Identity::of(identity.pid) == identity
    {
        // The only answer that can come is that it has ended.
        let _ended_already = pidfd_send_signal(process, Signal::KILL);
    }
}

#[cfg(not(target_os = "linux"))]
fn end(_identity: Identity) {}
