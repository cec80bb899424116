//! This process and this machine, as a lock describes them, and whether a process is still running.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Identifies a process well enough to tell later whether it is still running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcessFacts {
    /// Its process id, within its namespace.
    pub pid: u32,
    /// The user who runs it.
    pub username: String,
    /// The host that it runs on.
    pub hostname: String,
    /// Identifies the machine's installation; empty if unknown.
    pub machine: String,
    /// Identifies the machine's current boot; empty if unknown.
    pub boot: String,
    /// Identifies the pid namespace; empty if unknown.
    pub namespace: String,
    /// When it started, in ticks since boot; 0 if unknown.
    pub started: u64,
}

/// Whether a process is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs.
    Running,
    /// It is proven gone.
    Gone,
    /// This machine cannot tell.
    Unknown,
}

/// The machine that we run on.
pub trait Machine: Send + Sync {
    /// This process.
    fn this(&self) -> ProcessFacts;

    /// The start time of a process with that number in this namespace; `None` if there is no such process.
    fn started(&self, pid: u32) -> Option<u64>;

    /// A unique name for a lock and its journal.
    fn unique(&self) -> String {
        Uuid::new_v4().to_string()
    }

    /// Whether a process is alive. Gone only on proof: another boot of the same machine, or the same boot and namespace
    /// without a process of that number and start time.
    fn life(&self, facts: &ProcessFacts) -> Life {
        let this = self.this();
        let same = |ours: &str, theirs: &str| !ours.is_empty() && ours == theirs;
        if same(&this.boot, &facts.boot) {
            if !same(&this.namespace, &facts.namespace) || facts.pid == 0 || facts.started == 0 {
                return Life::Unknown;
            }
            return if self.started(facts.pid) == Some(facts.started) { Life::Running } else { Life::Gone };
        }
        // Copied images share a machine id, so the host name must agree as well.
        let rebooted = !facts.boot.is_empty()
            && !this.boot.is_empty()
            && same(&this.machine, &facts.machine)
            && same(&this.hostname, &facts.hostname);
        if rebooted { Life::Gone } else { Life::Unknown }
    }
}

/// The real machine. On Linux every fact is available; elsewhere a lock is broken only on request.
#[derive(Clone, Debug)]
pub struct LocalMachine {
    facts: ProcessFacts,
}

impl LocalMachine {
    /// Reads the facts about this process. The names come from the caller, who may read the environment.
    pub fn new(username: impl Into<String>, hostname: impl Into<String>) -> Self {
        let text = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        let pid = std::process::id();
        let facts = ProcessFacts {
            pid,
            username: username.into(),
            hostname: hostname.into(),
            machine: text("/etc/machine-id"),
            boot: text("/proc/sys/kernel/random/boot_id"),
            namespace: fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default(),
            started: start_time(pid).unwrap_or_default(),
        };
        Self { facts }
    }
}

impl Machine for LocalMachine {
    fn this(&self) -> ProcessFacts {
        self.facts.clone()
    }

    fn started(&self, pid: u32) -> Option<u64> {
        start_time(pid)
    }
}

/// Field 22 of `/proc/PID/stat`; a zombie process counts as gone.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The second field is the program's name in brackets, which may contain anything, brackets and spaces included.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        this: ProcessFacts,
        started: Option<u64>,
    }

    impl Machine for Fake {
        fn this(&self) -> ProcessFacts {
            self.this.clone()
        }

        fn started(&self, _pid: u32) -> Option<u64> {
            self.started
        }
    }

    fn facts() -> ProcessFacts {
        ProcessFacts {
            pid: 7,
            username: "u".into(),
            hostname: "h".into(),
            machine: "m".into(),
            boot: "b".into(),
            namespace: "n".into(),
            started: 100,
        }
    }

    #[test]
    fn death_needs_proof() {
        let fake = |started| Fake { this: facts(), started };
        assert_eq!(fake(Some(100)).life(&facts()), Life::Running);
        assert_eq!(fake(Some(101)).life(&facts()), Life::Gone, "the number was given to another process");
        assert_eq!(fake(None).life(&facts()), Life::Gone);
        let with = |change: fn(&mut ProcessFacts)| {
            let mut other = facts();
            change(&mut other);
            fake(None).life(&other)
        };
        assert_eq!(with(|other| other.namespace = "container".into()), Life::Unknown);
        assert_eq!(with(|other| other.started = 0), Life::Unknown);
        assert_eq!(with(|other| other.boot = "earlier".into()), Life::Gone, "the machine was started anew");
        assert_eq!(with(|other| (other.boot, other.machine) = ("x".into(), "other".into())), Life::Unknown);
        assert_eq!(with(|other| (other.boot, other.hostname) = ("x".into(), "clone".into())), Life::Unknown);
        assert_eq!(with(|other| *other = ProcessFacts { pid: 7, ..Default::default() }), Life::Unknown);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_runs() {
        let machine = LocalMachine::new("u", "h");
        assert_eq!(machine.life(&machine.this()), Life::Running);
        let mut impostor = machine.this();
        impostor.started += 1;
        assert_eq!(machine.life(&impostor), Life::Gone);
    }
}
