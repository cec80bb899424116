//! Values of Terraform, each behind its type.

use outrigger_terraform::cty::{Number, Type, Value, encode, ordered};

/// An input is the JSON of a type, a line break, and a value of that type.
pub fn typed(input: &[u8]) -> Option<(Type, &[u8])> {
    let end = input.iter().position(|byte| *byte == b'\n')?;
    let ty = Type::from_json(&input[..end]).ok()?;
    assert_eq!(Type::from_json(ty.to_json().as_bytes()).as_ref(), Ok(&ty), "a type is written as another");
    Some((ty, &input[end + 1..]))
}

/// A decoded value can be encoded, and stays the same when its sets are sorted.
pub fn check(value: &Value, ty: &Type) -> Vec<u8> {
    let bytes = encode(value, ty).unwrap_or_else(|error| panic!("what was read cannot be written: {error}"));
    let sorted = ordered(value.clone(), ty);
    assert!(&sorted == value, "another value when it is in order");
    let again = ordered(sorted.clone(), ty);
    assert_eq!(encode(&again, ty), encode(&sorted, ty), "what is in order has another order");
    bytes
}

/// Whether it contains an integer of more than 64 bits. One that came as a double is written with the fewest digits that distinguish it from other
/// doubles, as everywhere in Terraform: those of another integer.
pub fn holds_large_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_integer() && number.as_i64().is_none(),
        Value::List(items) | Value::Set(items) => items.iter().any(holds_large_integer),
        Value::Map(items) => items.values().any(holds_large_integer),
        Value::Dynamic(inner) => holds_large_integer(&inner.1),
        _ => false,
    }
}

/// The same value with the precision of a double.
pub fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(Number::rounded_to_double(number)),
        Value::List(items) => Value::List(items.iter().map(rounded).collect()),
        Value::Set(items) => Value::Set(items.iter().map(rounded).collect()),
        Value::Map(items) => Value::Map(items.iter().map(|(key, item)| (key.clone(), rounded(item))).collect()),
        Value::Dynamic(inner) => Value::dynamic(inner.0.clone(), rounded(&inner.1)),
        other => other.clone(),
    }
}
