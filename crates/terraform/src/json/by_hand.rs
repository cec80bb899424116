//! Calls that a person makes.

use std::future::Future;
use std::pin::Pin;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use prost::Message;
use serde_json::json;
use serde_json::value::RawValue;

use super::calls::{self, Call, NoSuchCall, Visitor};
use super::context::{Context, Identities, Role, Secrets, Subject};
use super::messages::Request;
use super::part::{Given, Tell};
use super::transcript::told;
use crate::schema::{Capabilities, Kind, Schemas, document};
use crate::{Client, rpc};

/// A call by its name, with its request as JSON.
#[derive(Clone, Copy, Debug)]
pub struct ByHand<'a> {
    /// The name of the call in protocol 6.
    pub name: &'a str,
    /// The request; `{}` where nothing is to be said.
    pub request: &'a str,
    /// Whether secrets are shown in the answer.
    pub secrets: Secrets,
}

impl Client {
    /// Makes a call. Its answers are handed over as JSON; most calls have one.
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
        let making = Making { client: self, cx, schemas, call, each };
        match calls::visit(making, |rpc| rpc.name == call.name) {
            Some(answered) => answered.await,
            None => {
                let error = NoSuchCall { name: call.name.to_owned() };
                Err(CallError::new(self.label(), call.name, ErrorKind::NotDone, error.to_string()))
            }
        }
    }

    async fn identity_types(&self, cx: &CallContext) -> Result<Identities, CallError> {
        let (schemas, _) = self.identity_schemas(cx).await?;
        Ok(schemas.into_iter().map(|(name, schema)| (name, schema.ty())).collect())
    }
}

struct Making<'a> {
    client: &'a Client,
    cx: &'a CallContext,
    schemas: &'a Schemas,
    call: ByHand<'a>,
    each: &'a mut (dyn FnMut(String) + Send),
}

impl<'a> Visitor for Making<'a> {
    type Output = Pin<Box<dyn Future<Output = Result<(), CallError>> + Send + 'a>>;

    fn visit<Q, A>(self, call: &'static Call) -> Self::Output
    where
        Q: Request + Message + Default + Send + Sync + 'static,
        A: Tell + Message + Default + Send + 'static,
    {
        Box::pin(self.made::<Q, A>(call))
    }
}

impl Making<'_> {
    async fn made<Q, A>(self, call: &'static Call) -> Result<(), CallError>
    where
        Q: Request + Message + Default + Send + Sync + 'static,
        A: Tell + Message + Default + Send + 'static,
    {
        let Self { client, cx, schemas, call: by_hand, each } = self;
        // Only resources have identities; a provider is not asked about them for anything else.
        let identities = match call.subject {
            Subject::Entry(Kind::Resource | Kind::List) => client.identity_types(cx).await?,
            _ => Identities::new(),
        };
        let wrong = |reason: String| {
            let message = format!("the request was not sent: {reason}");
            CallError::new(client.label(), call.rpc.name, ErrorKind::NotDone, message)
        };
        let context = context::<Q>(schemas, &identities, call, by_hand).map_err(wrong)?;
        let raw: &RawValue = serde_json::from_str(by_hand.request).map_err(|error| wrong(error.to_string()))?;
        let request = Q::ask(Some(raw), Role::Subject, &context).map_err(|error| wrong(error.to_string()))?;
        if call.streams {
            return client.stream(cx, call.rpc, request, |answer: A| each(told(&answer, &context))).await;
        }
        let answer: A = client.call(cx, call.rpc, request).await?;
        each(told(&answer, &context));
        Ok(())
    }
}

/// What the request is about, which one of its fields names.
fn context<Q: Request>(
    schemas: &Schemas,
    identities: &Identities,
    call: &Call,
    by_hand: ByHand<'_>,
) -> Result<Context, String> {
    let raw: &RawValue = serde_json::from_str(by_hand.request).map_err(|error| format!("it is not JSON: {error}"))?;
    let blind = Context::blind(by_hand.secrets);
    let name: String = match Q::NAMED_BY {
        "" => String::new(),
        field => Given::new(Some(raw))
            .and_then(|mut given| given.take(field, Role::Subject, &blind))
            .map_err(|error| error.to_string())?,
    };
    let context = Context::new(schemas, identities, call.subject, &name, by_hand.secrets);
    let context = context.map_err(|error| error.to_string())?;
    let known = context.subject.is_some() || context.function.is_some();
    match Q::NAMED_BY {
        field if !known && name.is_empty() => Err(format!("`{field}` has to name what it is about")),
        field if !known => Err(format!("the provider has no `{name}`, which `{field}` names")),
        _ => Ok(context),
    }
}
