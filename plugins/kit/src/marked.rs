//! Values that remember whether they were passed in as a secret.

use std::fmt;

use outrigger_sdk::shape::Shape;
use outrigger_sdk::{Mismatch, Property, Value};

/// A value that may be secret: a secret input stays secret as an output, and so can values computed from it. Never printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Marked<T> {
    pub(crate) value: T,
    pub(crate) secret: bool,
}

impl<T> Marked<T> {
    pub(crate) fn new(value: T, secret: bool) -> Self {
        Self { value, secret }
    }
}

impl<T> fmt::Debug for Marked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[marked]")
    }
}

impl<T: Property> Property for Marked<T> {
    const OPTIONAL: bool = T::OPTIONAL;

    fn shape() -> Shape {
        T::shape()
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        let secret = value.contains_secret();
        T::decode(value).map(|value| Self { value, secret })
    }

    fn encode(self) -> Value {
        match self.value.encode() {
            Value::Null => Value::Null,
            value if self.secret => Value::secret(value),
            value => value,
        }
    }
}
