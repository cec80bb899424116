//! The messages of both protocols. On the wire they are the same, field for field, except for the attributes of schemas, which [`crate::schema`]
//! reads; so there is one set of messages, and [`crate::rpc`] has the names of the calls. Fields that this client neither sends nor reads are
//! left out; [`crate::json`] has all of them.

use std::collections::HashMap;

use bytes::Bytes;
use prost::{Enumeration, Message, Oneof};

/// Messages; for each field its number, type and name.
macro_rules! messages {
    ($($(#[$about:meta])* $message:ident { $($number:tt
        $(String $text:ident)? $(Bytes $bytes:ident)? $(bool $flag:ident)? $(i32 $small:ident)? $(i64 $large:ident)?
        $(Option<$one:ident> $part:ident)? $(Vec<$each:ident> $parts:ident)?
    ),* })*) => {
        $($(#[$about])* #[derive(Clone, PartialEq, Message)] pub(crate) struct $message { $(
            $(#[prost(string, tag = $number)] pub(crate) $text: String,)?
            $(#[prost(bytes = "bytes", tag = $number)] pub(crate) $bytes: Bytes,)?
            $(#[prost(bool, tag = $number)] pub(crate) $flag: bool,)?
            $(#[prost(int32, tag = $number)] pub(crate) $small: i32,)?
            $(#[prost(int64, tag = $number)] pub(crate) $large: i64,)?
            $(#[prost(message, optional, tag = $number)] pub(crate) $part: Option<$one>,)?
            $(#[prost(message, repeated, tag = $number)] pub(crate) $parts: Vec<$each>,)?
        )* })*
    };
}

messages! {
    DynamicValue { 1 Bytes msgpack, 2 Bytes json }
    /// The severity is a [`Severity`], or an unknown number.
    Diagnostic { 1 i32 severity, 2 String summary, 3 String detail, 4 Option<AttributePath> attribute }
    AttributePath { 1 Vec<PathStep> steps }
    RawState { 1 Bytes json }
    ClientCapabilities { 1 bool deferral_allowed, 2 bool write_only_attributes_allowed }
    Deferred {}
    IdentityData { 1 Option<DynamicValue> identity_data }
    Empty {}
    /// An answer that consists of diagnostics, in the field of that number.
    DiagnosticsIn1 { 1 Vec<Diagnostic> diagnostics }
    /// Of ValidateProviderConfig.
    DiagnosticsIn2 { 2 Vec<Diagnostic> diagnostics }
    /// Of GetProviderSchema, beside schemas.
    DiagnosticsIn4 { 4 Vec<Diagnostic> diagnostics }
    ValidateProviderConfigRequest { 1 Option<DynamicValue> config }
    ConfigureProviderRequest { 1 String terraform_version, 2 Option<DynamicValue> config,
        3 Option<ClientCapabilities> client_capabilities }
    StopProviderResponse { 1 String error }
    /// The request of every validation of a configuration by type name.
    ValidateRequest { 1 String type_name, 2 Option<DynamicValue> config,
        3 Option<ClientCapabilities> client_capabilities }
    UpgradeResourceStateRequest { 1 String type_name, 2 i64 version, 3 Option<RawState> raw_state }
    UpgradeResourceStateResponse { 1 Option<DynamicValue> upgraded_state, 2 Vec<Diagnostic> diagnostics }
    ReadResourceRequest { 1 String type_name, 2 Option<DynamicValue> current_state, 3 Bytes private,
        5 Option<ClientCapabilities> client_capabilities, 6 Option<IdentityData> current_identity }
    ReadResourceResponse { 1 Option<DynamicValue> new_state, 2 Vec<Diagnostic> diagnostics, 3 Bytes private,
        4 Option<Deferred> deferred, 5 Option<IdentityData> new_identity }
    PlanResourceChangeRequest { 1 String type_name, 2 Option<DynamicValue> prior_state,
        3 Option<DynamicValue> proposed_new_state, 4 Option<DynamicValue> config, 5 Bytes prior_private,
        7 Option<ClientCapabilities> client_capabilities, 8 Option<IdentityData> prior_identity }
    PlanResourceChangeResponse { 1 Option<DynamicValue> planned_state, 2 Vec<AttributePath> requires_replace,
        3 Bytes planned_private, 4 Vec<Diagnostic> diagnostics, 5 bool legacy_type_system, 6 Option<Deferred> deferred,
        7 Option<IdentityData> planned_identity }
    ApplyResourceChangeRequest { 1 String type_name, 2 Option<DynamicValue> prior_state,
        3 Option<DynamicValue> planned_state, 4 Option<DynamicValue> config, 5 Bytes planned_private,
        7 Option<IdentityData> planned_identity }
    ApplyResourceChangeResponse { 1 Option<DynamicValue> new_state, 2 Bytes private, 3 Vec<Diagnostic> diagnostics,
        4 bool legacy_type_system, 5 Option<IdentityData> new_identity }
    ImportResourceStateRequest { 1 String type_name, 2 String id, 3 Option<ClientCapabilities> client_capabilities }
    ImportResourceStateResponse { 1 Vec<ImportedResource> imported_resources, 2 Vec<Diagnostic> diagnostics,
        3 Option<Deferred> deferred }
    ImportedResource { 1 String type_name, 2 Option<DynamicValue> state, 3 Bytes private,
        4 Option<IdentityData> identity }
    ReadDataSourceRequest { 1 String type_name, 2 Option<DynamicValue> config,
        4 Option<ClientCapabilities> client_capabilities }
    ReadDataSourceResponse { 1 Option<DynamicValue> state, 2 Vec<Diagnostic> diagnostics, 3 Option<Deferred> deferred }
    CallFunctionRequest { 1 String name, 2 Vec<DynamicValue> arguments }
    CallFunctionResponse { 1 Option<DynamicValue> result, 2 Option<FunctionError> error }
    IdentityAttribute { 1 String name, 2 Bytes r#type, 3 bool required_for_import, 4 bool optional_for_import,
        5 String description }
    IdentitySchema { 1 i64 version, 2 Vec<IdentityAttribute> identity_attributes }
    UpgradeResourceIdentityRequest { 1 String type_name, 2 i64 version, 3 Option<RawState> raw_identity }
    UpgradeResourceIdentityResponse { 1 Option<IdentityData> upgraded_identity, 2 Vec<Diagnostic> diagnostics }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum Severity {
    Invalid = 0,
    Error = 1,
    Warning = 2,
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
pub(crate) struct GetResourceIdentitySchemasResponse {
    #[prost(map = "string, message", tag = "1")]
    pub(crate) identity_schemas: HashMap<String, IdentitySchema>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of these messages have the protocol's numbers: a few are spelled out in bytes.
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
