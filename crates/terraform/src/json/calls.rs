//! Every call, with the messages of both sides and what it is about.

use prost::Message;

use super::context::Subject;
use super::messages::Request;
use super::part::Tell;
use crate::rpc::{self, Rpc};
use crate::schema::Kind;
use crate::wire::{
    ActionRequest, ApplyResourceChangeRequest, ApplyResourceChangeResponse, CallFunctionRequest, CallFunctionResponse,
    ConfigureProviderRequest, DiagnosticsIn1, Empty, EphemeralRequest, GenerateResourceConfigRequest,
    GenerateResourceConfigResponse, GetFunctionsResponse, GetMetadataResponse, GetResourceIdentitySchemasResponse,
    ImportResourceStateRequest, ImportResourceStateResponse, InvokeActionEvent, ListResourceEvent, ListResourceRequest,
    MoveResourceStateRequest, MoveResourceStateResponse, OpenEphemeralResourceResponse, PlanActionResponse,
    PlanResourceChangeRequest, PlanResourceChangeResponse, ReadDataSourceRequest, ReadDataSourceResponse,
    ReadResourceRequest, ReadResourceResponse, RenewEphemeralResourceResponse, StopProviderResponse,
    UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse, UpgradeResourceStateRequest,
    UpgradeResourceStateResponse, ValidateListResourceConfigRequest, ValidateProviderConfigRequest,
    ValidateProviderConfigResponse, ValidateRequest,
};

/// Who does something with a call and its messages.
pub(super) trait Visitor {
    type Output;

    fn visit<Q, A>(self, call: &'static Call) -> Self::Output
    where
        Q: Request + Message + Default + Send + Sync + 'static,
        A: Tell + Message + Default + Send + 'static;
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) rpc: &'static Rpc,
    pub(super) subject: Subject,
    /// There may be any number of answers.
    pub(super) streams: bool,
}

/// There is no call of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no call `{name}`; there are {}", NAMES.join(", "))]
pub struct NoSuchCall {
    /// What was asked for.
    pub name: String,
}

macro_rules! calls {
    ($($rpc:ident, $subject:expr, $question:ident => $answer:ident $(as $stream:ident)?;)*) => {
        const CALLS: &[Call] = &[$(Call {
            rpc: &rpc::$rpc,
            subject: $subject,
            streams: calls!(@streams $($stream)?),
        }),*];

        /// The names of all calls, as in protocol 6.
        const NAMES: &[&str] = &[rpc::GET_PROVIDER_SCHEMA.name $(, rpc::$rpc.name)*];

        /// Shows a call to a visitor; nothing where there is none that is chosen.
        pub(super) fn visit<V: Visitor>(visitor: V, chosen: impl Fn(&Rpc) -> bool) -> Option<V::Output> {
            let call = CALLS.iter().find(|call| chosen(call.rpc))?;
            $(if std::ptr::eq(call.rpc, &rpc::$rpc) {
                return Some(visitor.visit::<$question, $answer>(call));
            })*
            None
        }
    };
    (@streams) => { false };
    (@streams stream) => { true };
}

const RESOURCE: Subject = Subject::Entry(Kind::Resource);
const DATA: Subject = Subject::Entry(Kind::DataSource);
const EPHEMERAL: Subject = Subject::Entry(Kind::Ephemeral);
const LIST: Subject = Subject::Entry(Kind::List);
const ACTION: Subject = Subject::Entry(Kind::Action);

calls! {
    GET_METADATA, Subject::Provider, Empty => GetMetadataResponse;
    GET_RESOURCE_IDENTITY_SCHEMAS, Subject::Provider, Empty => GetResourceIdentitySchemasResponse;
    GET_FUNCTIONS, Subject::Provider, Empty => GetFunctionsResponse;
    VALIDATE_PROVIDER_CONFIG, Subject::Provider, ValidateProviderConfigRequest => ValidateProviderConfigResponse;
    CONFIGURE_PROVIDER, Subject::Provider, ConfigureProviderRequest => DiagnosticsIn1;
    STOP_PROVIDER, Subject::Provider, Empty => StopProviderResponse;
    VALIDATE_RESOURCE_CONFIG, RESOURCE, ValidateRequest => DiagnosticsIn1;
    UPGRADE_RESOURCE_STATE, RESOURCE, UpgradeResourceStateRequest => UpgradeResourceStateResponse;
    UPGRADE_RESOURCE_IDENTITY, RESOURCE, UpgradeResourceIdentityRequest => UpgradeResourceIdentityResponse;
    READ_RESOURCE, RESOURCE, ReadResourceRequest => ReadResourceResponse;
    PLAN_RESOURCE_CHANGE, RESOURCE, PlanResourceChangeRequest => PlanResourceChangeResponse;
    APPLY_RESOURCE_CHANGE, RESOURCE, ApplyResourceChangeRequest => ApplyResourceChangeResponse;
    IMPORT_RESOURCE_STATE, RESOURCE, ImportResourceStateRequest => ImportResourceStateResponse;
    GENERATE_RESOURCE_CONFIG, RESOURCE, GenerateResourceConfigRequest => GenerateResourceConfigResponse;
    MOVE_RESOURCE_STATE, RESOURCE, MoveResourceStateRequest => MoveResourceStateResponse;
    VALIDATE_DATA_RESOURCE_CONFIG, DATA, ValidateRequest => DiagnosticsIn1;
    READ_DATA_SOURCE, DATA, ReadDataSourceRequest => ReadDataSourceResponse;
    CALL_FUNCTION, Subject::Function, CallFunctionRequest => CallFunctionResponse;
    VALIDATE_EPHEMERAL_RESOURCE_CONFIG, EPHEMERAL, ValidateRequest => DiagnosticsIn1;
    OPEN_EPHEMERAL_RESOURCE, EPHEMERAL, ValidateRequest => OpenEphemeralResourceResponse;
    RENEW_EPHEMERAL_RESOURCE, EPHEMERAL, EphemeralRequest => RenewEphemeralResourceResponse;
    CLOSE_EPHEMERAL_RESOURCE, EPHEMERAL, EphemeralRequest => DiagnosticsIn1;
    VALIDATE_LIST_RESOURCE_CONFIG, LIST, ValidateListResourceConfigRequest => DiagnosticsIn1;
    LIST_RESOURCE, LIST, ListResourceRequest => ListResourceEvent as stream;
    VALIDATE_ACTION_CONFIG, ACTION, ActionRequest => DiagnosticsIn1;
    PLAN_ACTION, ACTION, ActionRequest => PlanActionResponse;
    INVOKE_ACTION, ACTION, ActionRequest => InvokeActionEvent as stream;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_one_entry() {
        for (index, name) in NAMES.iter().enumerate() {
            assert!(!NAMES[..index].contains(name), "{name}");
        }
        assert_eq!(NAMES.len(), CALLS.len() + 1);
        assert!(CALLS.iter().filter(|call| call.streams).count() == 2);
    }
}
