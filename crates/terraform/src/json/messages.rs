//! The fields of each message.

use serde_json::value::RawValue;

use super::context::{Context, Role};
use super::part::{Ask, EncodedFunctions, Given, InLists, Members, Tell};
use crate::cty::CodecError;
use crate::wire::{
    ActionEvent, ActionProgress, ActionRequest, ApplyResourceChangeRequest, ApplyResourceChangeResponse,
    CallFunctionRequest, CallFunctionResponse, ClientCapabilities, ConfigureProviderRequest, Deferred, DiagnosticsIn1,
    Empty, EphemeralRequest, FunctionError, GenerateResourceConfigRequest, GenerateResourceConfigResponse,
    GetFunctionsResponse, GetMetadataResponse, GetResourceIdentitySchemasResponse, IdentityAttribute, IdentitySchema,
    ImportResourceStateRequest, ImportResourceStateResponse, ImportedResource, InvokeActionEvent, ListResourceEvent,
    ListResourceRequest, MoveResourceStateRequest, MoveResourceStateResponse, Named, OpenEphemeralResourceResponse,
    PlanActionResponse, PlanResourceChangeRequest, PlanResourceChangeResponse, RawState, ReadDataSourceRequest,
    ReadDataSourceResponse, ReadResourceRequest, ReadResourceResponse, RenewEphemeralResourceResponse,
    ServerCapabilities, StopProviderResponse, UpgradeResourceIdentityRequest, UpgradeResourceIdentityResponse,
    UpgradeResourceStateRequest, UpgradeResourceStateResponse, ValidateListResourceConfigRequest,
    ValidateProviderConfigRequest, ValidateProviderConfigResponse, ValidateRequest,
};

/// A request: which of its fields names what it is about, and that name.
pub(super) trait Request: Ask + Tell {
    const NAMED_BY: &'static str;

    fn name(&self) -> &str;
}

/// Messages that are written only.
macro_rules! told {
    ($($message:ident { $($field:ident $(as $role:ident)?),* $(,)? })*) => {$(
        impl Tell for $message {
            fn tell(&self, _: Role, context: &Context, into: &mut String) {
                #[allow(unused_mut, reason = "some messages have no fields")]
                let mut members = Members::new(into);
                $(members.add(stringify!($field), &self.$field, told!(@role $($role)?), context);)*
                let _: &Context = context;
                members.end();
            }
        }
    )*};
    (@role) => { Role::Subject };
    (@role $role:ident) => { Role::$role };
}

/// Messages that are read, too.
macro_rules! asked {
    ($($message:ident { $($field:ident $(as $role:ident)?),* $(,)? })*) => {$(
        told! { $message { $($field $(as $role)?),* } }

        impl Ask for $message {
            fn ask(raw: Option<&RawValue>, _: Role, context: &Context) -> Result<Self, CodecError> {
                #[allow(unused_mut, reason = "some messages have no fields")]
                let mut given = Given::new(raw)?;
                let _: &Context = context;
                let message = Self { $($field: given.take(stringify!($field), told!(@role $($role)?), context)?),* };
                given.end()?;
                Ok(message)
            }
        }
    )*};
}

/// Requests, each with the field that names what it is about.
macro_rules! requests {
    ($($message:ident by $name:ident { $($field:ident $(as $role:ident)?),* $(,)? })*) => {$(
        asked! { $message { $($field $(as $role)?),* } }

        impl Request for $message {
            const NAMED_BY: &'static str = stringify!($name);

            fn name(&self) -> &str {
                &self.$name
            }
        }
    )*};
}

/// Requests about the provider as a whole.
macro_rules! general {
    ($($message:ident { $($field:ident),* })*) => {$(
        asked! { $message { $($field),* } }

        impl Request for $message {
            const NAMED_BY: &'static str = "";

            fn name(&self) -> &str {
                ""
            }
        }
    )*};
}

general! {
    Empty {}
    ValidateProviderConfigRequest { config }
    ConfigureProviderRequest { terraform_version, config, client_capabilities }
}

requests! {
    ValidateRequest by type_name { type_name, config, client_capabilities }
    UpgradeResourceStateRequest by type_name { type_name, version, raw_state }
    ReadResourceRequest by type_name {
        type_name, current_state, private, provider_meta as Meta, client_capabilities, current_identity,
    }
    PlanResourceChangeRequest by type_name {
        type_name, prior_state, proposed_new_state, config, prior_private, provider_meta as Meta, client_capabilities,
        prior_identity,
    }
    ApplyResourceChangeRequest by type_name {
        type_name, prior_state, planned_state, config, planned_private, provider_meta as Meta, planned_identity,
    }
    ImportResourceStateRequest by type_name { type_name, id, client_capabilities, identity }
    ReadDataSourceRequest by type_name { type_name, config, provider_meta as Meta, client_capabilities }
    CallFunctionRequest by name { name, arguments as Arguments }
    UpgradeResourceIdentityRequest by type_name { type_name, version, raw_identity }
    MoveResourceStateRequest by target_type_name {
        source_provider_address, source_type_name, source_schema_version, source_state, target_type_name,
        source_private, source_identity, source_identity_schema_version,
    }
    GenerateResourceConfigRequest by type_name { type_name, state }
    EphemeralRequest by type_name { type_name, private }
    ListResourceRequest by type_name { type_name, config, include_resource_object, limit }
    ValidateListResourceConfigRequest by type_name {
        type_name, config, include_resource_object as Flag, limit as Count,
    }
    ActionRequest by action_type { action_type, config, client_capabilities }
}

asked! {
    ClientCapabilities { deferral_allowed, write_only_attributes_allowed }
}

told! {
    Deferred { reason }
    FunctionError { text, function_argument }
    DiagnosticsIn1 { diagnostics }
    ValidateProviderConfigResponse { prepared_config, diagnostics }
    StopProviderResponse { error }
    UpgradeResourceStateResponse { upgraded_state, diagnostics }
    ReadResourceResponse { new_state, diagnostics, private, deferred, new_identity }
    PlanResourceChangeResponse {
        planned_state, requires_replace, planned_private, diagnostics, legacy_type_system, deferred, planned_identity,
    }
    ApplyResourceChangeResponse { new_state, private, diagnostics, legacy_type_system, new_identity }
    ImportResourceStateResponse { imported_resources, diagnostics, deferred }
    ReadDataSourceResponse { state, diagnostics, deferred }
    CallFunctionResponse { result as Result, error }
    ServerCapabilities {
        plan_destroy, get_provider_schema_optional, move_resource_state, generate_resource_config,
    }
    GetMetadataResponse {
        server_capabilities, diagnostics, data_sources, resources, functions, ephemeral_resources, list_resources,
        actions,
    }
    IdentityAttribute { name, r#type as Type, required_for_import, optional_for_import, description }
    IdentitySchema { version, identity_attributes }
    GetResourceIdentitySchemasResponse { identity_schemas, diagnostics }
    UpgradeResourceIdentityResponse { upgraded_identity, diagnostics }
    MoveResourceStateResponse { target_state, diagnostics, target_private, target_identity }
    GenerateResourceConfigResponse { config, diagnostics }
    OpenEphemeralResourceResponse { diagnostics, renew_at, result, private, deferred }
    RenewEphemeralResourceResponse { diagnostics, renew_at, private }
    ListResourceEvent { identity, display_name, resource_object as Listed, diagnostic }
    PlanActionResponse { diagnostics, deferred }
    ActionProgress { message }
}

impl InLists for IdentityAttribute {}
impl InLists for ImportedResource {}
impl InLists for Named {}

impl Tell for Named {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        self.name.tell(role, context, into);
    }
}

/// State as it was stored, of a version that may have no schema here. It is JSON, or, from before Terraform 0.12, texts.
impl Tell for RawState {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let mut members = Members::new(into);
        members.add("json", &self.json, Role::Json, context);
        if !context.hides() {
            members.add("flatmap", &self.flatmap, role, context);
        }
        members.end();
    }
}

impl Ask for Option<RawState> {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        let Some(raw) = raw else { return Ok(None) };
        let mut given = Given::new(Some(raw))?;
        let state =
            RawState { json: given.take("json", Role::Json, context)?, flatmap: given.take("flatmap", role, context)? };
        given.end()?;
        Ok(Some(state))
    }
}

/// A resource of another type may come along.
impl Tell for ImportedResource {
    fn tell(&self, _: Role, context: &Context, into: &mut String) {
        let role = if self.type_name == context.name { Role::Subject } else { Role::Foreign };
        let mut members = Members::new(into);
        members.add("type_name", &self.type_name, role, context);
        members.add("state", &self.state, role, context);
        members.add("private", &self.private, role, context);
        members.add("identity", &self.identity, role, context);
        members.end();
    }
}

impl Tell for GetFunctionsResponse {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let mut members = Members::new(into);
        members.add("functions", &EncodedFunctions(&self.functions), role, context);
        members.add("diagnostics", &self.diagnostics, role, context);
        members.end();
    }
}

impl Tell for InvokeActionEvent {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let mut members = Members::new(into);
        match &self.event {
            Some(ActionEvent::Progress(progress)) => members.add("progress", progress, role, context),
            Some(ActionEvent::Completed(completed)) => members.add("completed", completed, role, context),
            None => {}
        }
        members.end();
    }
}
