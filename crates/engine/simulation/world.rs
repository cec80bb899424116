//! Data that every part of one simulated run shares.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outrigger_state::{Record, Snapshot};
use outrigger_value::Urn;

use super::cloud::Cloud;
use super::fault::Fault;
use super::random::Random;
use super::schedule::Schedule;
use super::shadow::Shadow;

/// A secret that must never appear in clear.
pub(crate) const CANARY: &str = "canary-5up3r-s3cr3t";

/// How often calls go wrong, in percent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trouble {
    /// The call fails and nothing happened.
    pub(crate) refuses: usize,
    /// The call goes unanswered; it may or may not have happened.
    pub(crate) silent: usize,
    /// The created resource is not ready.
    pub(crate) partial: usize,
    /// The answer comes later.
    pub(crate) pending: usize,
}

/// One simulated world.
pub(crate) struct World {
    pub(crate) schedule: Schedule,
    pub(crate) fault: Option<Fault>,
    inner: Mutex<Inner>,
}

/// The mutable part.
pub(crate) struct Inner {
    pub(crate) random: Random,
    pub(crate) cloud: Cloud,
    pub(crate) shadow: Shadow,
    pub(crate) trouble: Trouble,
    /// Nothing may change.
    pub(crate) preview: bool,
    /// With targets or `ignoreChanges`, the user may ask for changes that the cloud's own references forbid.
    pub(crate) lenient_order: bool,
    /// The names whose protection the program lifts in this run.
    pub(crate) unprotected: BTreeSet<Urn>,
    /// The program is still registering, so any deletion now is part of a replacement.
    pub(crate) program_runs: bool,
    /// The records of this run.
    pub(crate) records: Vec<Record>,
    /// The record that is being written; after a crash it may or may not be durable.
    pub(crate) in_flight: Option<Record>,
    /// The results that found no room in the journal. An object store has them after the run, a full disk does not.
    pub(crate) refused: Vec<Record>,
    /// The state that another program wrote over the checkpoint.
    pub(crate) foreign_base: Snapshot,
    fault: Option<Fault>,
    pub(crate) trace: Vec<String>,
    pub(crate) violations: Vec<String>,
}

impl World {
    pub(crate) fn new(random: &mut Random, fault: Option<Fault>) -> Arc<Self> {
        Arc::new(Self {
            schedule: Schedule::new(random.fork()),
            fault,
            inner: Mutex::new(Inner {
                random: random.fork(),
                cloud: Cloud::default(),
                shadow: Shadow::default(),
                trouble: Trouble::default(),
                preview: false,
                lenient_order: false,
                unprotected: BTreeSet::new(),
                program_runs: false,
                records: Vec::new(),
                in_flight: None,
                refused: Vec::new(),
                foreign_base: Snapshot::default(),
                fault,
                trace: Vec::new(),
                violations: Vec::new(),
            }),
        })
    }

    /// The guard is never held across an await.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True in `chance` of a hundred cases.
    pub(crate) fn percent(&self, chance: usize) -> bool {
        chance > 0 && self.lock().random.percent(chance)
    }
}

impl Inner {
    /// Records a broken rule.
    pub(crate) fn violated(&mut self, rule: &str, what: impl std::fmt::Display) {
        self.trace.push(format!("!! {rule}: {what}"));
        self.violations.push(format!("{rule}: {what}"));
    }

    pub(crate) fn fault_is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// From now on the checkpoint is another program's: it does not contain this run's deletions and changes.
    pub(crate) fn be_taken_over(&mut self, base: Snapshot) {
        let known = self.shadow.entries.values().chain(&base.resources).filter_map(|entry| entry.id.clone());
        let all: Vec<String> = known.chain(self.cloud.objects.keys().cloned()).collect();
        self.foreign_base = base;
        self.cloud.excused.extend(all.iter().cloned());
        self.cloud.drifted.extend(all);
    }

    pub(crate) fn note(&mut self, what: impl Into<String>) {
        self.trace.push(what.into());
    }
}
