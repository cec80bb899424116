//! The features that a plugin supports.

use crate::encoding::Encoding;
use crate::generated::pulumirpc::{ConfigureResponse, ProviderHandshakeResponse};

/// The flags of a plugin, from its handshake, or from Configure if it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) secrets: bool,
    pub(crate) resources: bool,
    pub(crate) outputs: bool,
    /// Create and Update support previews.
    pub(crate) preview: bool,
    /// Check gets the naming options for a resource.
    pub(crate) autonaming: bool,
}

impl Features {
    /// The encoding for properties that the plugin works with.
    pub(crate) fn encoding(self, unknowns: bool) -> Encoding {
        Encoding { unknowns, secrets: self.secrets, resources: self.resources, outputs: false, elide: false }
    }

    /// The encoding for old properties: the plugin needs only the hashes of assets.
    pub(crate) fn old(self, unknowns: bool) -> Encoding {
        Encoding { elide: true, ..self.encoding(unknowns) }
    }
}

impl From<&ProviderHandshakeResponse> for Features {
    /// A plugin that has the handshake is new enough for previews.
    fn from(response: &ProviderHandshakeResponse) -> Self {
        Self {
            secrets: response.accept_secrets,
            resources: response.accept_resources,
            outputs: response.accept_outputs,
            preview: true,
            autonaming: response.supports_autonaming_configuration,
        }
    }
}

impl From<&ConfigureResponse> for Features {
    fn from(response: &ConfigureResponse) -> Self {
        Self {
            secrets: response.accept_secrets,
            resources: response.accept_resources,
            outputs: response.accept_outputs,
            preview: response.supports_preview,
            autonaming: response.supports_autonaming_configuration,
        }
    }
}
