//! The steps that have begun and not ended, and since when their providers are at work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_engine::{Step, StepOp};
use outrigger_value::Urn;

#[derive(Default)]
pub(super) struct UnderWay(BTreeMap<Urn, BTreeMap<StepOp, Begun>>);

struct Begun {
    step: Arc<Step>,
    /// `None` while the step waits for a free slot among the parallel calls.
    called: Option<Instant>,
}

impl UnderWay {
    pub(super) fn started(&mut self, step: &Arc<Step>) {
        let begun = Begun { step: Arc::clone(step), called: None };
        self.0.entry(step.urn.clone()).or_default().insert(step.op, begun);
    }

    /// Records that the provider of a resource is called. Returns the steps that waited for it.
    pub(super) fn calling(&mut self, urn: &Urn) -> Vec<Arc<Step>> {
        let waiting = self.0.get_mut(urn).into_iter().flat_map(BTreeMap::values_mut);
        waiting
            .filter(|begun| begun.called.is_none())
            .map(|begun| {
                begun.called = Some(Instant::now());
                Arc::clone(&begun.step)
            })
            .collect()
    }

    /// How long the call of a step that ended took, if there was one.
    pub(super) fn ended(&mut self, step: &Step) -> Option<Duration> {
        let steps = self.0.get_mut(&step.urn)?;
        let begun = steps.remove(&step.op)?;
        if steps.is_empty() {
            self.0.remove(&step.urn);
        }
        Some(begun.called?.elapsed())
    }

    /// The steps whose provider is working.
    pub(super) fn called(&self) -> impl Iterator<Item = &Step> {
        self.0.values().flat_map(BTreeMap::values).filter(|begun| begun.called.is_some()).map(|begun| &*begun.step)
    }
}
