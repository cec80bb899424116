//! The functions that the derive macros call. They are not part of the API.

use outrigger_value::{PathStep, PropertyMap, Value};

use crate::property::bare;
use crate::{Mismatch, Properties, Property};

/// Takes a property out of a map.
pub fn decode<T: Property>(properties: &mut PropertyMap, name: &str) -> Result<T, Mismatch> {
    let value = properties.remove(name).unwrap_or(Value::Null);
    if !T::OPTIONAL && *value.bare() == Value::Null && !matches!(T::shape(), crate::shape::Shape::Any) {
        return Err(Mismatch::new("it is missing").at(PathStep::Key(name.to_owned())));
    }
    T::decode(value).map_err(|mismatch| mismatch.at(PathStep::Key(name.to_owned())))
}

/// Takes a property out of a map; a missing one has its default.
pub fn decode_or<T: Property>(
    properties: &mut PropertyMap,
    name: &str,
    default: impl FnOnce() -> T,
) -> Result<T, Mismatch> {
    match properties.get(name).map(Value::bare) {
        None | Some(Value::Null) => Ok(default()),
        Some(_) => decode(properties, name),
    }
}

/// Takes an object out of a value.
pub fn decode_object<T: Properties>(value: Value) -> Result<T, Mismatch> {
    match bare(value) {
        Value::Map(properties) => T::decode(properties),
        other => Err(Mismatch::expected("an object", &other)),
    }
}

/// Puts a property into a map. Nothing is left out.
pub fn encode<T: Property>(properties: &mut PropertyMap, name: &str, value: T, secret: bool) {
    match value.encode() {
        Value::Null => {}
        value if secret => {
            properties.insert(name.to_owned(), Value::secret(value));
        }
        value => {
            properties.insert(name.to_owned(), value);
        }
    }
}
