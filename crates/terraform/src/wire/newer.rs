//! Messages of calls that came with later minor versions: metadata, identities, moves, functions, ephemeral resources, lists, actions.

use std::collections::HashMap;

use bytes::Bytes;
use prost::{Message, Oneof};
use prost_types::Timestamp;

use super::{ClientCapabilities, Deferred, Diagnostic, DynamicValue, IdentityData, RawState};

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ServerCapabilities {
    #[prost(bool, tag = "1")]
    pub(crate) plan_destroy: bool,
    #[prost(bool, tag = "2")]
    pub(crate) get_provider_schema_optional: bool,
    #[prost(bool, tag = "3")]
    pub(crate) move_resource_state: bool,
    #[prost(bool, tag = "4")]
    pub(crate) generate_resource_config: bool,
}

/// An entry of GetMetadata: a type's name, or a function's.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Named {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
}

/// In protocol 5, Terraform's own text has `actions` as 8; providers are made with HashiCorp's library, which has 9 in both.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetMetadataResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) server_capabilities: Option<ServerCapabilities>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) data_sources: Vec<Named>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) resources: Vec<Named>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) functions: Vec<Named>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) ephemeral_resources: Vec<Named>,
    #[prost(message, repeated, tag = "7")]
    pub(crate) list_resources: Vec<Named>,
    #[prost(message, repeated, tag = "9")]
    pub(crate) actions: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IdentityAttribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) r#type: Bytes,
    #[prost(bool, tag = "3")]
    pub(crate) required_for_import: bool,
    #[prost(bool, tag = "4")]
    pub(crate) optional_for_import: bool,
    #[prost(string, tag = "5")]
    pub(crate) description: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IdentitySchema {
    #[prost(int64, tag = "1")]
    pub(crate) version: i64,
    #[prost(message, repeated, tag = "2")]
    pub(crate) identity_attributes: Vec<IdentityAttribute>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetResourceIdentitySchemasResponse {
    #[prost(map = "string, message", tag = "1")]
    pub(crate) identity_schemas: HashMap<String, IdentitySchema>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceIdentityRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
    #[prost(message, optional, tag = "3")]
    pub(crate) raw_identity: Option<RawState>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceIdentityResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) upgraded_identity: Option<IdentityData>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MoveResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) source_provider_address: String,
    #[prost(string, tag = "2")]
    pub(crate) source_type_name: String,
    #[prost(int64, tag = "3")]
    pub(crate) source_schema_version: i64,
    #[prost(message, optional, tag = "4")]
    pub(crate) source_state: Option<RawState>,
    #[prost(string, tag = "5")]
    pub(crate) target_type_name: String,
    #[prost(bytes = "bytes", tag = "6")]
    pub(crate) source_private: Bytes,
    #[prost(message, optional, tag = "7")]
    pub(crate) source_identity: Option<RawState>,
    #[prost(int64, tag = "8")]
    pub(crate) source_identity_schema_version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MoveResourceStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) target_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) target_private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) target_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenerateResourceConfigRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) state: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GenerateResourceConfigResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The functions are left as they came: [`crate::schema`] reads them.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetFunctionsResponse {
    #[prost(map = "string, bytes", tag = "1")]
    pub(crate) functions: HashMap<String, Bytes>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpenEphemeralResourceResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub(crate) renew_at: Option<Timestamp>,
    #[prost(message, optional, tag = "3")]
    pub(crate) result: Option<DynamicValue>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(crate) private: Option<Bytes>,
    #[prost(message, optional, tag = "5")]
    pub(crate) deferred: Option<Deferred>,
}

/// The question of RenewEphemeralResource and CloseEphemeralResource.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct EphemeralRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(crate) private: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RenewEphemeralResourceResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub(crate) renew_at: Option<Timestamp>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(crate) private: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bool, tag = "3")]
    pub(crate) include_resource_object: bool,
    #[prost(int64, tag = "4")]
    pub(crate) limit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ListResourceEvent {
    #[prost(message, optional, tag = "1")]
    pub(crate) identity: Option<IdentityData>,
    #[prost(string, tag = "2")]
    pub(crate) display_name: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) resource_object: Option<DynamicValue>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) diagnostic: Vec<Diagnostic>,
}

/// Where a list is made, both settings are plain; where it is checked, they may be unknown.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateListResourceConfigRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) include_resource_object: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) limit: Option<DynamicValue>,
}

/// The question of PlanAction and InvokeAction, and of ValidateActionConfig, which has no capabilities.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionRequest {
    #[prost(string, tag = "1")]
    pub(crate) action_type: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanActionResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub(crate) deferred: Option<Deferred>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct InvokeActionEvent {
    #[prost(oneof = "ActionEvent", tags = "1, 2")]
    pub(crate) event: Option<ActionEvent>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum ActionEvent {
    #[prost(message, tag = "1")]
    Progress(ActionProgress),
    #[prost(message, tag = "2")]
    Completed(super::DiagnosticsIn1),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ActionProgress {
    #[prost(string, tag = "1")]
    pub(crate) message: String,
}
