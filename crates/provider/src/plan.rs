//! Planning a change and carrying it out.

use std::collections::BTreeMap;
use std::time::Duration;

use outrigger_value::PropertyMap;

use crate::{CallError, ResourceIdentity, State};

/// What the engine wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Make it.
    Create,
    /// Change it in place.
    Update,
    /// Remove it.
    Delete,
}

/// A question: what would happen?
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// Which resource.
    pub resource: ResourceIdentity,
    /// What exists; `None` plans a creation.
    pub prior: Option<State>,
    /// The checked inputs; `None` plans a deletion.
    pub inputs: Option<PropertyMap>,
    /// Property paths whose changes do not count.
    pub ignore_changes: Vec<String>,
    /// Whether predicted values are wanted (a preview): a provider that needs an extra call for them makes it only then.
    pub predict: bool,
    /// The user's limit.
    pub timeout: Option<Duration>,
}

/// What a provider would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to do.
    Same,
    /// It can be changed in place.
    Update,
    /// It must be made anew.
    Replace,
    /// It is new.
    Create,
    /// It would be removed.
    Delete,
}

/// How one property changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// Appears.
    Add,
    /// Appears, which forces a replacement.
    AddReplace,
    /// Disappears.
    Delete,
    /// Disappears, which forces a replacement.
    DeleteReplace,
    /// Changes.
    Update,
    /// Changes, which forces a replacement.
    UpdateReplace,
}

impl DiffKind {
    /// Whether this forces a replacement.
    pub fn replaces(self) -> bool {
        matches!(self, Self::AddReplace | Self::DeleteReplace | Self::UpdateReplace)
    }

    /// The same change, forcing a replacement.
    #[must_use]
    pub fn as_replace(self) -> Self {
        match self {
            Self::Add | Self::AddReplace => Self::AddReplace,
            Self::Delete | Self::DeleteReplace => Self::DeleteReplace,
            Self::Update | Self::UpdateReplace => Self::UpdateReplace,
        }
    }
}

/// How one property changes, and where its path points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyDiff {
    /// How.
    pub kind: DiffKind,
    /// Whether the path points into the inputs rather than the outputs.
    pub input: bool,
}

/// Changes by property path.
pub type DetailedDiff = BTreeMap<String, PropertyDiff>;

/// What changed, as the provider sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    /// The provider's own word: `Some(true)` something changed, `Some(false)` nothing, `None` it does not say and the
    /// engine compares inputs itself.
    pub changed: Option<bool>,
    /// Top-level properties that changed.
    pub changed_keys: Vec<String>,
    /// Properties that force a replacement.
    pub replace_keys: Vec<String>,
    /// Properties that will not change in this update.
    pub stable_keys: Vec<String>,
    /// The old one must go before the new one comes.
    pub delete_before_replace: bool,
    /// Changes by path, where the provider gives them.
    pub detailed: Option<DetailedDiff>,
}

/// The answer to a plan.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What would happen.
    pub verdict: Verdict,
    /// What changed.
    pub diff: Diff,
    /// The outputs as far as they can be told; unknown values where they cannot.
    pub predicted: Option<PropertyMap>,
}

/// An order: do it.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// Which resource.
    pub resource: ResourceIdentity,
    /// What to do.
    pub action: Action,
    /// What exists; `None` for a creation.
    pub prior: Option<State>,
    /// The checked inputs; empty for a deletion.
    pub inputs: PropertyMap,
    /// Property paths whose changes do not count.
    pub ignore_changes: Vec<String>,
    /// The user's limit.
    pub timeout: Option<Duration>,
}

/// Reserved: an operation that is under way, and that the provider can be asked about again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The provider's own handle.
    pub handle: Vec<u8>,
    /// When to ask again.
    pub ask_again_after: Option<Duration>,
}

/// How an order ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Done; for a deletion the state is empty.
    Done(State),
    /// It exists but is not ready: keep the state, fail the step.
    Partial {
        /// What exists.
        state: State,
        /// Why it is not ready.
        reasons: Vec<String>,
    },
    /// Reserved: under way, to be asked about again with `resume`. Until a supervisor does that, the operation stays pending in the
    /// state and its step fails.
    Pending(Ticket),
    /// It did not happen; nothing changed.
    NotDone(CallError),
    /// Nobody knows whether it happened.
    Unknown {
        /// What went wrong.
        error: CallError,
        /// The last that is known.
        last: Option<State>,
    },
}
