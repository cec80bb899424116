//! Planning changes and applying them.

use std::collections::BTreeMap;
use std::time::Duration;

use outrigger_value::PropertyMap;

use crate::{CallError, ResourceIdentity, State};

/// The action to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Create it.
    Create,
    /// Update it in place.
    Update,
    /// Delete it.
    Delete,
}

/// A request to plan: what would change?
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// The resource.
    pub resource: ResourceIdentity,
    /// The current state; `None` plans a creation.
    pub prior: Option<State>,
    /// The checked inputs; `None` plans a deletion.
    pub inputs: Option<PropertyMap>,
    /// Property paths whose changes are ignored.
    pub ignore_changes: Vec<String>,
    /// Whether predicted values are wanted, as in a preview: a provider that needs an extra call for them makes it only then.
    pub predict: bool,
    /// The user's timeout.
    pub timeout: Option<Duration>,
}

/// The change that a provider would make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to do.
    Same,
    /// It can be changed in place.
    Update,
    /// It must be replaced.
    Replace,
    /// It is new.
    Create,
    /// It would be deleted.
    Delete,
}

/// How a property changes.
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
    /// The kind of change.
    pub kind: DiffKind,
    /// Whether the path points into the inputs rather than the outputs.
    pub input: bool,
}

/// Changes by property path.
pub type DetailedDiff = BTreeMap<String, PropertyDiff>;

/// The changes, as the provider sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    /// The provider's own verdict: `Some(true)` something changed, `Some(false)` nothing did, `None` leaves it to the engine, which
    /// compares the inputs.
    pub changed: Option<bool>,
    /// Top-level properties that changed.
    pub changed_keys: Vec<String>,
    /// Properties that force a replacement.
    pub replace_keys: Vec<String>,
    /// Properties that will not change in this update.
    pub stable_keys: Vec<String>,
    /// The old resource must be deleted before the new one is created.
    pub delete_before_replace: bool,
    /// Changes by path, if the provider lists them.
    pub detailed: Option<DetailedDiff>,
}

/// The answer to a plan.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The verdict.
    pub verdict: Verdict,
    /// The changes.
    pub diff: Diff,
    /// The outputs as far as they can be predicted, with unknown values elsewhere.
    pub predicted: Option<PropertyMap>,
}

/// A request to apply a change.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// The resource.
    pub resource: ResourceIdentity,
    /// The action.
    pub action: Action,
    /// The current state; `None` for a creation.
    pub prior: Option<State>,
    /// The checked inputs; empty for a deletion.
    pub inputs: PropertyMap,
    /// Property paths whose changes are ignored.
    pub ignore_changes: Vec<String>,
    /// The user's timeout.
    pub timeout: Option<Duration>,
}

/// Reserved: a running operation, about which the provider can be asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The provider's own handle.
    pub handle: Vec<u8>,
    /// When to ask again.
    pub ask_again_after: Option<Duration>,
}

/// How an operation ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Done; for a deletion the state is empty.
    Done(State),
    /// It exists but is not ready: keep the state, fail the step.
    Partial {
        /// The state as it exists.
        state: State,
        /// Why it is not ready.
        reasons: Vec<String>,
    },
    /// Reserved: still running, to be asked about again with `resume`. Until a supervisor does that, the operation stays pending in the
    /// state and its step fails.
    Pending(Ticket),
    /// It did not happen; nothing changed.
    NotDone(CallError),
    /// It is not known whether it happened.
    Unknown {
        /// The error.
        error: CallError,
        /// The last known state.
        last: Option<State>,
    },
}
