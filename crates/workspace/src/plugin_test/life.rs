//! One life of a resource, from the first check of its inputs to its second deletion, with every answer on record.

use std::cell::Cell;
use std::sync::Arc;

use outrigger_provider::{Action, CallError, ErrorKind, Planned, ReadResult, State, Verdict};
use outrigger_schema::{Package, Resource};
use outrigger_value::{PropertyMap, Urn, Value};

use super::compare::is_bookkeeping;
use super::invented::Inventor;
use super::session::{Missing, Session, Step, secret};
use super::{Left, Options};

/// How many inputs are tried to find one that can be changed in place.
const CHANGES: usize = 12;

/// Where the inputs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user gave them: they have to work.
    Given,
    /// They were made from the schema, and may be invalid.
    Invented,
}

/// The record. A step that was not reached is [`Missing::Unreached`].
pub(super) struct Life {
    pub(super) ty: String,
    pub(super) resource: Arc<Resource>,
    pub(super) origin: Origin,
    /// The inputs, or the one that could not be invented.
    pub(super) inputs: Result<PropertyMap, String>,
    /// Inputs for an update: those that the user gave, or one change each.
    changes: Vec<PropertyMap>,
    pub(super) interrupted: bool,
    pub(super) checked: Step<PropertyMap>,
    pub(super) rechecked: Step<PropertyMap>,
    /// The preview of a creation where nothing is known of the inputs.
    pub(super) unknown: Step<Planned>,
    pub(super) predicted: Step<PropertyMap>,
    pub(super) created: Step<State>,
    pub(super) read: Step<ReadResult>,
    /// The difference where nothing has changed.
    pub(super) unchanged: Step<Planned>,
    /// The difference between the state that was read and the inputs.
    pub(super) refreshed: Step<Planned>,
    pub(super) imported: Step<Option<State>>,
    /// The difference between the imported state and its own inputs.
    pub(super) reimported: Step<Planned>,
    pub(super) change: Step<Change>,
    pub(super) deleted: Step<()>,
    pub(super) gone: Step<ReadResult>,
    /// A read of a resource that never existed, if the read of the deleted one found something.
    pub(super) never: Step<ReadResult>,
    pub(super) deleted_again: Step<()>,
    /// A read after the preview of another creation, when the resource was gone.
    pub(super) previewed: Step<ReadResult>,
    pub(super) left: Vec<Left>,
}

/// The record of an update.
pub(super) struct Change {
    pub(super) predicted: Step<PropertyMap>,
    /// A read after the preview.
    pub(super) previewed: Step<ReadResult>,
    pub(super) updated: Step<State>,
    pub(super) read: Step<ReadResult>,
}

impl Life {
    pub(super) fn new(
        ty: &str,
        resource: Arc<Resource>,
        package: &Package,
        options: &Options,
        given: Option<&[PropertyMap]>,
    ) -> Self {
        let inventor = Inventor { package, suffix: &options.suffix, texts: Cell::default() };
        let marked = |mut inputs: PropertyMap| {
            secret(&mut inputs, &resource.inputs);
            inputs
        };
        let (origin, inputs, changes) = match given {
            Some([first, rest @ ..]) => {
                (Origin::Given, Ok(marked(first.clone())), rest.iter().cloned().map(marked).collect())
            }
            _ => {
                let inputs = inventor.inputs(&resource);
                let changes = inputs.as_ref().map(|inputs| changes(&inventor, &resource, inputs)).unwrap_or_default();
                (Origin::Invented, inputs, changes)
            }
        };
        Self {
            ty: ty.to_owned(),
            resource,
            origin,
            inputs,
            changes,
            interrupted: false,
            checked: Err(Missing::Unreached),
            rechecked: Err(Missing::Unreached),
            unknown: Err(Missing::Unreached),
            predicted: Err(Missing::Unreached),
            created: Err(Missing::Unreached),
            read: Err(Missing::Unreached),
            unchanged: Err(Missing::Unreached),
            refreshed: Err(Missing::Unreached),
            imported: Err(Missing::Unreached),
            reimported: Err(Missing::Unreached),
            change: Err(Missing::Unreached),
            deleted: Err(Missing::Unreached),
            gone: Err(Missing::Unreached),
            never: Err(Missing::Unreached),
            deleted_again: Err(Missing::Unreached),
            previewed: Err(Missing::Unreached),
            left: Vec::new(),
        }
    }

    /// Runs the life. A created resource is deleted, whatever happens in between.
    pub(super) async fn live(&mut self, session: &mut Session<'_>) {
        let Ok(inputs) = self.inputs.clone() else { return };
        let all = [&inputs].into_iter().chain(&self.changes);
        all.for_each(|inputs| session.options().redaction.learn_properties(inputs));
        let urn = session.urn(&self.ty, &format!("test-{}", session.options().suffix));
        if let Some(state) = self.begin(session, &urn, &inputs).await {
            let state = match &self.created {
                Ok(_) => self.middle(session, &urn, &inputs, state).await,
                Err(_) => state,
            };
            self.end(session, &urn, state).await;
        }
        self.interrupted = session.is_stopped();
    }

    /// Checks, previews and creates; returns the state after that.
    async fn begin(&mut self, session: &mut Session<'_>, urn: &Urn, inputs: &PropertyMap) -> Option<State> {
        self.checked = session.check(urn, None, inputs.clone(), false).await;
        let checked = self.checked.as_ref().ok()?.clone();
        self.rechecked = session.check(urn, None, checked.clone(), false).await;
        let plain = |name: &String| self.resource.inputs.get(name).is_some_and(|property| property.plain);
        let hidden =
            inputs.iter().map(|(name, value)| (name.clone(), if plain(name) { value.clone() } else { Value::Unknown }));
        self.unknown = match session.check(urn, None, hidden.collect(), true).await {
            Ok(hidden) => session.plan(urn, None, &hidden, true).await,
            Err(missing) => Err(missing),
        };
        let planned = session.plan(urn, None, &checked, true).await;
        self.predicted = planned.map(|planned| planned.predicted.unwrap_or_default());
        if session.is_stopped() {
            return None;
        }
        let (state, done) = session.apply(urn, Action::Create, None, &checked).await;
        state.iter().for_each(|state| session.options().redaction.learn_properties(&state.outputs));
        match done {
            Ok(()) => self.created = state.clone().ok_or(Missing::Unreached),
            Err(missing) => {
                if let (None, Missing::Call(error)) = (&state, &missing)
                    && !is_refusal(error)
                {
                    let reason = "Create returned no answer, so the resource may exist.".to_owned();
                    self.left.push(Left { resource: self.ty.clone(), id: None, reason });
                }
                self.created = Err(missing);
            }
        }
        state
    }

    /// Makes every call about an existing resource; returns its last state.
    async fn middle(&mut self, session: &mut Session<'_>, urn: &Urn, inputs: &PropertyMap, created: State) -> State {
        let mut state = created.clone();
        if session.is_stopped() {
            return state;
        }
        self.read = session.read(urn, &created).await;
        if let Ok(ReadResult::Found { state: found, .. }) = &self.read {
            let found = found.clone();
            self.refreshed = session.plan(urn, Some(&found), &created.inputs, false).await;
            if created.refresh_before_update {
                state = found;
            }
        }
        self.unchanged = match session.check(urn, Some(&created.inputs), inputs.clone(), false).await {
            Ok(checked) => session.plan(urn, Some(&state), &checked, false).await,
            Err(missing) => Err(missing),
        };
        if session.is_stopped() {
            return state;
        }
        self.imported = session.import(urn, &created.id).await;
        if let Ok(Some(found)) = &self.imported {
            let found = found.clone();
            self.reimported = match session.check(urn, Some(&found.inputs), found.inputs.clone(), false).await {
                Ok(checked) => session.plan(urn, Some(&found), &checked, false).await,
                Err(missing) => Err(missing),
            };
        }
        if session.is_stopped() { state } else { self.update(session, urn, state).await }
    }

    /// Looks for a change that can be made in place, and makes it.
    async fn update(&mut self, session: &mut Session<'_>, urn: &Urn, before: State) -> State {
        for change in self.changes.clone() {
            let checked = match session.check(urn, Some(&before.inputs), change, false).await {
                Ok(checked) => checked,
                // A refusal means that the value is invalid.
                Err(missing) if self.origin == Origin::Invented && missing.is_refusal() => continue,
                Err(missing) => {
                    self.change = Err(missing);
                    return before;
                }
            };
            match session.plan(urn, Some(&before), &checked, true).await {
                Ok(Planned { verdict: Verdict::Update, predicted, .. }) => {
                    return self.carry_out(session, urn, before, &checked, Ok(predicted.unwrap_or_default())).await;
                }
                Ok(_) => {}
                Err(missing) if self.origin == Origin::Invented && missing.is_refusal() => {}
                Err(missing) => {
                    self.change = Err(missing);
                    return before;
                }
            }
        }
        before
    }

    async fn carry_out(
        &mut self,
        session: &mut Session<'_>,
        urn: &Urn,
        before: State,
        inputs: &PropertyMap,
        predicted: Step<PropertyMap>,
    ) -> State {
        let previewed = session.read(urn, &before).await;
        let (state, done) = session.apply(urn, Action::Update, Some(&before), inputs).await;
        let state = state.unwrap_or(before);
        let mut change =
            Change { predicted, previewed, updated: done.map(|()| state.clone()), read: Err(Missing::Unreached) };
        if change.updated.is_ok() {
            change.read = session.read(urn, &state).await;
        }
        self.change = Ok(change);
        state
    }

    /// Deletes it, and asks for it when it is gone.
    async fn end(&mut self, session: &mut Session<'_>, urn: &Urn, state: State) {
        let nothing = PropertyMap::new();
        self.deleted = session.apply(urn, Action::Delete, Some(&state), &nothing).await.1;
        if let Err(missing) = &self.deleted {
            let reason = match missing {
                Missing::Call(error) => format!("Delete failed: {}", session.options().redaction.hide(&error.message)),
                Missing::Refused(_) | Missing::Unreached => "It was not deleted.".to_owned(),
            };
            self.left.push(Left { resource: self.ty.clone(), id: Some(state.id.clone()), reason });
            return;
        }
        if session.is_stopped() {
            return;
        }
        self.gone = session.read(urn, &state).await;
        if let Ok(ReadResult::Found { .. }) = self.gone {
            self.never = session.read(urn, &other(&state, &session.options().suffix)).await;
        }
        self.deleted_again = session.apply(urn, Action::Delete, Some(&state), &nothing).await.1;
        if let (Ok(ReadResult::Gone), Ok(checked)) = (&self.gone, &self.checked)
            && session.plan(urn, None, checked, true).await.is_ok()
        {
            self.previewed = session.read(urn, &state).await;
            if let Ok(ReadResult::Found { state, .. }) = &self.previewed
                && session.apply(urn, Action::Delete, Some(state), &nothing).await.1.is_err()
            {
                let reason = "A preview created it, and Delete failed.".to_owned();
                self.left.push(Left { resource: self.ty.clone(), id: Some(state.id.clone()), reason });
            }
        }
    }
}

/// The state of something that never existed.
fn other(state: &State, suffix: &str) -> State {
    let id = format!("{}-never-{suffix}", state.id);
    let mut outputs = state.outputs.clone();
    for value in outputs.values_mut().filter(|value| value.as_str() == Some(&state.id)) {
        *value = id.as_str().into();
    }
    State { id, outputs, ..state.clone() }
}

/// Inputs with one change each: first of the given ones, then of others.
fn changes(inventor: &Inventor<'_>, resource: &Resource, inputs: &PropertyMap) -> Vec<PropertyMap> {
    let replaces = |name: &String| {
        let output = resource.properties.get(name);
        resource.inputs.get(name).into_iter().chain(output).any(|property| property.replace_on_changes)
    };
    let changeable = |(name, property): &(&String, &outrigger_schema::Property)| {
        property.constant.is_none() && property.deprecated.is_none() && !is_bookkeeping(name) && !replaces(name)
    };
    let mut properties: Vec<_> = resource.inputs.iter().filter(changeable).collect();
    properties.sort_by_key(|(name, _)| !inputs.contains_key(*name));
    let changed = |(name, property): (&String, &outrigger_schema::Property)| {
        let value = inventor.another(name, property, inputs.get(name))?;
        let value = if property.secret { Value::secret(value) } else { value };
        let mut inputs = inputs.clone();
        inputs.insert(name.clone(), value);
        Some(inputs)
    };
    properties.into_iter().filter_map(changed).take(CHANGES).collect()
}

impl Missing {
    fn is_refusal(&self) -> bool {
        match self {
            Self::Call(error) => is_refusal(error),
            Self::Refused(_) => true,
            Self::Unreached => false,
        }
    }
}

/// Whether an error is a refusal: the plugin answered. Most plugins in Go report plain failures with the code for "unknown"; libraries report a panic with it,
/// too.
pub(super) fn is_refusal(error: &CallError) -> bool {
    matches!(error.kind, ErrorKind::NotDone | ErrorKind::Unsupported | ErrorKind::Unknown)
        && !error.message.contains("panic")
}
