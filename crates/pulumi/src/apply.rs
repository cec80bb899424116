//! Create, Update and Delete, and the state after their failures.

use std::time::Duration;

use outrigger_provider::{Action, ApplyRequest, CallContext, CallError, ErrorKind, Outcome, ResourceIdentity, State};
use outrigger_value::PropertyMap;

use crate::encoding::{Decoding, EncodingError, Unknowns, decode};
use crate::failure::Failure;
use crate::generated::pulumirpc::{CreateRequest, DeleteRequest, ErrorResourceInitFailed, UpdateRequest};
use crate::provider::PulumiProvider;
use crate::secrecy;

/// Whether a change is made or previewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Real,
    Preview,
}

/// How Create or Update failed.
pub(crate) enum ApplyFailure {
    /// The resource exists but is not ready.
    Partial { state: Box<State>, reasons: Vec<String>, error: Box<CallError> },
    /// It did not happen, or that is not known; the error shows which.
    Error { error: Box<CallError>, last: Option<Box<State>> },
}

impl ApplyFailure {
    /// The error alone, for a preview.
    pub(crate) fn error(self) -> CallError {
        match self {
            Self::Partial { error, .. } | Self::Error { error, .. } => *error,
        }
    }

    fn outcome(self) -> Outcome {
        match self {
            Self::Partial { state, reasons, .. } => Outcome::Partial { state: *state, reasons },
            Self::Error { error, last } if error.leaves_doubt() => {
                Outcome::Unknown { error: *error, last: last.map(|state| *state) }
            }
            Self::Error { error, .. } => Outcome::NotDone(*error),
        }
    }
}

/// Applies a change.
pub(crate) async fn apply(provider: &PulumiProvider, cx: &CallContext, request: ApplyRequest) -> Outcome {
    let ApplyRequest { resource, action, prior, inputs, ignore_changes, timeout } = request;
    let done = match (action, prior) {
        (Action::Create, _) => create(provider, cx, &resource, inputs, timeout, Mode::Real).await,
        (Action::Update, Some(prior)) => {
            update(provider, cx, &resource, prior, inputs, &ignore_changes, timeout, Mode::Real).await
        }
        (Action::Delete, Some(prior)) => delete(provider, cx, &resource, prior, timeout).await,
        (Action::Update | Action::Delete, None) => {
            let message = format!("there is no state of {} to work on", resource.urn);
            return Outcome::NotDone(provider.connection.error("apply", ErrorKind::NotDone, message));
        }
    };
    done.map_or_else(ApplyFailure::outcome, Outcome::Done)
}

/// Creates a resource, or previews the creation.
pub(crate) async fn create(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    inputs: PropertyMap,
    timeout: Option<Duration>,
    mode: Mode,
) -> Result<State, ApplyFailure> {
    const CALL: &str = "Create";
    let connection = &provider.connection;
    let properties = connection.encode(inputs.clone(), provider.features.encoding(mode == Mode::Preview));
    let message = CreateRequest {
        urn: resource.urn.to_string(),
        name: resource.name().to_owned(),
        r#type: resource.ty().to_owned(),
        properties: Some(properties.map_err(|error| unsent(provider, CALL, &error))?),
        timeout: seconds(timeout),
        preview: mode == Mode::Preview,
        ..CreateRequest::default()
    };
    let made = |id: String| State { id, inputs: inputs.clone(), ..State::default() };
    let answer = match connection.call(cx, CALL, connection.client().create(message)).await {
        Ok(answer) => answer,
        Err(Failure { error, partial: Some(detail) }) if !detail.id.is_empty() => {
            let state = made(detail.id.clone());
            return Err(partial(provider, CALL, *detail, state, &inputs, error));
        }
        Err(Failure { mut error, partial }) => {
            if partial.is_some() {
                // The plugin reports that a resource exists, but not which: only the attempt can be recorded.
                error.kind = ErrorKind::Garbage;
            }
            return Err(ApplyFailure::Error { error: Box::new(error), last: None });
        }
    };
    let mut state = made(answer.id);
    state.refresh_before_update = answer.refresh_before_update;
    if state.id.is_empty() && mode == Mode::Real {
        let message = "it answered without an id, so the resource cannot be found again";
        let error = connection.error(CALL, ErrorKind::Garbage, message);
        return Err(ApplyFailure::Error { error: Box::new(error), last: None });
    }
    match outputs(provider, answer.properties, &inputs, mode) {
        Ok(outputs) => Ok(State { outputs, ..state }),
        Err(error) => Err(unread(provider, CALL, &error, Some(state))),
    }
}

/// Updates a resource, or previews the update.
#[allow(clippy::too_many_arguments, reason = "the parts of one request, taken apart by the caller")]
pub(crate) async fn update(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    prior: State,
    inputs: PropertyMap,
    ignore_changes: &[String],
    timeout: Option<Duration>,
    mode: Mode,
) -> Result<State, ApplyFailure> {
    const CALL: &str = "Update";
    let connection = &provider.connection;
    let old = |properties: &PropertyMap| {
        let wire = connection.encode(properties.clone(), provider.features.old(false));
        wire.map(Some).map_err(|error| unsent(provider, CALL, &error))
    };
    let news = connection.encode(inputs.clone(), provider.features.encoding(mode == Mode::Preview));
    let message = UpdateRequest {
        id: prior.id.clone(),
        urn: resource.urn.to_string(),
        name: resource.name().to_owned(),
        r#type: resource.ty().to_owned(),
        olds: old(&prior.outputs)?,
        old_inputs: old(&prior.inputs)?,
        news: Some(news.map_err(|error| unsent(provider, CALL, &error))?),
        timeout: seconds(timeout),
        ignore_changes: ignore_changes.to_vec(),
        preview: mode == Mode::Preview,
        ..UpdateRequest::default()
    };
    let answer = match connection.call(cx, CALL, connection.client().update(message)).await {
        Ok(answer) => answer,
        // Inputs that did not take effect are not kept: the next run shall see the same change again.
        Err(Failure { error, partial: Some(detail) }) => {
            return Err(partial(provider, CALL, *detail, prior, &inputs, error));
        }
        Err(Failure { error, partial: None }) => {
            return Err(ApplyFailure::Error { error: Box::new(error), last: Some(Box::new(prior)) });
        }
    };
    match outputs(provider, answer.properties, &inputs, mode) {
        Ok(outputs) => Ok(State {
            inputs,
            outputs,
            refresh_before_update: answer.refresh_before_update,
            init_errors: Vec::new(),
            ..prior
        }),
        Err(error) => Err(unread(provider, CALL, &error, Some(prior))),
    }
}

async fn delete(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    prior: State,
    timeout: Option<Duration>,
) -> Result<State, ApplyFailure> {
    const CALL: &str = "Delete";
    let connection = &provider.connection;
    let old = |properties: &PropertyMap| {
        let wire = connection.encode(properties.clone(), provider.features.old(false));
        wire.map(Some).map_err(|error| unsent(provider, CALL, &error))
    };
    let message = DeleteRequest {
        id: prior.id.clone(),
        urn: resource.urn.to_string(),
        name: resource.name().to_owned(),
        r#type: resource.ty().to_owned(),
        properties: old(&prior.outputs)?,
        old_inputs: old(&prior.inputs)?,
        timeout: seconds(timeout),
        ..DeleteRequest::default()
    };
    match connection.call(cx, CALL, connection.client().delete(message)).await {
        Ok(()) => Ok(State::default()),
        Err(failure) => Err(ApplyFailure::Error { error: Box::new(failure.error), last: Some(Box::new(prior)) }),
    }
}

/// The time limit in the plugins' form: seconds, 0 for none.
pub(crate) fn seconds(timeout: Option<Duration>) -> f64 {
    timeout.map_or(0.0, |timeout| timeout.as_secs_f64())
}

fn outputs(
    provider: &PulumiProvider,
    properties: Option<prost_types::Struct>,
    inputs: &PropertyMap,
    mode: Mode,
) -> Result<PropertyMap, EncodingError> {
    let unknowns = if mode == Mode::Preview { Unknowns::Keep } else { Unknowns::Reject };
    let mut outputs = decode(properties.unwrap_or_default(), Decoding { unknowns, outputs: false })?;
    if !provider.features.secrets {
        secrecy::annotate(&mut outputs, inputs);
    }
    Ok(outputs)
}

/// The resource exists but is not ready: the plugin's description of it becomes its state.
fn partial(
    provider: &PulumiProvider,
    call: &str,
    detail: ErrorResourceInitFailed,
    state: State,
    inputs: &PropertyMap,
    error: CallError,
) -> ApplyFailure {
    let mut reasons = detail.reasons;
    if reasons.is_empty() {
        reasons.push(error.message.clone());
    }
    let state = State { init_errors: reasons.clone(), refresh_before_update: detail.refresh_before_update, ..state };
    match outputs(provider, detail.properties, inputs, Mode::Real) {
        Ok(outputs) => {
            let state = Box::new(State { outputs, ..state });
            ApplyFailure::Partial { state, reasons, error: Box::new(error) }
        }
        Err(error) => unread(provider, call, &error, Some(state)),
    }
}

fn unsent(provider: &PulumiProvider, call: &str, error: &EncodingError) -> ApplyFailure {
    ApplyFailure::Error { error: Box::new(provider.connection.unsendable(call, error)), last: None }
}

fn unread(provider: &PulumiProvider, call: &str, error: &EncodingError, last: Option<State>) -> ApplyFailure {
    let error = Box::new(provider.connection.garbage(call, error));
    ApplyFailure::Error { error, last: last.map(Box::new) }
}
