//! Structs whose fields are properties.

use std::sync::OnceLock;

use outrigger_value::PropertyMap;

use crate::Mismatch;
use crate::shape::ObjectShape;

/// A struct whose fields are properties. It is derived, through [`Inputs`], [`Outputs`] or [`crate::Object`].
pub trait Properties: Sized + Send + Sync + 'static {
    /// What it looks like.
    fn shape() -> &'static ObjectShape;

    /// From properties. What the struct does not have is left out.
    fn decode(properties: PropertyMap) -> Result<Self, Mismatch>;

    /// To properties. What is missing is left out.
    fn encode(self) -> PropertyMap;
}

/// What a resource, a function or the package's configuration takes.
pub trait Inputs: Properties {}

/// What a resource or a function answers.
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
