//! The effect of a change: Diff, and in a preview Create or Update with their preview flag.

use outrigger_provider::{CallContext, CallError, Diff, PlanRequest, Planned, ResourceIdentity, State, Verdict};
use outrigger_value::PropertyMap;

use crate::apply::{self, Mode};
use crate::difference;
use crate::encoding::Encoding;
use crate::generated::pulumirpc::DiffRequest;
use crate::provider::PulumiProvider;

/// Plans one change.
pub(crate) async fn plan(
    provider: &PulumiProvider,
    cx: &CallContext,
    request: PlanRequest,
) -> Result<Planned, CallError> {
    let PlanRequest { resource, prior, inputs, ignore_changes, predict, timeout } = request;
    let planned = |verdict, diff, predicted| Planned { verdict, diff, predicted };
    let Some(inputs) = inputs else { return Ok(planned(Verdict::Delete, Diff::default(), None)) };
    let Some(prior) = prior else {
        let predicted = match predict {
            true => Some(predict_creation(provider, cx, &resource, inputs, timeout).await?),
            false => None,
        };
        return Ok(planned(Verdict::Create, Diff::default(), predicted));
    };
    let diff = diff(provider, cx, &resource, &prior, &inputs, &ignore_changes).await?;
    let verdict = match (diff.changed, difference::replaces(&diff)) {
        (Some(true), true) => Verdict::Replace,
        (Some(true), false) => Verdict::Update,
        _ => Verdict::Same,
    };
    let predicted = match (predict, verdict) {
        (true, Verdict::Update) if provider.features.preview => {
            let answer =
                apply::update(provider, cx, &resource, prior, inputs, &ignore_changes, timeout, Mode::Preview).await;
            Some(answer.map_err(|failure| failure.error())?.outputs)
        }
        (true, Verdict::Update) => Some(inputs),
        (true, Verdict::Same) => Some(prior.outputs),
        _ => None,
    };
    Ok(planned(verdict, diff, predicted))
}

async fn predict_creation(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    inputs: PropertyMap,
    timeout: Option<std::time::Duration>,
) -> Result<PropertyMap, CallError> {
    if !provider.features.preview {
        return Ok(inputs);
    }
    let answer = apply::create(provider, cx, resource, inputs, timeout, Mode::Preview).await;
    Ok(answer.map_err(|failure| failure.error())?.outputs)
}

async fn diff(
    provider: &PulumiProvider,
    cx: &CallContext,
    resource: &ResourceIdentity,
    prior: &State,
    inputs: &PropertyMap,
    ignore_changes: &[String],
) -> Result<Diff, CallError> {
    const CALL: &str = "Diff";
    let connection = &provider.connection;
    // Unknown values are kept outside a preview too: the search for dependents of a replacement adds some.
    let how: Encoding = provider.features.old(true);
    let wire = |properties: &PropertyMap| {
        connection.encode(properties.clone(), how).map(Some).map_err(|error| connection.unsendable(CALL, &error))
    };
    let message = DiffRequest {
        id: prior.id.clone(),
        urn: resource.urn.to_string(),
        name: resource.name().to_owned(),
        r#type: resource.ty().to_owned(),
        olds: wire(&prior.outputs)?,
        old_inputs: wire(&prior.inputs)?,
        news: wire(inputs)?,
        ignore_changes: ignore_changes.to_vec(),
    };
    let answer = connection.call(cx, CALL, connection.client().diff(message)).await?;
    let mut diff = difference::read(answer);
    difference::conclude(&mut diff, &prior.inputs, inputs, ignore_changes);
    Ok(diff)
}
