//! Counts a run's events: which resources it saw, and how many steps of each kind.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Event, EventSink, Pattern, Step, StepOp, StepResult, Summary};
use outrigger_state::Resource;
use outrigger_value::Urn;

use crate::Work;
use crate::redaction::Redaction;

/// Passes events on. Their secrets are added to the redaction first.
pub struct Recorder {
    events: Arc<dyn EventSink>,
    redaction: Arc<Redaction>,
    work: Work,
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    met: HashSet<Urn>,
    failed: HashSet<Urn>,
    not_started: HashSet<Urn>,
    imported: HashSet<Urn>,
    summary: Summary,
}

impl Books {
    /// Counts a step as Pulumi does: a replacement once, default providers not at all, nor the refresh before an update, an import and the unchanged
    /// step after it once, a read only if its outputs changed.
    fn count(&mut self, step: &Step, result_op: StepOp, work: Work) {
        let before = step.op == StepOp::Refresh && work != Work::Refresh;
        let again = step.op == StepOp::Same && self.imported.contains(&step.urn);
        let outputs = |resource: &Option<Arc<Resource>>| resource.as_ref().map(|resource| resource.outputs.clone());
        let known = step.op == StepOp::Read && (step.old.is_none() || outputs(&step.old) == outputs(&step.new));
        if is_half(step.op) || is_internal(step) || before || again || known {
            return;
        }
        if step.op == StepOp::Import {
            self.imported.insert(step.urn.clone());
        }
        *self.summary.counts.entry(result_op).or_default() += 1;
    }
}

impl Recorder {
    /// Passes events of some work on to a sink.
    pub fn new(events: Arc<dyn EventSink>, redaction: Arc<Redaction>, work: Work) -> Self {
        Self { events, redaction, work, books: Mutex::default() }
    }

    /// Whether there was a step for a resource.
    pub(crate) fn has_met(&self, urn: &Urn) -> bool {
        self.books().met.contains(urn)
    }

    /// Whether there was a step for a resource that a pattern names.
    pub(crate) fn has_met_like(&self, pattern: &Pattern) -> bool {
        self.books().met.iter().any(|urn| pattern.matches(urn.as_str()))
    }

    /// The steps so far, counted as Pulumi counts them.
    pub(crate) fn summary(&self) -> Summary {
        let books = self.books();
        // A resource that was refused before its call counts only as failed.
        let not_started = books.not_started.difference(&books.failed).count();
        Summary { failed: books.failed.len(), not_started, ..books.summary.clone() }
    }

    /// Adds a diagnostic that is not the engine's, in its place among the events.
    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.emit(Event::Diagnostic { urn: None, diagnostic: Box::new(diagnostic) });
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: Event) {
        if let Event::StepStarted(step) | Event::StepEnded { step, .. } = &event {
            for resource in step.old.iter().chain(&step.new) {
                self.redaction.learn_properties(&resource.inputs);
                self.redaction.learn_properties(&resource.outputs);
            }
        }
        match &event {
            Event::StepStarted(step) => drop(self.books().met.insert(step.urn.clone())),
            Event::StepEnded { step, result: StepResult::Done, result_op } => {
                self.books().count(step, *result_op, self.work);
            }
            Event::StepEnded { step, result: StepResult::NotStarted, .. } if !is_internal(step) => {
                self.books().not_started.insert(step.urn.clone());
            }
            Event::StepEnded { step, result: StepResult::Failed | StepResult::Unknown, .. } if !is_internal(step) => {
                self.books().failed.insert(step.urn.clone());
            }
            Event::Diagnostic { urn: Some(urn), diagnostic }
                if diagnostic.is_error() && urn.provider_package().is_none() && !urn.is_stack() =>
            {
                self.books().failed.insert(urn.clone());
            }
            // Its step has been reported as not started already.
            Event::NotStarted { urn } if !self.books().not_started.insert(urn.clone()) => return,
            _ => {}
        }
        self.events.emit(event);
    }
}

/// Whether a step is one half of a replacement.
pub fn is_half(op: StepOp) -> bool {
    matches!(
        op,
        StepOp::CreateReplacement
            | StepOp::DeleteReplaced
            | StepOp::DiscardReplaced
            | StepOp::ReadReplacement
            | StepOp::ImportReplacement
    )
}

/// Whether a step is bookkeeping that Pulumi's users do not see.
pub fn is_internal(step: &Step) -> bool {
    step.op == StepOp::RemovePendingReplace
        || (step.urn.provider_package().is_some() && step.urn.name().starts_with("default"))
}
