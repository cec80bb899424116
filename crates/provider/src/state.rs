//! A resource's state between calls, as its provider sees it.

use outrigger_value::{PropertyMap, Urn};

/// The resource that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceIdentity {
    /// Its full name.
    pub urn: Urn,
}

impl ResourceIdentity {
    /// The identity of a resource by its name.
    pub fn new(urn: Urn) -> Self {
        Self { urn }
    }

    /// The type token.
    pub fn ty(&self) -> &str {
        self.urn.ty()
    }

    /// The logical name.
    pub fn name(&self) -> &str {
        self.urn.name()
    }
}

/// The state of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The provider's id; empty only for a resource that a preview would create.
    pub id: String,
    /// The inputs that it was created with.
    pub inputs: PropertyMap,
    /// The provider's outputs.
    pub outputs: PropertyMap,
    /// Why the resource exists but is not ready.
    pub init_errors: Vec<String>,
    /// The provider asks to be read before the next update.
    pub refresh_before_update: bool,
}
