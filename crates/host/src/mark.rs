//! The mark of a plugin: an environment variable, which every process that it starts inherits.
//!
//! A process group can be signalled; processes that left the group are found by the mark. A process that is meant to outlive the plugin
//! removes the variable from its environment.
//!
//! The kernel could make us the parent of orphans instead (a "subreaper"), but it would not say whose orphans they are, nor distinguish
//! them from children that the embedding program started itself.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::Identity;

/// The variable's name.
pub(crate) const VARIABLE: &str = "OUTRIGGER_PLUGIN";

/// The processes of one plugin, or of all plugins of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    value: String,
    whole: bool,
    since: u64,
}

impl Mark {
    /// A new mark. A process may have several hosts, so they share one count.
    pub(crate) fn of_next_plugin() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self::of_plugin(Identity::own(), COUNT.fetch_add(1, Ordering::Relaxed))
    }

    fn of_plugin(host: Identity, number: u64) -> Self {
        Self { value: format!("{}.{}.{number}", host.pid, host.started), whole: true, since: host.started }
    }

    /// The mark of all plugins of a host's process.
    pub(crate) fn of_host(host: Identity) -> Self {
        Self { value: format!("{}.{}.", host.pid, host.started), whole: false, since: host.started }
    }

    /// The variable's value.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// Every process that carries it started at this time or later, in the kernel's ticks since boot.
    pub(crate) fn since(&self) -> u64 {
        self.since
    }

    /// Whether an environment (entries separated by zeros) contains it.
    pub(crate) fn is_in(&self, environment: &[u8]) -> bool {
        environment.split(|byte| *byte == 0).any(|entry| {
            let value = entry.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value.and_then(|value| value.strip_prefix(self.value.as_bytes())).is_some_and(|rest| {
                // A host's plugin 3 is not its plugin 30.
                !self.whole || rest.is_empty()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_means_one_plugin_or_all_of_one_host() {
        let host = Identity { pid: 7, started: 99 };
        let third = Mark::of_plugin(host, 3);
        let thirtieth = b"A=1\0OUTRIGGER_PLUGIN=7.99.30\0".as_slice();
        assert!(third.is_in(b"OUTRIGGER_PLUGIN=7.99.3\0B=2\0"));
        assert!(!third.is_in(thirtieth) && Mark::of_host(host).is_in(thirtieth));
        assert!(!Mark::of_host(Identity { pid: 7, started: 9 }).is_in(thirtieth));
        assert!(!third.is_in(b"NOT_OUTRIGGER_PLUGIN=7.99.3\0") && !third.is_in(b"OUTRIGGER_PLUGIN7.99.3"));
    }
}
