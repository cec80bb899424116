//! Identities, and what becomes of a resource of another type.

use std::collections::BTreeMap;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, ErrorKind};

use super::{Client, identity_bytes};
use crate::cty::{Path, Value};
use crate::report::{Severity, reports};
use crate::schema::IdentitySchema;
use crate::{Handle, Moved, Report, Source, Stored, rpc, wire};

impl Client {
    /// GetResourceIdentitySchemas; none from a provider that is older than the call. A provider can do without: what is wrong with its
    /// answer is in the reports, beside the schemas that can be used. It fails only where there is no answer.
    pub async fn identity_schemas(
        &self,
        cx: &CallContext,
    ) -> Result<(BTreeMap<String, IdentitySchema>, Vec<Report>), CallError> {
        let rpc = &rpc::GET_RESOURCE_IDENTITY_SCHEMAS;
        let unusable = |summary: String| Report {
            severity: Severity::Error,
            summary,
            detail: String::new(),
            path: Path::default(),
        };
        let answer: wire::GetResourceIdentitySchemasResponse = match self.call(cx, rpc, wire::Empty {}).await {
            Ok(answer) => answer,
            Err(error) => match error.kind {
                ErrorKind::Unsupported => return Ok(Default::default()),
                ErrorKind::NotDone | ErrorKind::Unknown | ErrorKind::Garbage => {
                    return Ok((BTreeMap::new(), vec![unusable(error.to_string())]));
                }
                ErrorKind::Crashed | ErrorKind::TimedOut | ErrorKind::Cancelled => return Err(error),
            },
        };
        let mut reports = reports(answer.diagnostics);
        let mut schemas = BTreeMap::new();
        for (name, schema) in answer.identity_schemas {
            match IdentitySchema::try_from(schema) {
                Ok(schema) => drop(schemas.insert(name, schema)),
                Err(error) => reports.push(unusable(format!("the identity of `{name}` cannot be understood: {error}"))),
            }
        }
        Ok((schemas, reports))
    }

    /// UpgradeResourceIdentity: a stored identity of a version, as JSON, becomes one of the schema's version, encoded.
    pub async fn upgrade_identity(
        &self,
        cx: &CallContext,
        type_name: &str,
        version: i64,
        json: Bytes,
    ) -> Result<(Bytes, Vec<Report>), CallError> {
        let request = wire::UpgradeResourceIdentityRequest {
            type_name: type_name.to_owned(),
            version,
            raw_identity: Some(raw(json)),
        };
        let answer: wire::UpgradeResourceIdentityResponse =
            self.call(cx, &rpc::UPGRADE_RESOURCE_IDENTITY, request).await?;
        Ok((identity_bytes(answer.upgraded_identity), reports(answer.diagnostics)))
    }

    /// MoveResourceState: a resource of another type, perhaps of another provider, becomes one of this type.
    pub async fn move_state(&self, cx: &CallContext, target: &Handle, source: Source) -> Result<Moved, CallError> {
        let rpc = &rpc::MOVE_RESOURCE_STATE;
        let request = wire::MoveResourceStateRequest {
            source_provider_address: source.provider,
            source_type_name: source.type_name,
            source_schema_version: source.version,
            source_state: Some(raw(source.state)),
            target_type_name: target.name.to_string(),
            source_private: source.private,
            source_identity: source.identity.as_ref().map(|(_, identity)| raw(identity.clone())),
            source_identity_schema_version: source.identity.map(|(version, _)| version).unwrap_or_default(),
        };
        let answer: wire::MoveResourceStateResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        let stored = Stored {
            state: self.decode_beside(&reports, rpc, answer.target_state.as_ref(), &target.ty)?,
            private: answer.target_private,
            identity: identity_bytes(answer.target_identity),
        };
        Ok(Moved { stored, reports })
    }

    /// GenerateResourceConfig: a configuration that would make what exists.
    pub async fn generate_config(
        &self,
        cx: &CallContext,
        resource: &Handle,
        state: &Value,
    ) -> Result<(Value, Vec<Report>), CallError> {
        let rpc = &rpc::GENERATE_RESOURCE_CONFIG;
        let state = Some(self.encode(rpc, state, &resource.ty)?);
        let request = wire::GenerateResourceConfigRequest { type_name: resource.name.to_string(), state };
        let answer: wire::GenerateResourceConfigResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        Ok((self.decode_beside(&reports, rpc, answer.config.as_ref(), &resource.ty)?, reports))
    }
}

fn raw(json: Bytes) -> wire::RawState {
    wire::RawState { json, ..wire::RawState::default() }
}
