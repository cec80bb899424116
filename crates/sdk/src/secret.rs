//! Values that are never shown.

use std::fmt;

use outrigger_value::Value;

use crate::shape::Shape;
use crate::{Mismatch, Property};

/// A secret. It prints as `[secret]`, and is encrypted wherever it is stored.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Makes a secret of a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value. Do not log it or put it into a message.
    pub fn reveal(&self) -> &T {
        &self.0
    }

    /// The value itself.
    pub fn into_revealed(self) -> T {
        self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl<T: Property> Property for Secret<T> {
    const OPTIONAL: bool = T::OPTIONAL;
    const SECRET: bool = true;

    fn shape() -> Shape {
        T::shape()
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        T::decode(value).map(Self)
    }

    fn encode(self) -> Value {
        match self.0.encode() {
            Value::Null => Value::Null,
            value => Value::secret(value),
        }
    }
}
