//! Process identities that survive the reuse of ids.

use std::process;

/// A process id together with the time at which that process started, in the kernel's ticks since boot. Ids are reused; the pair is not.
/// A start time of 0 means that this system does not provide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) pid: u32,
    pub(crate) started: u64,
}

impl Identity {
    /// The calling process. Allocates nothing, so it may be called between fork and exec.
    pub(crate) fn own() -> Self {
        Self { pid: process::id(), started: start_time(None).unwrap_or(0) }
    }

    /// A running process, or a dead one that is not reaped yet.
    pub(crate) fn of(pid: u32) -> Self {
        Self { pid, started: start_time(Some(pid)).unwrap_or(0) }
    }

    /// Whether the id now belongs to another process.
    pub(crate) fn is_taken(self) -> bool {
        self.started != 0 && start_time(Some(self.pid)).is_some_and(|started| started != self.started)
    }
}

/// When a process (or this one) started. `None`: there is no such process, or the system does not provide it.
#[cfg(target_os = "linux")]
fn start_time(pid: Option<u32>) -> Option<u64> {
    use rustix::fs::{Mode, OFlags, open};
    use std::io::Write;

    let mut path = [0_u8; 32];
    match pid {
        Some(pid) => write!(path.as_mut_slice(), "/proc/{pid}/stat").ok()?,
        None => write!(path.as_mut_slice(), "/proc/self/stat").ok()?,
    }
    let path = std::ffi::CStr::from_bytes_until_nul(&path).ok()?;
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0_u8; 1024];
    let length = rustix::io::read(&file, &mut text).ok()?;
    field(text.get(..length)?, 22)
}

#[cfg(not(target_os = "linux"))]
fn start_time(_pid: Option<u32>) -> Option<u64> {
    None
}

/// A numeric field of `/proc/PID/stat`, counted from 1 as in proc(5). The second field is the program's name in brackets
/// and may itself contain blanks and brackets, so counting starts after the last one.
#[cfg(target_os = "linux")]
pub(super) fn field(stat: &[u8], number: usize) -> Option<u64> {
    let behind = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text =
        stat.get(behind..)?.split(|byte| *byte == b' ').filter(|part| !part.is_empty()).nth(number.checked_sub(3)?)?;
    std::str::from_utf8(text).ok()?.trim_end().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn reads_behind_a_hostile_name() {
        let stat = b"7 (a) b 9 (x)) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 9 9\n";
        assert_eq!(field(stat, 22), Some(4242));
        assert_eq!(field(stat, 5), Some(7));
        assert_eq!(field(b"7 (a", 22), None);
    }

    #[test]
    fn knows_itself_and_not_a_namesake() {
        let own = Identity::own();
        assert!(own.started > 0);
        assert!(!own.is_taken());
        assert!(Identity { started: own.started + 1, ..own }.is_taken());
    }
}
