//! The one typed stream of everything that happens. The order of the calls is the order of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Diff, LogLevel};
use outrigger_state::Resource;
use outrigger_value::{PropertyMap, Urn};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepOp {
    /// Nothing.
    Same,
    /// Makes a new resource.
    Create,
    /// Changes one in place.
    Update,
    /// Removes one.
    Delete,
    /// Stands for a whole replacement; has no effect of its own.
    Replace,
    /// Makes the new half of a replacement.
    CreateReplacement,
    /// Removes the old half of a replacement.
    DeleteReplaced,
    /// Reads a resource that is not managed.
    Read,
    /// Reads one that takes the place of a managed one.
    ReadReplacement,
    /// Reads a managed resource.
    Refresh,
    /// Forgets a resource that was read.
    Discard,
    /// Forgets one that was read and is now managed.
    DiscardReplaced,
    /// Forgets one that was deleted to be replaced, and is not wanted any more.
    RemovePendingReplace,
    /// Adopts an existing resource.
    Import,
    /// Adopts one in place of another.
    ImportReplacement,
}

impl StepOp {
    /// Pulumi's name for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::CreateReplacement => "create-replacement",
            Self::DeleteReplaced => "delete-replaced",
            Self::Read => "read",
            Self::ReadReplacement => "read-replacement",
            Self::Refresh => "refresh",
            Self::Discard => "discard",
            Self::DiscardReplaced => "discard-replaced",
            Self::RemovePendingReplace => "remove-pending-replace",
            Self::Import => "import",
            Self::ImportReplacement => "import-replacement",
        }
    }
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub op: StepOp,
    /// To which resource.
    pub urn: Urn,
    /// What was there.
    pub old: Option<Arc<Resource>>,
    /// What shall be there, or is there now.
    pub new: Option<Arc<Resource>>,
    /// What changes, where the provider said it.
    pub diff: Option<Arc<Diff>>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepResult {
    /// As it should.
    Done,
    /// It failed; a diagnostic says why.
    Failed,
    /// What it did is not known; it stays in the state as a pending operation.
    Unknown,
    /// It never began: the run failed or was stopped while it waited for its turn.
    NotStarted,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A step begins.
    StepStarted(Arc<Step>),
    /// A step ended. For a refresh, `result_op` says what was found.
    StepEnded {
        /// The step, with what is there now.
        step: Arc<Step>,
        /// How it ended.
        result: StepResult,
        /// What it came to: the step's own op, but for a refresh `same`, `update` or `delete`.
        result_op: StepOp,
    },
    /// The provider is called for a step that has begun: until then it waited for a place among the parallel calls.
    CallStarted {
        /// For which resource.
        urn: Urn,
    },
    /// There was no step for a resource, because something that it needs failed, or the run failed or was stopped before its turn.
    NotStarted {
        /// Which one.
        urn: Urn,
    },
    /// The outputs of a component or of the stack were set.
    Outputs {
        /// Whose.
        urn: Urn,
        /// What they were.
        old: PropertyMap,
        /// What they are.
        new: PropertyMap,
    },
    /// A finding.
    Diagnostic {
        /// What it is about, if one resource.
        urn: Option<Urn>,
        /// The finding.
        diagnostic: Box<Diagnostic>,
    },
    /// A plugin said something.
    Log {
        /// How important.
        level: LogLevel,
        /// What it is about.
        urn: Option<Urn>,
        /// The text.
        message: String,
        /// Whether the next one replaces it.
        ephemeral: bool,
    },
}

/// Takes events. Called from one task, in order; must not block.
pub trait EventSink: Send + Sync {
    /// One event.
    fn emit(&self, event: Event);
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Steps by what they did; for a refresh, by what was found.
    pub counts: BTreeMap<StepOp, usize>,
    /// How many resources failed, or ended in doubt.
    pub failed: usize,
    /// How many resources were not started.
    pub not_started: usize,
}

impl Summary {
    /// Counts one.
    pub(crate) fn count(&mut self, op: StepOp) {
        *self.counts.entry(op).or_default() += 1;
    }

    /// Whether anything but `same` (and reads) was done.
    pub fn changes(&self) -> bool {
        self.counts.keys().any(|op| !matches!(op, StepOp::Same | StepOp::Read | StepOp::Refresh))
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was done.
    Succeeded,
    /// Something failed; diagnostics say what.
    Failed,
    /// The user stopped it.
    Cancelled,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub ending: Ending,
    /// The counts.
    pub summary: Summary,
    /// The stack's outputs.
    pub outputs: PropertyMap,
    /// The program registers no resource, so the update deletes every resource of the stack. Only with [`crate::Options::keep_last`].
    pub deletes_all: bool,
    /// Something in the state changed, or would change, if only an option of a resource or an output of the stack.
    pub changed: bool,
}
