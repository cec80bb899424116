//! Calls that a user makes by hand.

use outrigger_provider::{CallContext, CallError, ErrorKind};
use serde_json::json;
use serde_json::value::RawValue;

use super::context::{Context, Identities, Secrets, Subject};
use super::read::{object, plain, read};
use super::table::{CALLS, Call};
use super::write::shown;
use crate::schema::{Capabilities, Kind, Schemas, document};
use crate::{Client, rpc};

/// A call by its name, with its request as JSON.
#[derive(Clone, Copy, Debug)]
pub struct ByHand<'a> {
    /// The name of the call in protocol 6.
    pub name: &'a str,
    /// The request; `{}` if it is empty.
    pub request: &'a str,
    /// Whether secrets are shown in the answer.
    pub secrets: Secrets,
}

impl Client {
    /// Makes a call. Its answers are passed on as JSON; most calls have one.
    pub async fn by_hand(
        &self,
        cx: &CallContext,
        schemas: &Schemas,
        call: ByHand<'_>,
        each: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), CallError> {
        if call.name == rpc::GET_PROVIDER_SCHEMA.name {
            let (identities, _) = self.identity_schemas(cx).await?;
            let document = document(schemas, &identities, self.label());
            let mut document = document.map_err(|error| self.garbage(&rpc::GET_PROVIDER_SCHEMA, error.to_string()))?;
            let Capabilities { plan_destroy, schema_optional, move_state, generate_config } = schemas.capabilities();
            document["server_capabilities"] = json!({
                "plan_destroy": plan_destroy,
                "get_provider_schema_optional": schema_optional,
                "move_resource_state": move_state,
                "generate_resource_config": generate_config,
            });
            each(document.to_string());
            return Ok(());
        }
        let failed = |message| CallError::new(self.label(), call.name, ErrorKind::NotDone, message);
        let Some(known) = CALLS.iter().find(|known| known.rpc.name == call.name) else {
            let names = [rpc::GET_PROVIDER_SCHEMA.name].into_iter().chain(CALLS.iter().map(|known| known.rpc.name));
            return Err(CallError::no_such_call(self.label(), call.name, names));
        };
        // Only resources have identities, so a provider is not asked about them for anything else.
        let identities = match known.subject {
            Subject::Entry(Kind::Resource | Kind::List) => {
                let (schemas, _) = self.identity_schemas(cx).await?;
                schemas.into_iter().map(|(name, schema)| (name, schema.ty())).collect()
            }
            _ => Identities::new(),
        };
        let (request, context) = request(schemas, &identities, known, call)
            .map_err(|reason| failed(format!("the request was not sent: {reason}")))?;
        self.stream(cx, known.rpc, request.into(), |answer| each(shown(&answer, known.answer, &context))).await
    }
}

/// The request, and its subject, which one of its fields names.
fn request(
    schemas: &Schemas,
    identities: &Identities,
    call: &Call,
    by_hand: ByHand<'_>,
) -> Result<(Vec<u8>, Context), String> {
    let raw: &RawValue = serde_json::from_str(by_hand.request).map_err(|error| format!("it is not JSON: {error}"))?;
    let field = call.named_by().map_or("", |(_, field)| field);
    let name = object(raw).and_then(|members| plain::<String>(members.get(field).copied(), "a text"));
    let name = name.map_err(|error| error.to_string())?;
    let context = Context::new(schemas, identities, call.subject, &name, by_hand.secrets);
    let context = context.map_err(|error| error.to_string())?;
    match context.subject.is_some() || context.function.is_some() {
        false if name.is_empty() => Err(format!("`{field}` needs a name")),
        false => Err(format!("the provider has no `{name}`, which `{field}` names")),
        true => Ok((read(raw, call.request, &context).map_err(|error| error.to_string())?, context)),
    }
}
