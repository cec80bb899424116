//! The messages of both protocols. They are the same on the wire, field for field, but for the attributes of schemas, which
//! [`crate::schema`] reads; so there is one set of them, and [`crate::rpc`] has the names of the calls.

use std::collections::HashMap;

use bytes::Bytes;
use prost::{Enumeration, Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DynamicValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) msgpack: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) json: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Diagnostic {
    #[prost(enumeration = "Severity", tag = "1")]
    pub(crate) severity: i32,
    #[prost(string, tag = "2")]
    pub(crate) summary: String,
    #[prost(string, tag = "3")]
    pub(crate) detail: String,
    #[prost(message, optional, tag = "4")]
    pub(crate) attribute: Option<AttributePath>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum Severity {
    Invalid = 0,
    Error = 1,
    Warning = 2,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AttributePath {
    #[prost(message, repeated, tag = "1")]
    pub(crate) steps: Vec<PathStep>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PathStep {
    #[prost(oneof = "Selector", tags = "1, 2, 3")]
    pub(crate) selector: Option<Selector>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Selector {
    #[prost(string, tag = "1")]
    AttributeName(String),
    #[prost(string, tag = "2")]
    ElementKeyString(String),
    #[prost(int64, tag = "3")]
    ElementKeyInt(i64),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FunctionError {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
    #[prost(int64, optional, tag = "2")]
    pub(crate) function_argument: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RawState {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) json: Bytes,
    #[prost(map = "string, string", tag = "2")]
    pub(crate) flatmap: HashMap<String, String>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ClientCapabilities {
    #[prost(bool, tag = "1")]
    pub(crate) deferral_allowed: bool,
    #[prost(bool, tag = "2")]
    pub(crate) write_only_attributes_allowed: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Deferred {
    #[prost(int32, tag = "1")]
    pub(crate) reason: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IdentityData {
    #[prost(message, optional, tag = "1")]
    pub(crate) identity_data: Option<DynamicValue>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Empty {}

/// An answer that is nothing but diagnostics, in the field of that number.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DiagnosticsIn1 {
    #[prost(message, repeated, tag = "1")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What GetProviderSchema answers besides schemas.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DiagnosticsIn4 {
    #[prost(message, repeated, tag = "4")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateProviderConfigRequest {
    #[prost(message, optional, tag = "1")]
    pub(crate) config: Option<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateProviderConfigResponse {
    /// Protocol 5 only, and ignored as everywhere.
    #[prost(message, optional, tag = "1")]
    pub(crate) prepared_config: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConfigureProviderRequest {
    #[prost(string, tag = "1")]
    pub(crate) terraform_version: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StopProviderResponse {
    #[prost(string, tag = "1")]
    pub(crate) error: String,
}

/// The question of every check of a configuration by type name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValidateRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
    #[prost(message, optional, tag = "3")]
    pub(crate) raw_state: Option<RawState>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct UpgradeResourceStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) upgraded_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) current_state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "5")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
    #[prost(message, optional, tag = "6")]
    pub(crate) current_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResourceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) new_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) deferred: Option<Deferred>,
    #[prost(message, optional, tag = "5")]
    pub(crate) new_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanResourceChangeRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) prior_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) proposed_new_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) prior_private: Bytes,
    #[prost(message, optional, tag = "6")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "7")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
    #[prost(message, optional, tag = "8")]
    pub(crate) prior_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlanResourceChangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) planned_state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) requires_replace: Vec<AttributePath>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) planned_private: Bytes,
    #[prost(message, repeated, tag = "4")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bool, tag = "5")]
    pub(crate) legacy_type_system: bool,
    #[prost(message, optional, tag = "6")]
    pub(crate) deferred: Option<Deferred>,
    #[prost(message, optional, tag = "7")]
    pub(crate) planned_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ApplyResourceChangeRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) prior_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) planned_state: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) planned_private: Bytes,
    #[prost(message, optional, tag = "6")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "7")]
    pub(crate) planned_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ApplyResourceChangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) new_state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) private: Bytes,
    #[prost(message, repeated, tag = "3")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(bool, tag = "4")]
    pub(crate) legacy_type_system: bool,
    #[prost(message, optional, tag = "5")]
    pub(crate) new_identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportResourceStateRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(string, tag = "2")]
    pub(crate) id: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
    #[prost(message, optional, tag = "4")]
    pub(crate) identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportResourceStateResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) imported_resources: Vec<ImportedResource>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "3")]
    pub(crate) deferred: Option<Deferred>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ImportedResource {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) state: Option<DynamicValue>,
    #[prost(bytes = "bytes", tag = "3")]
    pub(crate) private: Bytes,
    #[prost(message, optional, tag = "4")]
    pub(crate) identity: Option<IdentityData>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadDataSourceRequest {
    #[prost(string, tag = "1")]
    pub(crate) type_name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) config: Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) provider_meta: Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub(crate) client_capabilities: Option<ClientCapabilities>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadDataSourceResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) state: Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
    #[prost(message, optional, tag = "3")]
    pub(crate) deferred: Option<Deferred>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallFunctionRequest {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) arguments: Vec<DynamicValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CallFunctionResponse {
    #[prost(message, optional, tag = "1")]
    pub(crate) result: Option<DynamicValue>,
    #[prost(message, optional, tag = "2")]
    pub(crate) error: Option<FunctionError>,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of these messages have the numbers of the protocol: a few are spelled out in bytes.
    #[test]
    fn numbers_of_fields() {
        let plan = PlanResourceChangeRequest {
            type_name: "t".to_owned(),
            prior_private: Bytes::from_static(b"p"),
            client_capabilities: Some(ClientCapabilities {
                deferral_allowed: false,
                write_only_attributes_allowed: true,
            }),
            ..PlanResourceChangeRequest::default()
        };
        assert_eq!(plan.encode_to_vec(), [0x0a, 1, b't', 0x2a, 1, b'p', 0x3a, 2, 0x10, 1]);
        let step = PathStep { selector: Some(Selector::ElementKeyInt(3)) };
        assert_eq!(AttributePath { steps: vec![step] }.encode_to_vec(), [0x0a, 2, 0x18, 3]);
    }
}
