//! Calls about one resource: Check, Diff, Create, Update, Delete.

use std::time::Duration;

use outrigger_provider::{
    Action, ApplyRequest, Autonaming, AutonamingMode, CallContext, CheckRequest, Diff, DiffKind, Outcome, PlanRequest,
    Planned, Provider, ResourceIdentity, State, Verdict,
};
use outrigger_value::{PropertyMap, Value};
use prost_types::Struct;
use tonic::Status;

use super::answer::{ANSWER, failure, failures, partial, undone, unreadable, unsendable};
use super::session::{Session, limit, urn};
use crate::encoding::{Decoding, Unknowns, decode, encode};
use crate::generated::pulumirpc::check_request::AutonamingOptions;
use crate::generated::pulumirpc::check_request::autonaming_options::Mode;
use crate::generated::pulumirpc::diff_response::DiffChanges;
use crate::generated::pulumirpc::property_diff::Kind;
use crate::generated::pulumirpc::{
    self, CheckResponse, CreateRequest, CreateResponse, DeleteRequest, DiffRequest, DiffResponse, PropertyDiff,
    UpdateRequest, UpdateResponse,
};

/// Properties from the engine; a preview keeps unknown values.
pub(super) fn properties(wire: Option<Struct>, unknowns: Unknowns) -> Result<PropertyMap, Status> {
    decode(wire.unwrap_or_default(), Decoding { unknowns, outputs: false }).map_err(|error| unreadable(&error))
}

/// Outside a preview everything is known.
fn in_mode(preview: bool) -> Unknowns {
    if preview { Unknowns::Keep } else { Unknowns::Reject }
}

pub(super) async fn check(
    session: &Session,
    cx: CallContext,
    request: pulumirpc::CheckRequest,
) -> Result<CheckResponse, Status> {
    let provider = session.expect_provider()?;
    let news = properties(request.news, Unknowns::Keep)?;
    let olds = properties(request.olds, Unknowns::Keep)?;
    let mut random_seed = [0; 32];
    for (seed, byte) in random_seed.iter_mut().zip(request.random_seed) {
        *seed = byte;
    }
    let request = CheckRequest {
        resource: ResourceIdentity::new(urn(&request.urn)?),
        // For a new resource, an engine sends nothing or an empty object.
        olds: (!olds.is_empty()).then_some(olds),
        preview: news.values().any(Value::contains_unknown),
        news,
        random_seed,
        autonaming: request.autonaming.map(autonaming),
    };
    let checked = provider.check(&cx, request).await.map_err(|error| failure(&error))?;
    let inputs = encode(checked.inputs, ANSWER).map_err(|error| unsendable(&error))?;
    Ok(CheckResponse { inputs: Some(inputs), failures: failures(checked.failures) })
}

fn autonaming(options: AutonamingOptions) -> Autonaming {
    let mode = match options.mode() {
        Mode::Propose => AutonamingMode::Propose,
        Mode::Enforce => AutonamingMode::Enforce,
        Mode::Disable => AutonamingMode::Disable,
    };
    Autonaming { proposed: options.proposed_name, mode }
}

pub(super) async fn diff(session: &Session, cx: CallContext, request: DiffRequest) -> Result<DiffResponse, Status> {
    let provider = session.expect_provider()?;
    let prior = State {
        id: request.id,
        inputs: properties(request.old_inputs, Unknowns::Keep)?,
        outputs: properties(request.olds, Unknowns::Keep)?,
        ..State::default()
    };
    let request = PlanRequest {
        resource: ResourceIdentity::new(urn(&request.urn)?),
        prior: Some(prior),
        inputs: Some(properties(request.news, Unknowns::Keep)?),
        ignore_changes: request.ignore_changes,
        predict: false,
        timeout: None,
    };
    let Planned { verdict, diff, .. } = provider.plan(&cx, request).await.map_err(|error| failure(&error))?;
    Ok(diff_response(diff, Some(verdict)))
}

/// A difference in Pulumi's form. The verdict takes precedence over it.
pub(super) fn diff_response(diff: Diff, verdict: Option<Verdict>) -> DiffResponse {
    let changed = match verdict {
        Some(Verdict::Same) => Some(false),
        Some(Verdict::Update | Verdict::Replace | Verdict::Create | Verdict::Delete) => Some(true),
        None => diff.changed,
    };
    let mut replaces = diff.replace_keys;
    let detailed = diff.detailed.unwrap_or_default();
    let told = !replaces.is_empty() || detailed.values().any(|property| property.kind.replaces());
    if verdict == Some(Verdict::Replace) && !told {
        // An engine replaces only for a named property; if none is the reason, the id is named.
        replaces = if diff.changed_keys.is_empty() { vec!["id".to_owned()] } else { diff.changed_keys.clone() };
    }
    let changes = match changed {
        None => DiffChanges::DiffUnknown,
        Some(false) => DiffChanges::DiffNone,
        Some(true) => DiffChanges::DiffSome,
    };
    DiffResponse {
        replaces,
        stables: diff.stable_keys,
        delete_before_replace: diff.delete_before_replace,
        changes: changes.into(),
        diffs: diff.changed_keys,
        has_detailed_diff: !detailed.is_empty(),
        detailed_diff: detailed
            .into_iter()
            .map(|(path, property)| {
                let kind = match property.kind {
                    DiffKind::Add => Kind::Add,
                    DiffKind::AddReplace => Kind::AddReplace,
                    DiffKind::Delete => Kind::Delete,
                    DiffKind::DeleteReplace => Kind::DeleteReplace,
                    DiffKind::Update => Kind::Update,
                    DiffKind::UpdateReplace => Kind::UpdateReplace,
                };
                (path, PropertyDiff { kind: kind.into(), input_diff: property.input })
            })
            .collect(),
    }
}

pub(super) async fn create(
    session: &Session,
    cx: CallContext,
    request: CreateRequest,
) -> Result<CreateResponse, Status> {
    let provider = session.expect_provider()?;
    let resource = ResourceIdentity::new(urn(&request.urn)?);
    let inputs = properties(request.properties, in_mode(request.preview))?;
    let timeout = limit(request.timeout);
    if request.preview {
        let outputs = predict(&*provider, &cx, resource, None, inputs, Vec::new(), timeout).await?;
        let properties = encode(outputs, ANSWER).map_err(|error| unsendable(&error))?;
        return Ok(CreateResponse { id: String::new(), properties: Some(properties), refresh_before_update: false });
    }
    let order =
        ApplyRequest { resource, action: Action::Create, prior: None, inputs, ignore_changes: Vec::new(), timeout };
    let state = carry_out(&*provider, &cx, order).await?;
    match encode(state.outputs.clone(), ANSWER) {
        Ok(properties) => Ok(CreateResponse {
            id: state.id,
            properties: Some(properties),
            refresh_before_update: state.refresh_before_update,
        }),
        // The resource exists anyway.
        Err(error) => Err(partial(state, vec![unsendable(&error).message().to_owned()])),
    }
}

pub(super) async fn update(
    session: &Session,
    cx: CallContext,
    request: UpdateRequest,
) -> Result<UpdateResponse, Status> {
    let provider = session.expect_provider()?;
    let resource = ResourceIdentity::new(urn(&request.urn)?);
    let inputs = properties(request.news, in_mode(request.preview))?;
    let timeout = limit(request.timeout);
    let prior = State {
        id: request.id,
        inputs: properties(request.old_inputs, Unknowns::Drop)?,
        outputs: properties(request.olds, Unknowns::Drop)?,
        ..State::default()
    };
    if request.preview {
        let outputs = predict(&*provider, &cx, resource, Some(prior), inputs, request.ignore_changes, timeout).await?;
        let properties = encode(outputs, ANSWER).map_err(|error| unsendable(&error))?;
        return Ok(UpdateResponse { properties: Some(properties), refresh_before_update: false });
    }
    let order = ApplyRequest {
        resource,
        action: Action::Update,
        prior: Some(prior),
        inputs,
        ignore_changes: request.ignore_changes,
        timeout,
    };
    let state = carry_out(&*provider, &cx, order).await?;
    match encode(state.outputs.clone(), ANSWER) {
        Ok(properties) => {
            Ok(UpdateResponse { properties: Some(properties), refresh_before_update: state.refresh_before_update })
        }
        Err(error) => Err(partial(state, vec![unsendable(&error).message().to_owned()])),
    }
}

pub(super) async fn delete(session: &Session, cx: CallContext, request: DeleteRequest) -> Result<(), Status> {
    let provider = session.expect_provider()?;
    let prior = State {
        id: request.id,
        inputs: properties(request.old_inputs, Unknowns::Drop)?,
        outputs: properties(request.properties, Unknowns::Drop)?,
        ..State::default()
    };
    let order = ApplyRequest {
        resource: ResourceIdentity::new(urn(&request.urn)?),
        action: Action::Delete,
        prior: Some(prior),
        inputs: PropertyMap::new(),
        ignore_changes: Vec::new(),
        timeout: limit(request.timeout),
    };
    carry_out(&*provider, &cx, order).await.map(|_| ())
}

/// The predicted state of a creation or an update.
async fn predict(
    provider: &dyn Provider,
    cx: &CallContext,
    resource: ResourceIdentity,
    prior: Option<State>,
    inputs: PropertyMap,
    ignore_changes: Vec<String>,
    timeout: Option<Duration>,
) -> Result<PropertyMap, Status> {
    let fallback = inputs.clone();
    let request = PlanRequest { resource, prior, inputs: Some(inputs), ignore_changes, predict: true, timeout };
    let planned = provider.plan(cx, request).await.map_err(|error| failure(&error))?;
    Ok(planned.predicted.unwrap_or(fallback))
}

/// Applies a change.
async fn carry_out(provider: &dyn Provider, cx: &CallContext, order: ApplyRequest) -> Result<State, Status> {
    match provider.apply(cx, order).await {
        Outcome::Done(state) => Ok(state),
        failed => Err(undone(failed)),
    }
}
