//! The calls, with their names in each protocol.

use http::uri::PathAndQuery;

use crate::Protocol;

/// A call.
#[derive(Debug)]
pub(crate) struct Rpc {
    /// The name for messages: that of protocol 6.
    pub(crate) name: &'static str,
    five: &'static str,
    six: &'static str,
}

impl Rpc {
    pub(crate) fn path(&self, protocol: Protocol) -> PathAndQuery {
        PathAndQuery::from_static(match protocol {
            Protocol::Five => self.five,
            Protocol::Six => self.six,
        })
    }
}

macro_rules! calls {
    ($($constant:ident = $six:literal $(or $five:literal)?;)*) => {
        $(pub(crate) const $constant: Rpc = Rpc {
            name: $six,
            five: calls!(@five $six $($five)?),
            six: concat!("/tfplugin6.Provider/", $six),
        };)*
    };
    (@five $six:literal) => { concat!("/tfplugin5.Provider/", $six) };
    (@five $six:literal $five:literal) => { concat!("/tfplugin5.Provider/", $five) };
}

calls! {
    GET_PROVIDER_SCHEMA = "GetProviderSchema" or "GetSchema";
    VALIDATE_PROVIDER_CONFIG = "ValidateProviderConfig" or "PrepareProviderConfig";
    CONFIGURE_PROVIDER = "ConfigureProvider" or "Configure";
    STOP_PROVIDER = "StopProvider" or "Stop";
    VALIDATE_RESOURCE_CONFIG = "ValidateResourceConfig" or "ValidateResourceTypeConfig";
    VALIDATE_DATA_RESOURCE_CONFIG = "ValidateDataResourceConfig" or "ValidateDataSourceConfig";
    UPGRADE_RESOURCE_STATE = "UpgradeResourceState";
    READ_RESOURCE = "ReadResource";
    PLAN_RESOURCE_CHANGE = "PlanResourceChange";
    APPLY_RESOURCE_CHANGE = "ApplyResourceChange";
    IMPORT_RESOURCE_STATE = "ImportResourceState";
    READ_DATA_SOURCE = "ReadDataSource";
    CALL_FUNCTION = "CallFunction";
    GET_METADATA = "GetMetadata";
    GET_RESOURCE_IDENTITY_SCHEMAS = "GetResourceIdentitySchemas";
    UPGRADE_RESOURCE_IDENTITY = "UpgradeResourceIdentity";
    MOVE_RESOURCE_STATE = "MoveResourceState";
    GENERATE_RESOURCE_CONFIG = "GenerateResourceConfig";
    GET_FUNCTIONS = "GetFunctions";
    VALIDATE_EPHEMERAL_RESOURCE_CONFIG = "ValidateEphemeralResourceConfig";
    OPEN_EPHEMERAL_RESOURCE = "OpenEphemeralResource";
    RENEW_EPHEMERAL_RESOURCE = "RenewEphemeralResource";
    CLOSE_EPHEMERAL_RESOURCE = "CloseEphemeralResource";
    VALIDATE_LIST_RESOURCE_CONFIG = "ValidateListResourceConfig";
    LIST_RESOURCE = "ListResource";
    VALIDATE_ACTION_CONFIG = "ValidateActionConfig";
    PLAN_ACTION = "PlanAction";
    INVOKE_ACTION = "InvokeAction";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_protocols() {
        assert_eq!(PLAN_RESOURCE_CHANGE.path(Protocol::Five).as_str(), "/tfplugin5.Provider/PlanResourceChange");
        assert_eq!(CONFIGURE_PROVIDER.path(Protocol::Five).as_str(), "/tfplugin5.Provider/Configure");
        assert_eq!(CONFIGURE_PROVIDER.path(Protocol::Six).as_str(), "/tfplugin6.Provider/ConfigureProvider");
    }
}
