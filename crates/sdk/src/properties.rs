//! Structs whose fields are properties.

use std::sync::OnceLock;

use outrigger_value::PropertyMap;

use crate::Mismatch;
use crate::shape::ObjectShape;

/// A struct whose fields are properties. It is derived, through [`Inputs`], [`Outputs`] or [`crate::Object`].
pub trait Properties: Sized + Send + Sync + 'static {
    /// The properties and their types.
    fn shape() -> &'static ObjectShape;

    /// Makes the struct from properties. Properties that it does not have are ignored.
    fn decode(properties: PropertyMap) -> Result<Self, Mismatch>;

    /// Makes properties from the struct. Missing values are left out.
    fn encode(self) -> PropertyMap;
}

/// The inputs of a resource, a function or the package's configuration.
pub trait Inputs: Properties {}

/// The outputs of a resource or a function.
pub trait Outputs: Properties {}

/// Nothing: a resource without inputs, a function without a result.
impl Properties for () {
    fn shape() -> &'static ObjectShape {
        static SHAPE: OnceLock<ObjectShape> = OnceLock::new();
        SHAPE.get_or_init(|| ObjectShape {
            name: "Nothing",
            token: None,
            description: "",
            deprecated: None,
            properties: Vec::new(),
        })
    }

    fn decode(_: PropertyMap) -> Result<Self, Mismatch> {
        Ok(())
    }

    fn encode(self) -> PropertyMap {
        PropertyMap::new()
    }
}

impl Inputs for () {}
impl Outputs for () {}
