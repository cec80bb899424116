//! What a provider has, without its schemas.

use std::collections::BTreeMap;

use outrigger_provider::{CallContext, CallError, ErrorKind};

use super::{Client, with_words};
use crate::report::reports;
use crate::schema::{Capabilities, Function, function_of};
use crate::{Metadata, Report, rpc, wire};

impl Client {
    /// GetMetadata; `None` from a provider that is older than the call.
    pub async fn metadata(&self, cx: &CallContext) -> Result<Option<Metadata>, CallError> {
        let answer = self.call(cx, &rpc::GET_METADATA, wire::Empty {}).await;
        let Some(answer): Option<wire::GetMetadataResponse> = if_supported(answer)? else { return Ok(None) };
        let names = |entries: Vec<wire::Named>| entries.into_iter().map(|entry| entry.name).collect();
        let can = answer.server_capabilities.unwrap_or_default();
        Ok(Some(Metadata {
            capabilities: Capabilities {
                plan_destroy: can.plan_destroy,
                schema_optional: can.get_provider_schema_optional,
                move_state: can.move_resource_state,
                generate_config: can.generate_resource_config,
            },
            resources: names(answer.resources),
            data_sources: names(answer.data_sources),
            functions: names(answer.functions),
            ephemeral: names(answer.ephemeral_resources),
            lists: names(answer.list_resources),
            actions: names(answer.actions),
            reports: reports(answer.diagnostics),
        }))
    }

    /// GetFunctions; none from a provider that is older than the call.
    pub async fn functions(&self, cx: &CallContext) -> Result<(BTreeMap<String, Function>, Vec<Report>), CallError> {
        let rpc = &rpc::GET_FUNCTIONS;
        let answer: Option<wire::GetFunctionsResponse> = if_supported(self.call(cx, rpc, wire::Empty {}).await)?;
        let answer = answer.unwrap_or_default();
        let reports = reports(answer.diagnostics);
        let mut functions = BTreeMap::new();
        for (name, bytes) in answer.functions {
            let function = function_of(&bytes);
            let function = function.map_err(|error| with_words(self.garbage(rpc, error.to_string()), &reports))?;
            functions.insert(name, function);
        }
        Ok((functions, reports))
    }
}

/// A provider that does not know a call says so: minor versions of the protocol are not negotiated.
pub(super) fn if_supported<T>(answer: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}
