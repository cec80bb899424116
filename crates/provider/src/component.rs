//! Functions, lists, leased values and components.

use std::collections::BTreeMap;
use std::time::Duration;

use outrigger_value::{PropertyMap, Urn, Value};

use crate::CheckFailure;

/// A function call.
#[derive(Clone, Debug)]
pub struct Invoke {
    /// The function's token.
    pub token: String,
    /// Its arguments.
    pub arguments: PropertyMap,
    /// Ask only what would happen.
    pub preview: bool,
}

/// What a function answered.
#[derive(Clone, Debug, Default)]
pub struct Invoked {
    /// The result.
    pub result: PropertyMap,
    /// What is wrong with the arguments.
    pub failures: Vec<CheckFailure>,
}

/// A part of a streamed answer.
#[derive(Clone, Debug)]
pub enum StreamItem {
    /// Bytes for stdout.
    Stdout(Vec<u8>),
    /// Bytes for stderr.
    Stderr(Vec<u8>),
    /// A value.
    Value(Value),
}

/// One listed resource, or the way to the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListItem {
    /// A resource.
    Found {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
    },
    /// Ask again with this text.
    More(String),
    /// The list cannot be known yet.
    Computed,
}

/// A leased, ephemeral value.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The value.
    pub result: PropertyMap,
    /// What the provider wants back to renew or close it.
    pub lease: Vec<u8>,
    /// Renew after this time.
    pub renew_after: Option<Duration>,
}

/// A component that was made.
#[derive(Clone, Debug)]
pub struct ConstructResponse {
    /// Its name.
    pub urn: Urn,
    /// Its outputs.
    pub outputs: PropertyMap,
    /// The resources that each output came from.
    pub output_dependencies: BTreeMap<String, Vec<Urn>>,
}

/// A method call.
#[derive(Clone, Debug, Default)]
pub struct CallRequest {
    /// The method's token.
    pub token: String,
    /// Its arguments, with `__self__`.
    pub arguments: PropertyMap,
    /// The resources that each argument came from.
    pub argument_dependencies: BTreeMap<String, Vec<Urn>>,
}

/// What a method answered.
#[derive(Clone, Debug, Default)]
pub struct CallResponse {
    /// The result.
    pub result: PropertyMap,
    /// The resources that each part came from.
    pub dependencies: BTreeMap<String, Vec<Urn>>,
    /// What is wrong with the arguments.
    pub failures: Vec<CheckFailure>,
}
