//! A running provider, and its calls. Those of later versions of the protocol are in files of their own.

mod identity;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_transport::caller::{Caller, Failed};
use outrigger_transport::channel::{Channel, MESSAGE_LIMIT};
use outrigger_transport::codec::{RawCodec, SmallCodec};
use prost::Message;
use tonic::client::Grpc;
use tonic::{Request, Response};

use crate::cty::{self, Type, Value};
use crate::report::reports;
use crate::rpc::{self, Rpc};
use crate::schema::Schemas;
use crate::wire::{self, DynamicValue};
use crate::{Applied, ApplyQuestion, Handle, Imported, PlanAnswer, PlanQuestion, Protocol, ReadAnswer, Report, Stored};

/// The features that this client supports. Deferral is not among them.
pub(crate) const CAPABILITIES: wire::ClientCapabilities =
    wire::ClientCapabilities { deferral_allowed: false, write_only_attributes_allowed: true };

/// A connected provider.
pub struct Client {
    channel: Grpc<Channel>,
    protocol: Protocol,
    caller: Caller,
}

impl Client {
    /// Speaks a protocol over a channel.
    pub fn new(channel: Channel, protocol: Protocol, caller: Caller) -> Self {
        let channel = outrigger_transport::limited!(Grpc::new(channel));
        Self { channel, protocol, caller }
    }

    /// The provider's name and version.
    pub fn label(&self) -> &str {
        self.caller.label()
    }

    /// The protocol that it speaks.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// GetProviderSchema: all of the provider's schemas. Old providers need this call once in each process.
    pub async fn schemas(&self, cx: &CallContext) -> Result<Schemas, CallError> {
        let rpc = &rpc::GET_PROVIDER_SCHEMA;
        let mut channel = self.channel.clone();
        let call = channel.unary(Request::new(Bytes::new()), rpc.path(self.protocol), RawCodec);
        let raw = self.answered(rpc, self.caller.call(cx, rpc.name, call).await)?;
        Schemas::index(raw.clone(), self.protocol).map_err(|error| {
            let said = wire::DiagnosticsIn4::decode(raw).unwrap_or_default();
            with_words(self.garbage(rpc, error.to_string()), &reports(said.diagnostics))
        })
    }

    /// ValidateProviderConfig. Protocol 5 also returns a prepared configuration, which no host uses.
    pub async fn validate_provider(
        &self,
        cx: &CallContext,
        config: &Value,
        ty: &Type,
    ) -> Result<Vec<Report>, CallError> {
        let rpc = &rpc::VALIDATE_PROVIDER_CONFIG;
        let request = wire::ValidateProviderConfigRequest { config: Some(self.encode(rpc, config, ty)?) };
        let answer: wire::DiagnosticsIn2 = self.call(cx, rpc, request).await?;
        Ok(reports(answer.diagnostics))
    }

    /// ConfigureProvider, with the version of Terraform that the provider sees.
    pub async fn configure(
        &self,
        cx: &CallContext,
        version: &str,
        config: &Value,
        ty: &Type,
    ) -> Result<Vec<Report>, CallError> {
        let rpc = &rpc::CONFIGURE_PROVIDER;
        let request = wire::ConfigureProviderRequest {
            terraform_version: version.to_owned(),
            config: Some(self.encode(rpc, config, ty)?),
            client_capabilities: Some(CAPABILITIES),
        };
        let answer: wire::DiagnosticsIn1 = self.call(cx, rpc, request).await?;
        Ok(reports(answer.diagnostics))
    }

    /// StopProvider: running calls shall end soon.
    pub async fn stop(&self, cx: &CallContext) -> Result<(), CallError> {
        let rpc = &rpc::STOP_PROVIDER;
        let answer: wire::StopProviderResponse = self.call(cx, rpc, wire::Empty {}).await?;
        if answer.error.is_empty() {
            Ok(())
        } else {
            Err(self.caller.error(rpc.name, ErrorKind::Unknown, answer.error))
        }
    }

    /// ValidateResourceConfig.
    pub async fn validate_resource(
        &self,
        cx: &CallContext,
        resource: &Handle,
        config: &Value,
    ) -> Result<Vec<Report>, CallError> {
        self.validate(cx, &rpc::VALIDATE_RESOURCE_CONFIG, resource, config, Some(CAPABILITIES)).await
    }

    /// ValidateDataResourceConfig.
    pub async fn validate_data(
        &self,
        cx: &CallContext,
        source: &Handle,
        config: &Value,
    ) -> Result<Vec<Report>, CallError> {
        self.validate(cx, &rpc::VALIDATE_DATA_RESOURCE_CONFIG, source, config, None).await
    }

    /// UpgradeResourceState: converts stored state of a version, as JSON, to state of the schema's version.
    pub async fn upgrade(
        &self,
        cx: &CallContext,
        resource: &Handle,
        version: i64,
        json: Bytes,
    ) -> Result<(Value, Vec<Report>), CallError> {
        let rpc = &rpc::UPGRADE_RESOURCE_STATE;
        let request = wire::UpgradeResourceStateRequest {
            type_name: resource.name.to_string(),
            version,
            raw_state: Some(wire::RawState { json }),
        };
        let answer: wire::UpgradeResourceStateResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        Ok((self.decode_beside(&reports, rpc, answer.upgraded_state.as_ref(), &resource.ty)?, reports))
    }

    /// ReadResource: the resource as it is now. A null state means that it is gone.
    pub async fn read(&self, cx: &CallContext, resource: &Handle, current: &Stored) -> Result<ReadAnswer, CallError> {
        let rpc = &rpc::READ_RESOURCE;
        let request = wire::ReadResourceRequest {
            type_name: resource.name.to_string(),
            current_state: Some(self.encode(rpc, &current.state, &resource.ty)?),
            private: current.private.clone(),
            client_capabilities: Some(CAPABILITIES),
            current_identity: identity_of(&current.identity),
        };
        let answer: wire::ReadResourceResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let stored = Stored {
            state: self.decode_beside(&reports, rpc, answer.new_state.as_ref(), &resource.ty)?,
            private: answer.private,
            identity: identity_bytes(answer.new_identity),
        };
        Ok(ReadAnswer { stored, reports, deferred: answer.deferred.is_some() })
    }

    /// PlanResourceChange.
    pub async fn plan(
        &self,
        cx: &CallContext,
        resource: &Handle,
        question: &PlanQuestion<'_>,
    ) -> Result<PlanAnswer, CallError> {
        let rpc = &rpc::PLAN_RESOURCE_CHANGE;
        let request = wire::PlanResourceChangeRequest {
            type_name: resource.name.to_string(),
            prior_state: Some(self.encode(rpc, question.prior, &resource.ty)?),
            proposed_new_state: Some(self.encode(rpc, question.proposed, &resource.ty)?),
            config: Some(self.encode(rpc, question.config, &resource.ty)?),
            prior_private: question.prior_private.clone(),
            client_capabilities: Some(CAPABILITIES),
            prior_identity: identity_of(question.prior_identity),
        };
        let answer: wire::PlanResourceChangeResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let planned = answer.planned_state.unwrap_or_default();
        Ok(PlanAnswer {
            planned: self.decode_beside(&reports, rpc, Some(&planned), &resource.ty)?,
            encoded: planned.msgpack,
            requires_replace: answer.requires_replace.into_iter().map(Into::into).collect(),
            private: answer.planned_private,
            identity: identity_bytes(answer.planned_identity),
            legacy: answer.legacy_type_system,
            deferred: answer.deferred.is_some(),
            reports,
        })
    }

    /// ApplyResourceChange. The answer's state is valid even if there are errors.
    pub async fn apply(
        &self,
        cx: &CallContext,
        resource: &Handle,
        question: &ApplyQuestion<'_>,
    ) -> Result<Applied, CallError> {
        let rpc = &rpc::APPLY_RESOURCE_CHANGE;
        let request = wire::ApplyResourceChangeRequest {
            type_name: resource.name.to_string(),
            prior_state: Some(self.encode(rpc, question.prior, &resource.ty)?),
            planned_state: Some(self.encode(rpc, question.planned, &resource.ty)?),
            config: Some(self.encode(rpc, question.config, &resource.ty)?),
            planned_private: question.planned_private.clone(),
            planned_identity: identity_of(question.planned_identity),
        };
        let answer: wire::ApplyResourceChangeResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let state = self.decode_beside(&reports, rpc, answer.new_state.as_ref(), &resource.ty)?;
        let stored = Stored { state, private: answer.private, identity: identity_bytes(answer.new_identity) };
        Ok(Applied { stored, legacy: answer.legacy_type_system, reports })
    }

    /// ImportResourceState, by id. The answer may contain resources of other types of the provider, without their states.
    pub async fn import(
        &self,
        cx: &CallContext,
        resource: &Handle,
        id: &str,
    ) -> Result<(Vec<Imported>, Vec<Report>), CallError> {
        let rpc = &rpc::IMPORT_RESOURCE_STATE;
        let request = wire::ImportResourceStateRequest {
            type_name: resource.name.to_string(),
            id: id.to_owned(),
            client_capabilities: Some(CAPABILITIES),
        };
        let answer: wire::ImportResourceStateResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let mut imported = Vec::new();
        for found in answer.imported_resources {
            // A resource of another type is included for tools that can use it; its schema is not known here.
            let state = if found.type_name == *resource.name {
                self.decode_beside(&reports, rpc, found.state.as_ref(), &resource.ty)?
            } else {
                Value::Null
            };
            let stored = Stored { state, private: found.private, identity: identity_bytes(found.identity) };
            imported.push(Imported { type_name: found.type_name, stored });
        }
        Ok((imported, reports))
    }

    /// ReadDataSource: the state that was read, and whether the provider defers its answer. The configuration must be wholly known.
    pub async fn read_data(
        &self,
        cx: &CallContext,
        source: &Handle,
        config: &Value,
    ) -> Result<(Value, bool, Vec<Report>), CallError> {
        let rpc = &rpc::READ_DATA_SOURCE;
        let request = wire::ReadDataSourceRequest {
            type_name: source.name.to_string(),
            config: Some(self.encode(rpc, config, &source.ty)?),
            client_capabilities: Some(CAPABILITIES),
        };
        let answer: wire::ReadDataSourceResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let state = self.decode_beside(&reports, rpc, answer.state.as_ref(), &source.ty)?;
        Ok((state, answer.deferred.is_some(), reports))
    }

    /// CallFunction: the result, or the text of an error and the argument that it is about.
    pub async fn call_function(
        &self,
        cx: &CallContext,
        name: &str,
        arguments: &[(Value, Type)],
        result: &Type,
    ) -> Result<Result<Value, (String, Option<i64>)>, CallError> {
        let rpc = &rpc::CALL_FUNCTION;
        let arguments = arguments.iter().map(|(value, ty)| self.encode(rpc, value, ty));
        let request =
            wire::CallFunctionRequest { name: name.to_owned(), arguments: arguments.collect::<Result<_, _>>()? };
        let answer: wire::CallFunctionResponse = self.call(cx, rpc, request).await?;
        match answer.error {
            Some(error) => Ok(Err((error.text, error.function_argument))),
            None => self.decode(rpc, answer.result.as_ref(), result).map(Ok),
        }
    }

    pub(crate) async fn validate(
        &self,
        cx: &CallContext,
        rpc: &'static Rpc,
        handle: &Handle,
        config: &Value,
        client_capabilities: Option<wire::ClientCapabilities>,
    ) -> Result<Vec<Report>, CallError> {
        let config = Some(self.encode(rpc, config, &handle.ty)?);
        let request = wire::ValidateRequest { type_name: handle.name.to_string(), config, client_capabilities };
        let answer: wire::DiagnosticsIn1 = self.call(cx, rpc, request).await?;
        Ok(reports(answer.diagnostics))
    }

    pub(crate) async fn call<Q, A>(&self, cx: &CallContext, rpc: &'static Rpc, request: Q) -> Result<A, CallError>
    where
        Q: Message + Send + 'static,
        A: Message + Default + Send + 'static,
    {
        let mut channel = self.channel.clone();
        let call = channel.unary(Request::new(request), rpc.path(self.protocol), SmallCodec::<Q, A>::default());
        self.answered(rpc, self.caller.call(cx, rpc.name, call).await)
    }

    /// A call with any number of answers, each passed on as it arrives.
    pub(crate) async fn stream(
        &self,
        cx: &CallContext,
        rpc: &'static Rpc,
        request: Bytes,
        mut each: impl FnMut(Bytes) + Send,
    ) -> Result<(), CallError> {
        let mut channel = self.channel.clone();
        let path = rpc.path(self.protocol);
        let call = async move {
            let mut answers = channel.server_streaming(Request::new(request), path, RawCodec).await?.into_inner();
            while let Some(answer) = answers.message().await? {
                each(answer);
            }
            Ok(Response::new(()))
        };
        self.answered(rpc, self.caller.call(cx, rpc.name, call).await)
    }

    pub(crate) fn answered<T>(&self, rpc: &Rpc, answer: Result<T, Failed>) -> Result<T, CallError> {
        answer.map_err(|failed| match failed {
            Failed::Unanswered(error) => error,
            Failed::Answered(status) => self.caller.read(rpc.name, &status),
        })
    }

    pub(crate) fn encode(&self, rpc: &Rpc, value: &Value, ty: &Type) -> Result<DynamicValue, CallError> {
        let bytes = cty::encode(value, ty).map_err(|error| {
            self.caller.error(rpc.name, ErrorKind::NotDone, format!("the request was not sent: {error}"))
        })?;
        Ok(DynamicValue { msgpack: bytes.into(), json: Bytes::new() })
    }

    /// Decodes a value; no bytes at all mean null, as in the original.
    pub(crate) fn decode(&self, rpc: &Rpc, value: Option<&DynamicValue>, ty: &Type) -> Result<Value, CallError> {
        let decoded = match value {
            Some(value) if !value.msgpack.is_empty() => cty::decode(&value.msgpack, ty),
            Some(value) if !value.json.is_empty() => cty::from_json(&value.json, ty),
            _ => return Ok(Value::Null),
        };
        decoded.map_err(|error| self.garbage(rpc, format!("the answer cannot be understood: {error}")))
    }

    /// Decodes a value that came with reports. If it cannot be decoded, they may give the reason, so the error contains them.
    pub(crate) fn decode_beside(
        &self,
        reports: &[Report],
        rpc: &Rpc,
        value: Option<&DynamicValue>,
        ty: &Type,
    ) -> Result<Value, CallError> {
        self.decode(rpc, value, ty).map_err(|error| with_words(error, reports))
    }

    pub(crate) fn garbage(&self, rpc: &Rpc, message: String) -> CallError {
        self.caller.error(rpc.name, ErrorKind::Garbage, message)
    }
}

/// Adds the reports of the same answer to an error.
pub(crate) fn with_words(mut error: CallError, reports: &[Report]) -> CallError {
    for report in reports {
        error.message.push_str(&format!("\nthe provider reported: {report}"));
    }
    error
}

/// An identity is sent exactly as it was received.
pub(crate) fn identity_of(bytes: &Bytes) -> Option<wire::IdentityData> {
    let value = || DynamicValue { msgpack: bytes.clone(), json: Bytes::new() };
    (!bytes.is_empty()).then(|| wire::IdentityData { identity_data: Some(value()) })
}

pub(crate) fn identity_bytes(identity: Option<wire::IdentityData>) -> Bytes {
    identity.and_then(|identity| identity.identity_data).map(|value| value.msgpack).unwrap_or_default()
}

/// Larger than any message that a provider sends, so that none is refused for its size.
const _: () = assert!(MESSAGE_LIMIT > 300 * 1024 * 1024);
