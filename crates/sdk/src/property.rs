//! Types that a property can have.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use outrigger_provider::CheckFailure;
use outrigger_value::{Archive, Asset, PathStep, PropertyMap, PropertyPath, Value};

use crate::shape::Shape;

/// A value that does not have the expected type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where, outermost step last: it is put together on the way out.
    steps: Vec<PathStep>,
    reason: String,
}

impl Mismatch {
    /// A mismatch at the value itself.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { steps: Vec::new(), reason: reason.into() }
    }

    /// Another kind of value was expected, such as `a string`.
    pub fn expected(what: &str, got: &Value) -> Self {
        match got.bare() {
            Value::Null => Self::new(format!("expected {what}, got nothing")),
            Value::Unknown => Self::new(format!("expected {what}, got a value that is not known yet")),
            got => {
                let kind = got.kind();
                let article = if kind.starts_with(['a', 'o']) { "an" } else { "a" };
                Self::new(format!("expected {what}, got {article} {kind}"))
            }
        }
    }

    /// The same mismatch as seen from outside: the value is at this step of a list, map or object.
    #[must_use]
    pub fn at(mut self, step: PathStep) -> Self {
        self.steps.push(step);
        self
    }

    /// The path of the value.
    pub fn path(&self) -> PropertyPath {
        PropertyPath(self.steps.iter().rev().cloned().collect())
    }

    /// The reason.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<Mismatch> for CheckFailure {
    fn from(mismatch: Mismatch) -> Self {
        Self::new(mismatch.path().to_string(), mismatch.reason)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps.is_empty() {
            true => f.write_str(&self.reason),
            false => write!(f, "`{}`: {}", self.path(), self.reason),
        }
    }
}

impl std::error::Error for Mismatch {}

/// A type that a property can have: strings, numbers, booleans, lists, maps, `Option`, [`crate::Secret`], assets, [`Value`] for anything, and types
/// that derive [`crate::Object`] or [`crate::Enumeration`].
pub trait Property: Sized + Send + Sync + 'static {
    /// Whether it may be missing.
    const OPTIONAL: bool = false;
    /// Whether values of the type are secret.
    const SECRET: bool = false;

    /// The type in the schema.
    fn shape() -> Shape;

    /// From a value. Secret marks are looked through.
    fn decode(value: Value) -> Result<Self, Mismatch>;

    /// To a value; null if there is none.
    fn encode(self) -> Value;
}

/// A value without the marks on its outermost level.
pub(crate) fn bare(value: Value) -> Value {
    match value {
        Value::Secret(inner) => bare(*inner),
        Value::Output(output) => output.value.map_or(Value::Unknown, bare),
        other => other,
    }
}

impl Property for String {
    fn shape() -> Shape {
        Shape::String
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        match bare(value) {
            Value::String(text) => Ok(text),
            // A program that passes a resource where a string is expected means its id.
            Value::Resource(reference) => match reference.id {
                Some(id) => Self::decode(*id),
                None => Ok(reference.urn.to_string()),
            },
            other => Err(Mismatch::expected("a string", &other)),
        }
    }

    fn encode(self) -> Value {
        Value::String(self)
    }
}

/// Types that are one kind of value and nothing else.
macro_rules! one_kind {
    ($($ty:ty: $shape:ident, $kind:ident($value:ident) => $plain:expr, $words:literal;)*) => {$(
        impl Property for $ty {
            fn shape() -> Shape {
                Shape::$shape
            }

            fn decode(value: Value) -> Result<Self, Mismatch> {
                match bare(value) {
                    Value::$kind($value) => Ok($plain),
                    other => Err(Mismatch::expected($words, &other)),
                }
            }

            fn encode(self) -> Value {
                Value::$kind(self.into())
            }
        }
    )*};
}

one_kind! {
    bool: Boolean, Bool(value) => value, "a boolean";
    f64: Number, Number(value) => value, "a number";
    Asset: Asset, Asset(value) => *value, "an asset";
    Archive: Archive, Archive(value) => *value, "an archive";
}

/// The wire carries doubles: whole numbers are exact up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number that a double holds exactly.
pub(crate) fn whole(value: Value) -> Result<i64, Mismatch> {
    match bare(value) {
        Value::Number(number) if number.fract() == 0.0 && number.abs() <= EXACT =>
        {
            #[allow(clippy::cast_possible_truncation, reason = "whole, and within the exact range of a double")]
            Ok(number as i64)
        }
        Value::Number(number) => Err(Mismatch::new(format!("expected a whole number, got {number}"))),
        other => Err(Mismatch::expected("a whole number", &other)),
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Property for $integer {
            fn shape() -> Shape {
                Shape::Integer
            }

            fn decode(value: Value) -> Result<Self, Mismatch> {
                let number = whole(value)?;
                Self::try_from(number).map_err(|_| {
                    Mismatch::new(format!("expected a number from {} to {}, got {number}", Self::MIN, Self::MAX))
                })
            }

            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "the wire carries doubles")]
            fn encode(self) -> Value {
                Value::Number(self as f64)
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64, usize);

impl<T: Property> Property for Option<T> {
    const OPTIONAL: bool = true;
    const SECRET: bool = T::SECRET;

    fn shape() -> Shape {
        T::shape()
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        match value.bare() {
            Value::Null => Ok(None),
            _ => T::decode(value).map(Some),
        }
    }

    fn encode(self) -> Value {
        self.map_or(Value::Null, T::encode)
    }
}

impl<T: Property> Property for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        let Value::List(items) = bare(value) else { return Err(Mismatch::new("expected a list")) };
        let decode = |(index, item)| T::decode(item).map_err(|mismatch| mismatch.at(PathStep::Index(index)));
        items.into_iter().enumerate().map(decode).collect()
    }

    fn encode(self) -> Value {
        Value::List(self.into_iter().map(T::encode).collect())
    }
}

fn entries<T: Property>(value: Value) -> impl Iterator<Item = Result<(String, T), Mismatch>> {
    let (entries, wrong) = match bare(value) {
        Value::Map(entries) => (entries, None),
        other => (PropertyMap::new(), Some(Err(Mismatch::expected("an object", &other)))),
    };
    let decode = |(key, value): (String, Value)| match T::decode(value) {
        Ok(value) => Ok((key, value)),
        Err(mismatch) => Err(mismatch.at(PathStep::Key(key))),
    };
    wrong.into_iter().chain(entries.into_iter().map(decode))
}

impl<T: Property> Property for BTreeMap<String, T> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        entries(value).collect()
    }

    fn encode(self) -> Value {
        Value::Map(self.into_iter().map(|(key, value)| (key, value.encode())).collect())
    }
}

impl<T: Property> Property for HashMap<String, T> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        entries(value).collect()
    }

    fn encode(self) -> Value {
        Value::Map(self.into_iter().map(|(key, value)| (key, value.encode())).collect())
    }
}

impl Property for Value {
    fn shape() -> Shape {
        Shape::Any
    }

    fn decode(value: Value) -> Result<Self, Mismatch> {
        Ok(value)
    }

    fn encode(self) -> Value {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mismatches_name_the_place() {
        let list = Value::List(vec![Value::Map([("a".to_owned(), Value::Number(1.5))].into())]);
        let mismatch = Vec::<BTreeMap<String, u8>>::decode(list).unwrap_err();
        assert_eq!(
            mismatch.at(PathStep::Key("sizes".to_owned())).to_string(),
            "`sizes[0].a`: expected a whole number, got 1.5"
        );
        assert_eq!(u8::decode(Value::Number(300.0)).unwrap_err().reason(), "expected a number from 0 to 255, got 300");
        assert_eq!(String::decode(Value::Bool(true)).unwrap_err().reason(), "expected a string, got a boolean");
        assert_eq!(bool::decode(Value::Null).unwrap_err().reason(), "expected a boolean, got nothing");
    }

    #[test]
    fn marks_are_looked_through() {
        assert_eq!(Option::<String>::decode(Value::secret(Value::Null)), Ok(None));
        assert_eq!(Option::<String>::decode(Value::secret("a".into())), Ok(Some("a".to_owned())));
    }
}
