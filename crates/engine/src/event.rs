//! The one typed stream of everything that happens. The order of the calls is the order of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Diff, LogLevel};
use outrigger_state::Resource;
use outrigger_value::{PropertyMap, Urn};

/// The kind of a step.
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
    /// Represents a whole replacement; has no effect of its own.
    Replace,
    /// Makes the new half of a replacement.
    CreateReplacement,
    /// Removes the old half of a replacement.
    DeleteReplaced,
    /// Reads a resource that is not managed.
    Read,
    /// Reads one that replaces a managed one.
    ReadReplacement,
    /// Reads a managed resource.
    Refresh,
    /// Forgets a resource that was read.
    Discard,
    /// Forgets one that was read and is now managed.
    DiscardReplaced,
    /// Forgets one that was deleted to be replaced and is no longer wanted.
    RemovePendingReplace,
    /// Imports an existing resource.
    Import,
    /// Imports one in place of another.
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
    /// The kind of step.
    pub op: StepOp,
    /// The resource.
    pub urn: Urn,
    /// Its state before.
    pub old: Option<Arc<Resource>>,
    /// Its planned state, or its state now.
    pub new: Option<Arc<Resource>>,
    /// The changes, if the provider listed them.
    pub diff: Option<Arc<Diff>>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepResult {
    /// Successfully.
    Done,
    /// It failed; a diagnostic says why.
    Failed,
    /// The result is not known; the operation stays pending in the state.
    Unknown,
    /// The step never began: the run failed or was stopped while it waited for its turn.
    NotStarted,
}

/// An event of a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// A step begins.
    StepStarted(Arc<Step>),
    /// A step ended. For a refresh, `result_op` is the finding.
    StepEnded {
        /// The step, with the resource's state now.
        step: Arc<Step>,
        /// How it ended.
        result: StepResult,
        /// The result: the step's own op, but for a refresh `same`, `update` or `delete`.
        result_op: StepOp,
    },
    /// The provider is called for a step that has begun; until then the step waited for a permit among the parallel calls.
    CallStarted {
        /// The resource.
        urn: Urn,
    },
    /// No step ran for a resource, because something that it needs failed, or the run failed or was stopped before its turn.
    NotStarted {
        /// The resource.
        urn: Urn,
    },
    /// The outputs of a component or of the stack were set.
    Outputs {
        /// The component or stack.
        urn: Urn,
        /// The old outputs.
        old: PropertyMap,
        /// The new outputs.
        new: PropertyMap,
    },
    /// A finding.
    Diagnostic {
        /// The resource it is about, if only one.
        urn: Option<Urn>,
        /// The finding.
        diagnostic: Box<Diagnostic>,
    },
    /// A log message from a plugin.
    Log {
        /// The severity.
        level: LogLevel,
        /// The resource it is about.
        urn: Option<Urn>,
        /// The text.
        message: String,
        /// Whether the next message replaces it.
        ephemeral: bool,
    },
}

/// Receives events. Called from one task, in order; must not block.
pub trait EventSink: Send + Sync {
    /// One event.
    fn emit(&self, event: Event);
}

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Steps by kind; for a refresh, by finding.
    pub counts: BTreeMap<StepOp, usize>,
    /// How many resources failed, or have an operation without a known result.
    pub failed: usize,
    /// How many resources were not started.
    pub not_started: usize,
}

impl Summary {
    /// Counts one.
    pub(crate) fn count(&mut self, op: StepOp) {
        *self.counts.entry(op).or_default() += 1;
    }

    /// Whether any step other than `same` or a read was done.
    pub fn changes(&self) -> bool {
        self.counts.keys().any(|op| !matches!(op, StepOp::Same | StepOp::Read | StepOp::Refresh))
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything succeeded.
    Succeeded,
    /// Something failed; diagnostics explain it.
    Failed,
    /// The user stopped it.
    Cancelled,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub ending: Ending,
    /// The counts.
    pub summary: Summary,
    /// The stack's outputs.
    pub outputs: PropertyMap,
    /// The program registers no resource, so the update deletes every resource of the stack. Set only with [`crate::Options::keep_last`].
    pub deletes_all: bool,
    /// Something in the state changed, or would change, if only an option of a resource or an output of the stack.
    pub changed: bool,
}
