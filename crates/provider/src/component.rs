//! Functions and components.

use outrigger_value::{PropertyDependencies, PropertyMap, Urn};

use crate::CheckFailure;

/// A function call.
#[derive(Clone, Debug)]
pub struct Invoke {
    /// The function's token.
    pub token: String,
    /// Its arguments.
    pub arguments: PropertyMap,
    /// Whether this is a preview.
    pub preview: bool,
}

/// The answer of a function.
#[derive(Clone, Debug, Default)]
pub struct Invoked {
    /// The result.
    pub result: PropertyMap,
    /// Problems with the arguments.
    pub failures: Vec<CheckFailure>,
}

/// A component that was constructed.
#[derive(Clone, Debug)]
pub struct ConstructResponse {
    /// Its name.
    pub urn: Urn,
    /// Its outputs.
    pub outputs: PropertyMap,
    /// The resources that each output came from.
    pub output_dependencies: PropertyDependencies,
}

/// A method call.
#[derive(Clone, Debug, Default)]
pub struct CallRequest {
    /// The method's token.
    pub token: String,
    /// Its arguments, with `__self__`.
    pub arguments: PropertyMap,
    /// The resources that each argument came from.
    pub argument_dependencies: PropertyDependencies,
}

/// The answer of a method.
#[derive(Clone, Debug, Default)]
pub struct CallResponse {
    /// The result.
    pub result: PropertyMap,
    /// The resources that each part came from.
    pub dependencies: PropertyDependencies,
    /// Problems with the arguments.
    pub failures: Vec<CheckFailure>,
}
