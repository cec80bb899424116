//! Comparing sets regardless of order, and ordering them.

use super::{Type, Value};

/// Up to this size every pair of elements is compared; beyond it a canonical form of each element is built.
const FEW: usize = 8;

/// Whether both contain the same elements, regardless of order and repetition.
pub fn same_set(left: &[Value], right: &[Value]) -> bool {
    if left.len() <= FEW && right.len() <= FEW && !left.iter().any(holds_set) {
        return left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item));
    }
    canonical(left) == canonical(right)
}

/// Whether all known elements of the first are in the second.
pub fn known_are_in(left: &[Value], right: &[Value]) -> bool {
    let known: Vec<Value> = left.iter().filter(|item| item.is_wholly_known()).cloned().collect();
    let right = canonical(right);
    canonical(&known).iter().all(|form| right.binary_search(form).is_ok())
}

/// Comparing pairs would take twice as long for each level of sets in sets.
fn holds_set(value: &Value) -> bool {
    match value {
        Value::Set(_) => true,
        Value::List(items) => items.iter().any(holds_set),
        Value::Map(items) => items.values().any(holds_set),
        Value::Dynamic(inner) => holds_set(&inner.1),
        _ => false,
    }
}

/// The elements' canonical forms, sorted and each once.
fn canonical(items: &[Value]) -> Vec<Vec<u8>> {
    let mut forms: Vec<Vec<u8>> = items
        .iter()
        .map(|item| {
            let mut form = Vec::new();
            write(item, &mut form);
            form
        })
        .collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Equal values have equal forms, and different values different ones; nothing else reads it.
fn write(value: &Value, into: &mut Vec<u8>) {
    let mut text = |tag: u8, text: &str| {
        into.push(tag);
        into.extend_from_slice(&(text.len() as u64).to_be_bytes());
        into.extend_from_slice(text.as_bytes());
    };
    match value {
        Value::Null => into.push(0),
        Value::Unknown(_) => into.push(1),
        Value::Bool(value) => into.extend_from_slice(&[2, u8::from(*value)]),
        Value::Number(number) => text(3, &number.canonical()),
        Value::String(string) => text(4, string),
        Value::List(items) => {
            into.push(5);
            into.extend_from_slice(&(items.len() as u64).to_be_bytes());
            items.iter().for_each(|item| write(item, into));
        }
        Value::Set(items) => {
            let forms = canonical(items);
            into.push(6);
            into.extend_from_slice(&(forms.len() as u64).to_be_bytes());
            for form in forms {
                into.extend_from_slice(&(form.len() as u64).to_be_bytes());
                into.extend_from_slice(&form);
            }
        }
        Value::Map(items) => {
            into.push(7);
            into.extend_from_slice(&(items.len() as u64).to_be_bytes());
            for (name, item) in items {
                into.extend_from_slice(&(name.len() as u64).to_be_bytes());
                into.extend_from_slice(name.as_bytes());
                write(item, into);
            }
        }
        Value::Dynamic(inner) => {
            text(8, &inner.0.to_json());
            write(&inner.1, into);
        }
    }
}

/// The same value with every set in cty's own order, each element once. Hosts that use cty send sets like this, and providers answer in the
/// order of the request; so this decides in which order a set is stored.
#[must_use]
pub fn ordered(value: Value, ty: &Type) -> Value {
    match (value, ty) {
        (Value::Set(items), Type::Set(element)) => {
            let mut items: Vec<Value> = items.into_iter().map(|item| ordered(item, element)).collect();
            items.sort_by_cached_key(|item| Rank::of(item, element));
            items.dedup_by(|one, other| one == other && one.is_wholly_known());
            Value::Set(items)
        }
        (Value::List(items), Type::List(element)) => {
            Value::List(items.into_iter().map(|item| ordered(item, element)).collect())
        }
        (Value::List(items), Type::Tuple(elements)) => {
            Value::List(items.into_iter().zip(elements.iter()).map(|(item, ty)| ordered(item, ty)).collect())
        }
        (Value::Map(items), Type::Map(element)) => {
            Value::Map(items.into_iter().map(|(key, item)| (key, ordered(item, element))).collect())
        }
        (Value::Map(items), Type::Object(object)) => {
            let items = items.into_iter().map(|(name, item)| match object.attributes.get(&name) {
                Some(ty) => (name, ordered(item, ty)),
                None => (name, item),
            });
            Value::Map(items.collect())
        }
        (Value::Dynamic(inner), Type::Dynamic) => {
            let (ty, value) = *inner;
            let value = ordered(value, &ty);
            Value::Dynamic(Box::new((ty, value)))
        }
        (value, _) => value,
    }
}

/// An element's rank: known values before unknown ones, nulls last; among known values, numbers by size, strings by bytes, all others by a text
/// built from them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Bool(bool),
    Number(i64, String),
    Text(Vec<u8>),
    Unknown,
    Null,
}

impl Rank {
    fn of(value: &Value, ty: &Type) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Unknown(_) => Self::Unknown,
            Value::Bool(value) => Self::Bool(*value),
            // Numbers that are equal as doubles are distinguished by their digits.
            Value::Number(number) => Self::Number(in_order(number.to_f64()), number.canonical()),
            Value::String(text) => Self::Text(text.as_bytes().to_vec()),
            other => {
                let mut text = String::new();
                describe(other, ty, &mut text);
                Self::Text(text.into_bytes())
            }
        }
    }
}

/// An integer that is larger if the number is: the bits of doubles are in order, except that those of negative ones are reversed.
fn in_order(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// cty's text for an element of a set. Objects and tuples look alike in it, and so do lists and sets; only maps have keys.
fn describe(value: &Value, ty: &Type, into: &mut String) {
    let mut several = |(open, close): (char, char), items: &mut dyn Iterator<Item = (&Value, &Type)>| {
        into.push(open);
        for (item, ty) in items {
            describe(item, ty, into);
            into.push(';');
        }
        into.push(close);
    };
    match (value, ty) {
        (Value::List(items), Type::Tuple(types)) => several(('<', '>'), &mut items.iter().zip(types.iter())),
        (Value::List(items) | Value::Set(items), Type::List(ty) | Type::Set(ty)) => {
            several(('[', ']'), &mut items.iter().map(|item| (item, &**ty)));
        }
        (Value::Map(items), Type::Object(object)) => {
            // Members that the type does not have are left out.
            let known = items.iter().filter_map(|(name, item)| Some((item, object.attributes.get(name)?)));
            several(('<', '>'), &mut { known });
        }
        (Value::Map(items), Type::Map(ty)) => {
            into.push('{');
            for (key, item) in items {
                into.push_str(&format!("{key:?}:"));
                describe(item, ty, into);
                into.push(';');
            }
            into.push('}');
        }
        (Value::Dynamic(inner), _) => describe(&inner.1, &inner.0, into),
        (value, _) => describe_one(value, into),
    }
}

fn describe_one(value: &Value, into: &mut String) {
    match value {
        Value::Unknown(_) => into.push('?'),
        Value::Null => into.push('~'),
        Value::Bool(value) => into.push(if *value { 'T' } else { 'F' }),
        Value::Number(number) => into.push_str(&ten_digits(number.to_f64())),
        Value::String(text) => into.push_str(&format!("{text:?}")),
        // A value of a wrong type: refused elsewhere.
        Value::List(_) | Value::Set(_) | Value::Map(_) | Value::Dynamic(_) => {}
    }
}

/// At most ten digits, with a power of ten if the number is very large or very small, as Go's `%.10g` writes it.
fn ten_digits(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let scientific = format!("{number:.9e}");
    let Some((mantissa, power)) = scientific.split_once('e') else { return scientific };
    let Ok(power) = power.parse::<i32>() else { return scientific };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let digits = i32::try_from(mantissa.bytes().filter(u8::is_ascii_digit).count()).unwrap_or(10);
    // A whole number with fewer digits may have as many places as it has digits.
    let room = if digits > power { digits.max(power + 1).min(10) } else { 10 };
    if power < -4 || power >= room {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", power.abs());
    }
    let places = usize::try_from((digits - 1 - power).max(0)).unwrap_or_default();
    format!("{number:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: impl IntoIterator<Item = String>) -> Vec<Value> {
        names.into_iter().map(Value::string).collect()
    }

    #[test]
    fn order_and_repetition_do_not_count_however_large_the_set() {
        for size in [1_usize, 5, 8, 9, 40] {
            let up = set((0..size).map(|n| n.to_string()));
            let mut down = set((0..size).rev().map(|n| n.to_string()));
            assert!(same_set(&up, &down), "{size}");
            down.push(Value::string("0"));
            assert!(same_set(&up, &down), "{size}");
            down.push(Value::string("other"));
            assert!(!same_set(&up, &down) && !same_set(&down, &up), "{size}");
        }
    }

    #[test]
    fn elements_have_an_order() {
        let strings = |texts: &[&str]| Value::Set(texts.iter().map(Value::string).collect());
        let ty = Type::set(Type::String);
        assert_eq!(format!("{:?}", ordered(strings(&["b", "a", "b"]), &ty).elements().len()), "2");
        let Value::Set(items) = ordered(strings(&["b", "", "a"]), &ty) else { unreachable!() };
        assert_eq!(items.iter().map(|item| item.as_str().unwrap()).collect::<Vec<_>>(), ["", "a", "b"]);
        let numbers = Value::Set([10_i64, 9, -1].map(|n| Value::Number(n.into())).to_vec());
        let Value::Set(items) = ordered(numbers, &Type::set(Type::Number)) else { unreachable!() };
        let texts: Vec<String> =
            items.iter().map(|item| if let Value::Number(n) = item { n.to_string() } else { String::new() }).collect();
        assert_eq!(texts, ["-1", "9", "10"]);
    }

    /// cty's own order of these, by the text that it builds from a map: keys and values.
    #[test]
    fn maps_are_in_the_order_of_their_keys() {
        let map = |key: &str, text: &str| Value::Map([(key.into(), Value::string(text))].into());
        let ty = Type::set(Type::map(Type::String));
        let ordered = |items: Vec<Value>| ordered(Value::Set(items), &ty);
        let of = |items: Vec<Value>| Value::Set(items);
        let Value::Set(items) = ordered(vec![map("b", "1"), map("a", "2")]) else { unreachable!() };
        assert_eq!(items, [map("a", "2"), map("b", "1")]);
        let twice = ordered(vec![map("a", "x"), map("b", "x"), map("a", "x")]);
        let Value::Set(items) = &twice else { unreachable!() };
        assert_eq!((items.len(), twice), (2, of(vec![map("a", "x"), map("b", "x")])));
    }

    #[test]
    fn ten_digits_as_go_writes_them() {
        for (number, text) in [
            (1.0, "1"),
            (10.0, "10"),
            (1500.0, "1500"),
            (0.1, "0.1"),
            (1_234_567_890.0, "1234567890"),
            (12_345_678_901.0, "1.23456789e+10"),
            (0.000_012, "1.2e-05"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(ten_digits(number), text);
        }
    }

    #[test]
    fn sets_of_sets() {
        let inner = |names: [&str; 2]| Value::Set(names.map(Value::string).to_vec());
        let many: Vec<Value> = (0..20).map(|n| inner([&n.to_string(), "x"])).collect();
        let other: Vec<Value> = (0..20).rev().map(|n| inner(["x", &n.to_string()])).collect();
        assert!(same_set(&many, &other));
        // As deep as values may be, and different only at the innermost level.
        let deep =
            |text: &str| (0..crate::cty::DEPTH_LIMIT).fold(Value::string(text), |inner, _| Value::Set(vec![inner]));
        assert!(deep("a") == deep("a") && deep("a") != deep("b"));
    }
}
