//! cty: the values that Terraform's protocols carry, and their two encodings.
//!
//! A [`Value`] does not repeat its [`Type`]: lists and tuples look the same, and so do maps and objects. A value can only be interpreted
//! together with its type, which is in the schema. Only a value of the type `dynamic` brings its own type along.

mod json;
mod msgpack;
mod number;
mod path;
mod sets;
mod types;
mod value;

pub use json::{from_json, from_json_value, from_plain_json, quote, separate, to_json};
pub use msgpack::{decode, encode, encode_into};
pub use number::{NotANumber, Number};
pub use path::{Path, Step};
pub use sets::{known_are_in, ordered, same_set};
pub use types::{DEPTH_LIMIT, NotAType, ObjectType, Type};
pub use value::{Attributes, Bound, Refinement, Value};

/// Why a value cannot be read or written, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", if path.0.is_empty() { String::new() } else { format!("{path}: ") })]
pub struct CodecError {
    /// The path of the value.
    pub path: Path,
    /// The reason.
    pub reason: String,
}

impl CodecError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { path: Path::default(), reason: reason.into() }
    }

    /// The same error, one step further out.
    pub(crate) fn within(mut self, step: Step) -> Self {
        self.path.0.insert(0, step);
        self
    }
}
