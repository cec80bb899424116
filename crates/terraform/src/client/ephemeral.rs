//! Ephemeral resources: what exists as long as it is needed, and is never stored.

use std::time::SystemTime;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError};
use prost_types::Timestamp;

use super::{CAPABILITIES, Client};
use crate::cty::Value;
use crate::report::reports;
use crate::{Handle, Leased, Report, rpc, wire};

impl Client {
    /// ValidateEphemeralResourceConfig.
    pub async fn validate_ephemeral(
        &self,
        cx: &CallContext,
        resource: &Handle,
        config: &Value,
    ) -> Result<Vec<Report>, CallError> {
        self.validate(cx, &rpc::VALIDATE_EPHEMERAL_RESOURCE_CONFIG, resource, config, None).await
    }

    /// OpenEphemeralResource. What is opened has to be closed.
    pub async fn open_ephemeral(
        &self,
        cx: &CallContext,
        resource: &Handle,
        config: &Value,
    ) -> Result<Leased, CallError> {
        let rpc = &rpc::OPEN_EPHEMERAL_RESOURCE;
        let request = wire::ValidateRequest {
            type_name: resource.name.to_string(),
            config: Some(self.encode(rpc, config, &resource.ty)?),
            client_capabilities: Some(CAPABILITIES),
        };
        let answer: wire::OpenEphemeralResourceResponse = self.call(cx, rpc, request).await?;
        let reports = reports(answer.diagnostics);
        Ok(Leased {
            value: self.decode_beside(&reports, rpc, answer.result.as_ref(), &resource.ty)?,
            renew_at: answer.renew_at.and_then(time),
            private: answer.private,
            deferred: answer.deferred.is_some(),
            reports,
        })
    }

    /// RenewEphemeralResource: when to renew it next, and the provider's bytes from now on.
    pub async fn renew_ephemeral(
        &self,
        cx: &CallContext,
        type_name: &str,
        private: Option<Bytes>,
    ) -> Result<(Option<SystemTime>, Option<Bytes>, Vec<Report>), CallError> {
        let request = wire::EphemeralRequest { type_name: type_name.to_owned(), private };
        let answer: wire::RenewEphemeralResourceResponse =
            self.call(cx, &rpc::RENEW_EPHEMERAL_RESOURCE, request).await?;
        Ok((answer.renew_at.and_then(time), answer.private, reports(answer.diagnostics)))
    }

    /// CloseEphemeralResource.
    pub async fn close_ephemeral(
        &self,
        cx: &CallContext,
        type_name: &str,
        private: Option<Bytes>,
    ) -> Result<Vec<Report>, CallError> {
        let request = wire::EphemeralRequest { type_name: type_name.to_owned(), private };
        let answer: wire::DiagnosticsIn1 = self.call(cx, &rpc::CLOSE_EPHEMERAL_RESOURCE, request).await?;
        Ok(reports(answer.diagnostics))
    }
}

/// A time that this machine cannot name counts as none.
fn time(timestamp: Timestamp) -> Option<SystemTime> {
    SystemTime::try_from(timestamp).ok()
}
