//! Identities.

use std::collections::BTreeMap;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, ErrorKind};

use super::{Client, identity_bytes};
use crate::cty::Path;
use crate::report::{Severity, reports};
use crate::schema::IdentitySchema;
use crate::{Report, rpc, wire};

impl Client {
    /// GetResourceIdentitySchemas; empty for a provider that is older than the call. Providers work without identities, so faults of the answer
    /// are reports, beside the usable schemas. The call fails only if there is no answer.
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

    /// UpgradeResourceIdentity: converts a stored identity of a version, as JSON, to an encoded one of the schema's version.
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
            raw_identity: Some(wire::RawState { json }),
        };
        let answer: wire::UpgradeResourceIdentityResponse =
            self.call(cx, &rpc::UPGRADE_RESOURCE_IDENTITY, request).await?;
        Ok((identity_bytes(answer.upgraded_identity), reports(answer.diagnostics)))
    }
}
