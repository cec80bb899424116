//! Every call, its subject, and the fields of its messages.

use super::context::{Role, Subject};
use crate::rpc::{self, Rpc};
use crate::schema::Kind as Of;

/// The fields of a message: number, name and kind.
pub(super) type Fields = &'static [(u64, &'static str, Kind)];

/// The kind of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Flag,
    Number,
    /// A number that is shown even if it is 0.
    Reason,
    Severity,
    Time,
    /// The provider's private bytes.
    Bytes,
    /// Bytes that are JSON, and may contain secrets.
    Json,
    /// Bytes that are the JSON of a type.
    Type,
    /// A function's signature, which [`crate::schema`] reads.
    Function,
    /// The path of an attribute.
    Path,
    /// A message that consists of a name.
    Name,
    Value(Role),
    Identity,
    /// This host's capabilities, unless others are given.
    Capabilities,
    Message(Fields),
    Many(&'static Kind),
    /// With strings as keys.
    Map(&'static Kind),
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) rpc: &'static Rpc,
    pub(super) subject: Subject,
    pub(super) request: Fields,
    pub(super) answer: Fields,
}

impl Call {
    /// The field of the request that names the call's subject.
    pub(super) fn named_by(&self) -> Option<(u64, &'static str)> {
        const NAMES: [&str; 4] = ["type_name", "target_type_name", "action_type", "name"];
        self.request.iter().find(|(_, name, _)| NAMES.contains(name)).map(|(number, name, _)| (*number, *name))
    }
}

macro_rules! messages {
    ($($message:ident { $($number:literal $name:literal $kind:expr),* })*) => {
        $(pub(super) const $message: Fields = {
            #[allow(unused_imports, reason = "some messages have no fields")]
            use Kind::*;
            &[$(($number, $name, $kind)),*]
        };)*
    };
}

macro_rules! calls {
    ($($rpc:ident $subject:expr, $request:ident => $answer:ident;)*) => {
        pub(super) const CALLS: &[Call] =
            &[$(Call { rpc: &rpc::$rpc, subject: $subject, request: $request, answer: $answer }),*];
    };
}

const DIAGNOSTICS: Kind = Kind::Many(&Kind::Message(DIAGNOSTIC));
const DEFERRED: Kind = Kind::Message(DEFERRAL);
const STATE: Kind = Kind::Message(RAW_STATE);
const SUBJECT: Kind = Kind::Value(Role::Subject);
const META: Kind = Kind::Value(Role::Meta);

messages! {
    DIAGNOSTIC { 1 "severity" Severity, 2 "summary" Text, 3 "detail" Text, 4 "attribute" Path }
    DEFERRAL { 1 "reason" Reason }
    RAW_STATE { 1 "json" Json, 2 "flatmap" Map(&Text) }
    CLIENT_CAPABILITIES { 1 "deferral_allowed" Flag, 2 "write_only_attributes_allowed" Flag }
    SERVER_CAPABILITIES { 1 "plan_destroy" Flag, 2 "get_provider_schema_optional" Flag, 3 "move_resource_state" Flag,
        4 "generate_resource_config" Flag }
    IDENTITY_ATTRIBUTE { 1 "name" Text, 2 "type" Type, 3 "required_for_import" Flag, 4 "optional_for_import" Flag,
        5 "description" Text }
    IDENTITY_SCHEMA { 1 "version" Number, 2 "identity_attributes" Many(&Message(IDENTITY_ATTRIBUTE)) }
    IMPORTED { 1 "type_name" Text, 2 "state" SUBJECT, 3 "private" Bytes, 4 "identity" Identity }
    FUNCTION_ERROR { 1 "text" Text, 2 "function_argument" Number }
    PROGRESS { 1 "message" Text }
    NOTHING {}
    ONLY_DIAGNOSTICS { 1 "diagnostics" DIAGNOSTICS }
    // In protocol 5, Terraform's own definition has `actions` as 8; providers are built with HashiCorp's library, which has 9 in both.
    METADATA { 1 "server_capabilities" Message(SERVER_CAPABILITIES), 2 "diagnostics" DIAGNOSTICS,
        3 "data_sources" Many(&Name), 4 "resources" Many(&Name), 5 "functions" Many(&Name),
        6 "ephemeral_resources" Many(&Name), 7 "list_resources" Many(&Name), 9 "actions" Many(&Name) }
    IDENTITY_SCHEMAS { 1 "identity_schemas" Map(&Message(IDENTITY_SCHEMA)), 2 "diagnostics" DIAGNOSTICS }
    FUNCTIONS { 1 "functions" Map(&Function), 2 "diagnostics" DIAGNOSTICS }
    PROVIDER_CONFIG { 1 "config" SUBJECT }
    PREPARED_CONFIG { 1 "prepared_config" SUBJECT, 2 "diagnostics" DIAGNOSTICS }
    CONFIGURE { 1 "terraform_version" Text, 2 "config" SUBJECT, 3 "client_capabilities" Capabilities }
    STOPPED { 1 "error" Text }
    CONFIG { 1 "type_name" Text, 2 "config" SUBJECT, 3 "client_capabilities" Capabilities }
    UPGRADE { 1 "type_name" Text, 2 "version" Number, 3 "raw_state" STATE }
    UPGRADED { 1 "upgraded_state" SUBJECT, 2 "diagnostics" DIAGNOSTICS }
    UPGRADE_IDENTITY { 1 "type_name" Text, 2 "version" Number, 3 "raw_identity" STATE }
    UPGRADED_IDENTITY { 1 "upgraded_identity" Identity, 2 "diagnostics" DIAGNOSTICS }
    READ { 1 "type_name" Text, 2 "current_state" SUBJECT, 3 "private" Bytes, 4 "provider_meta" META,
        5 "client_capabilities" Capabilities, 6 "current_identity" Identity }
    WAS_READ { 1 "new_state" SUBJECT, 2 "diagnostics" DIAGNOSTICS, 3 "private" Bytes, 4 "deferred" DEFERRED,
        5 "new_identity" Identity }
    PLAN { 1 "type_name" Text, 2 "prior_state" SUBJECT, 3 "proposed_new_state" SUBJECT, 4 "config" SUBJECT,
        5 "prior_private" Bytes, 6 "provider_meta" META, 7 "client_capabilities" Capabilities, 8 "prior_identity" Identity }
    PLANNED { 1 "planned_state" SUBJECT, 2 "requires_replace" Many(&Path), 3 "planned_private" Bytes,
        4 "diagnostics" DIAGNOSTICS, 5 "legacy_type_system" Flag, 6 "deferred" DEFERRED, 7 "planned_identity" Identity }
    APPLY { 1 "type_name" Text, 2 "prior_state" SUBJECT, 3 "planned_state" SUBJECT, 4 "config" SUBJECT,
        5 "planned_private" Bytes, 6 "provider_meta" META, 7 "planned_identity" Identity }
    APPLIED { 1 "new_state" SUBJECT, 2 "private" Bytes, 3 "diagnostics" DIAGNOSTICS, 4 "legacy_type_system" Flag,
        5 "new_identity" Identity }
    IMPORT { 1 "type_name" Text, 2 "id" Text, 3 "client_capabilities" Capabilities, 4 "identity" Identity }
    WAS_IMPORTED { 1 "imported_resources" Many(&Message(IMPORTED)), 2 "diagnostics" DIAGNOSTICS, 3 "deferred" DEFERRED }
    GENERATE { 1 "type_name" Text, 2 "state" SUBJECT }
    GENERATED { 1 "config" SUBJECT, 2 "diagnostics" DIAGNOSTICS }
    MOVE { 1 "source_provider_address" Text, 2 "source_type_name" Text, 3 "source_schema_version" Number,
        4 "source_state" STATE, 5 "target_type_name" Text, 6 "source_private" Bytes, 7 "source_identity" STATE,
        8 "source_identity_schema_version" Number }
    MOVED { 1 "target_state" SUBJECT, 2 "diagnostics" DIAGNOSTICS, 3 "target_private" Bytes, 4 "target_identity" Identity }
    READ_DATA { 1 "type_name" Text, 2 "config" SUBJECT, 3 "provider_meta" META, 4 "client_capabilities" Capabilities }
    DATA_READ { 1 "state" SUBJECT, 2 "diagnostics" DIAGNOSTICS, 3 "deferred" DEFERRED }
    CALL { 1 "name" Text, 2 "arguments" Many(&Value(Role::Arguments)) }
    CALLED { 1 "result" Value(Role::Result), 2 "error" Message(FUNCTION_ERROR) }
    LEASE { 1 "type_name" Text, 2 "private" Bytes }
    OPENED { 1 "diagnostics" DIAGNOSTICS, 2 "renew_at" Time, 3 "result" SUBJECT, 4 "private" Bytes, 5 "deferred" DEFERRED }
    RENEWED { 1 "diagnostics" DIAGNOSTICS, 2 "renew_at" Time, 3 "private" Bytes }
    // In the request for a list, both settings are plain; in its validation, they may be unknown.
    CHECK_LIST { 1 "type_name" Text, 2 "config" SUBJECT, 3 "include_resource_object" Value(Role::Flag),
        4 "limit" Value(Role::Count) }
    LIST { 1 "type_name" Text, 2 "config" SUBJECT, 3 "include_resource_object" Flag, 4 "limit" Number }
    LISTED { 1 "identity" Identity, 2 "display_name" Text, 3 "resource_object" Value(Role::Listed), 4 "diagnostic" DIAGNOSTICS }
    ACTION { 1 "action_type" Text, 2 "config" SUBJECT, 3 "client_capabilities" Capabilities }
    ACTION_PLANNED { 1 "diagnostics" DIAGNOSTICS, 2 "deferred" DEFERRED }
    ACTION_EVENT { 1 "progress" Message(PROGRESS), 2 "completed" Message(ONLY_DIAGNOSTICS) }
}

calls! {
    GET_METADATA Subject::Provider, NOTHING => METADATA;
    GET_RESOURCE_IDENTITY_SCHEMAS Subject::Provider, NOTHING => IDENTITY_SCHEMAS;
    GET_FUNCTIONS Subject::Provider, NOTHING => FUNCTIONS;
    VALIDATE_PROVIDER_CONFIG Subject::Provider, PROVIDER_CONFIG => PREPARED_CONFIG;
    CONFIGURE_PROVIDER Subject::Provider, CONFIGURE => ONLY_DIAGNOSTICS;
    STOP_PROVIDER Subject::Provider, NOTHING => STOPPED;
    VALIDATE_RESOURCE_CONFIG Subject::Entry(Of::Resource), CONFIG => ONLY_DIAGNOSTICS;
    UPGRADE_RESOURCE_STATE Subject::Entry(Of::Resource), UPGRADE => UPGRADED;
    UPGRADE_RESOURCE_IDENTITY Subject::Entry(Of::Resource), UPGRADE_IDENTITY => UPGRADED_IDENTITY;
    READ_RESOURCE Subject::Entry(Of::Resource), READ => WAS_READ;
    PLAN_RESOURCE_CHANGE Subject::Entry(Of::Resource), PLAN => PLANNED;
    APPLY_RESOURCE_CHANGE Subject::Entry(Of::Resource), APPLY => APPLIED;
    IMPORT_RESOURCE_STATE Subject::Entry(Of::Resource), IMPORT => WAS_IMPORTED;
    GENERATE_RESOURCE_CONFIG Subject::Entry(Of::Resource), GENERATE => GENERATED;
    MOVE_RESOURCE_STATE Subject::Entry(Of::Resource), MOVE => MOVED;
    VALIDATE_DATA_RESOURCE_CONFIG Subject::Entry(Of::DataSource), CONFIG => ONLY_DIAGNOSTICS;
    READ_DATA_SOURCE Subject::Entry(Of::DataSource), READ_DATA => DATA_READ;
    CALL_FUNCTION Subject::Function, CALL => CALLED;
    VALIDATE_EPHEMERAL_RESOURCE_CONFIG Subject::Entry(Of::Ephemeral), CONFIG => ONLY_DIAGNOSTICS;
    OPEN_EPHEMERAL_RESOURCE Subject::Entry(Of::Ephemeral), CONFIG => OPENED;
    RENEW_EPHEMERAL_RESOURCE Subject::Entry(Of::Ephemeral), LEASE => RENEWED;
    CLOSE_EPHEMERAL_RESOURCE Subject::Entry(Of::Ephemeral), LEASE => ONLY_DIAGNOSTICS;
    VALIDATE_LIST_RESOURCE_CONFIG Subject::Entry(Of::List), CHECK_LIST => ONLY_DIAGNOSTICS;
    LIST_RESOURCE Subject::Entry(Of::List), LIST => LISTED;
    VALIDATE_ACTION_CONFIG Subject::Entry(Of::Action), ACTION => ONLY_DIAGNOSTICS;
    PLAN_ACTION Subject::Entry(Of::Action), ACTION => ACTION_PLANNED;
    INVOKE_ACTION Subject::Entry(Of::Action), ACTION => ACTION_EVENT;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_one_entry() {
        for (index, call) in CALLS.iter().enumerate() {
            assert!(CALLS[..index].iter().all(|earlier| earlier.rpc.name != call.rpc.name), "{}", call.rpc.name);
            assert_eq!(call.named_by().is_none(), call.subject == Subject::Provider, "{}", call.rpc.name);
        }
    }
}
