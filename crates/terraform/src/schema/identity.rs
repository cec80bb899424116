//! Identities: data by which a provider knows a resource, apart from its state.

use std::sync::Arc;

use crate::cty::{NotAType, Type};
use crate::wire;

/// The schema of a resource's identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentitySchema {
    /// The version of stored identities.
    pub version: i64,
    /// Its parts, in the provider's order.
    pub attributes: Vec<IdentityAttribute>,
}

/// A part of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityAttribute {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Must be given to import a resource by its identity.
    pub required_for_import: bool,
    /// May be given to import a resource by its identity.
    pub optional_for_import: bool,
    /// Its description.
    pub description: String,
}

impl IdentitySchema {
    /// The type of an identity.
    pub fn ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (Arc::clone(&attribute.name), attribute.ty.clone())))
    }
}

impl TryFrom<wire::IdentitySchema> for IdentitySchema {
    type Error = NotAType;

    fn try_from(schema: wire::IdentitySchema) -> Result<Self, NotAType> {
        let attribute = |attribute: wire::IdentityAttribute| {
            Ok(IdentityAttribute {
                name: Arc::from(attribute.name),
                ty: Type::from_json(&attribute.r#type)?,
                required_for_import: attribute.required_for_import,
                optional_for_import: attribute.optional_for_import,
                description: attribute.description,
            })
        };
        let attributes = schema.identity_attributes.into_iter().map(attribute).collect::<Result<_, _>>()?;
        Ok(Self { version: schema.version, attributes })
    }
}
