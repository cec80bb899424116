//! Restores the exact state of a Terraform provider from Pulumi's outputs: `__pulumi_raw_state_delta`.
//!
//! Outputs leave out nulls, flatten collections of one, have other names, and hold doubles. The delta records how to get the provider's own JSON
//! back. Pulumi's bridge writes deltas and reads ours; the format is its format:
//!
//! | key | meaning |
//! | --- | --- |
//! | none | the value as it is |
//! | `obj` | an object: `renamed` names, deltas of properties `ps`, `ignored` properties |
//! | `map`, `arr` | a map, a list or set, with deltas of elements `el` |
//! | `plu` | the only element of a collection, with its delta `i`; null is an empty collection |
//! | `num` | a string that is a number |
//! | `replace` | the value itself, in `raw`; stored as a secret, because it may be one |

use std::collections::BTreeMap;

use outrigger_terraform::cty::{self, Number, Type, Value as Cty, quote, separate};
use outrigger_value::{PropertyMap, Value, secrecy};

use crate::naming::case;
use crate::naming::object_names::{Object, Shape};
use crate::values::json::{self, NotJson, write};

/// The property that holds the delta.
pub const KEY: &str = secrecy::REPETITION;

/// Why a state cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the stored state and its `{KEY}` do not belong together: {0}. If the state was edited by hand, remove the `{KEY}` of this resource and run again"
)]
pub struct Broken(String);

impl From<NotJson> for Broken {
    fn from(error: NotJson) -> Self {
        Self(error.to_string())
    }
}

/// The delta of a state, whose type is that of the resource.
pub(crate) fn of_state(object: &Object, state: &Cty, ty: &Type) -> Value {
    marshalled(Some(of_object(object, state, ty, true)))
}

/// The provider's JSON, from outputs and their delta.
pub fn recover(outputs: &PropertyMap, delta: &Value) -> Result<String, Broken> {
    if outputs.values().any(Value::contains_unknown) {
        return Err(Broken("a stored value is unknown".to_owned()));
    }
    let mut text = String::new();
    match part(delta, "obj") {
        Some(content) => recovered_object(content, outputs, &mut text)?,
        // A resource is an object; any other value has a short delta.
        None => recovered(delta, &Value::Map(outputs.clone()), &mut text)?,
    }
    Ok(text)
}

/// One delta; `None` leaves the value as it is.
enum Delta {
    Object { renamed: BTreeMap<String, String>, properties: BTreeMap<String, Delta> },
    Map(BTreeMap<String, Delta>),
    List(BTreeMap<usize, Delta>),
    Plural(Option<Box<Delta>>),
    Replace(Value),
}

fn of_object(object: &Object, value: &Cty, ty: &Type, top: bool) -> Delta {
    let (Cty::Map(items), Type::Object(types)) = (value, ty) else { return replace(value, ty) };
    let mut renamed = BTreeMap::new();
    let mut properties = BTreeMap::new();
    for field in object.fields() {
        let (Some(value), Some(ty)) = (items.get(&field.terraform), types.attributes.get(&field.terraform)) else {
            continue;
        };
        if case::snake(&field.name) != *field.terraform {
            renamed.insert(field.name.to_string(), field.terraform.to_string());
        }
        // The user's limits are no part of the resource: they are stored only if they were given.
        if top && &*field.terraform == "timeouts" && value.is_null() {
            continue;
        }
        let delta = if is_left_out(&field.shape, value) {
            Some(replace(value, ty))
        } else {
            of_shaped(&field.shape, value, ty)
        };
        if let Some(delta) = delta {
            properties.insert(field.name.to_string(), delta);
        }
    }
    Delta::Object { renamed, properties }
}

/// Whether outputs leave the value out.
fn is_left_out(shape: &Shape, value: &Cty) -> bool {
    value.is_null() || (matches!(shape, Shape::One { .. }) && matches!(value.elements(), [] | [Cty::Null]))
}

fn of_shaped(shape: &Shape, value: &Cty, ty: &Type) -> Option<Delta> {
    match (shape, value, ty) {
        (Shape::Any, _, _) => Some(replace(value, ty)),
        (_, Cty::Null, _) | (Shape::String, Cty::String(_), _) | (Shape::Bool, Cty::Bool(_), _) => None,
        (Shape::Number, Cty::Number(number), _) => (!is_similar(number)).then(|| replace(value, ty)),
        (Shape::One { object, .. }, Cty::List(items) | Cty::Set(items), Type::List(element) | Type::Set(element)) => {
            match items.as_slice() {
                [item] => Some(Delta::Plural(Some(Box::new(of_object(object, item, element, false))))),
                _ => Some(Delta::Plural(None)),
            }
        }
        (Shape::List(shape), Cty::List(items), Type::List(element))
        | (Shape::Set(shape), Cty::Set(items), Type::Set(element)) => {
            let deltas = items.iter().enumerate();
            let deltas = deltas.filter_map(|(index, item)| Some((index, of_shaped(shape, item, element)?)));
            Some(Delta::List(deltas.collect()))
        }
        (Shape::Map(shape), Cty::Map(items), Type::Map(element)) => {
            let deltas =
                items.iter().filter_map(|(key, item)| Some((key.to_string(), of_shaped(shape, item, element)?)));
            Some(Delta::Map(deltas.collect()))
        }
        (Shape::Object(object), value, ty) => Some(of_object(object, value, ty, false)),
        (_, value, ty) => Some(replace(value, ty)),
    }
}

/// Whether the nearest double prints like the number: then no digit that was written is lost.
fn is_similar(number: &Number) -> bool {
    number.to_f64().to_string() == number.to_string()
}

fn replace(value: &Cty, ty: &Type) -> Delta {
    let raw = cty::to_json(value, ty).ok().and_then(|text| serde_json::from_str(&text).ok());
    Delta::Replace(raw.map_or(Value::Null, json::value))
}

fn marshalled(delta: Option<Delta>) -> Value {
    let wrapped =
        |name: &str, content: PropertyMap| Value::Map(PropertyMap::from([(name.to_owned(), Value::Map(content))]));
    let optional = |name: &str, items: PropertyMap| {
        if items.is_empty() { PropertyMap::new() } else { PropertyMap::from([(name.to_owned(), Value::Map(items))]) }
    };
    match delta {
        None => Value::Map(PropertyMap::new()),
        Some(Delta::Object { renamed, properties }) => {
            let mut content = PropertyMap::new();
            if !renamed.is_empty() {
                let renamed = renamed.into_iter().map(|(name, terraform)| (name, Value::String(terraform))).collect();
                content.insert("renamed".to_owned(), Value::Map(renamed));
            }
            let properties = properties.into_iter().map(|(name, delta)| (name, marshalled(Some(delta)))).collect();
            content.extend(optional("ps", properties));
            wrapped("obj", content)
        }
        Some(Delta::Map(items)) => wrapped(
            "map",
            optional("el", items.into_iter().map(|(key, delta)| (key, marshalled(Some(delta)))).collect()),
        ),
        Some(Delta::List(items)) => {
            let items = items.into_iter().map(|(index, delta)| (index.to_string(), marshalled(Some(delta)))).collect();
            wrapped("arr", optional("el", items))
        }
        Some(Delta::Plural(inner)) => {
            wrapped("plu", PropertyMap::from([("i".to_owned(), marshalled(inner.map(|delta| *delta)))]))
        }
        Some(Delta::Replace(raw)) => Value::secret(wrapped("replace", PropertyMap::from([("raw".to_owned(), raw)]))),
    }
}

/// A property map inside a delta, if there is one. Parts of a delta may be secret.
fn part<'a>(delta: &'a Value, name: &str) -> Option<&'a PropertyMap> {
    delta.bare().as_map().and_then(|parts| section(parts, name))
}

fn section<'a>(content: &'a PropertyMap, name: &str) -> Option<&'a PropertyMap> {
    content.get(name).and_then(|section| section.bare().as_map())
}

const NO_PROPERTIES: &PropertyMap = &PropertyMap::new();

fn recovered(delta: &Value, value: &Value, into: &mut String) -> Result<(), Broken> {
    let value = value.bare();
    if let Some(content) = part(delta, "obj") {
        let Value::Map(properties) = value else { return Err(Broken("an object was expected".to_owned())) };
        return recovered_object(content, properties, into);
    }
    if let Some(content) = part(delta, "replace") {
        return Ok(write(content.get("raw").unwrap_or(&Value::Null), into)?);
    }
    if let Some(content) = part(delta, "plu") {
        into.push('[');
        if *value != Value::Null {
            recovered(content.get("i").unwrap_or(&Value::Null), value, into)?;
        }
        into.push(']');
        return Ok(());
    }
    if let Some(content) = part(delta, "map") {
        let Value::Map(items) = value else { return Err(Broken("a map was expected".to_owned())) };
        let deltas = section(content, "el").unwrap_or(NO_PROPERTIES);
        into.push('{');
        for (position, (key, item)) in items.iter().enumerate() {
            separate(position, into);
            quote(key, into);
            into.push(':');
            recovered(deltas.get(key).unwrap_or(&Value::Null), item, into)?;
        }
        into.push('}');
        return Ok(());
    }
    if let Some(content) = part(delta, "arr") {
        let Value::List(items) = value else { return Err(Broken("a list was expected".to_owned())) };
        let deltas = section(content, "el").unwrap_or(NO_PROPERTIES);
        if let Some(beyond) =
            deltas.keys().find(|index| index.parse::<usize>().map_or(true, |index| index >= items.len()))
        {
            return Err(Broken(format!("there is no element {beyond}")));
        }
        into.push('[');
        for (position, item) in items.iter().enumerate() {
            separate(position, into);
            recovered(deltas.get(&position.to_string()).unwrap_or(&Value::Null), item, into)?;
        }
        into.push(']');
        return Ok(());
    }
    if part(delta, "num").is_some() {
        let number = value.as_str().and_then(|text| text.parse::<Number>().ok());
        let number = number.ok_or_else(|| Broken("text that is a number was expected".to_owned()))?;
        into.push_str(&number.to_string());
        return Ok(());
    }
    if part(delta, "asset").is_some() {
        return Err(Broken("assets do not occur in states of Terraform providers".to_owned()));
    }
    natural(value, into)
}

fn recovered_object(content: &PropertyMap, properties: &PropertyMap, into: &mut String) -> Result<(), Broken> {
    let [renamed, deltas] = ["renamed", "ps"].map(|name| section(content, name).unwrap_or(NO_PROPERTIES));
    let ignored = |name: &String| match content.get("ignored").map(Value::bare) {
        Some(Value::List(names)) => names.iter().any(|other| other.bare().as_str() == Some(name)),
        _ => false,
    };
    let terraform = |name: &String| {
        renamed.get(name).and_then(|name| name.bare().as_str()).map_or_else(|| case::snake(name), str::to_owned)
    };
    // In the order of the provider's names, as in the original JSON.
    let mut members: BTreeMap<String, (&Value, &Value)> = BTreeMap::new();
    for (name, value) in properties.iter().filter(|(name, _)| !is_bookkeeping(name) && !ignored(name)) {
        members.insert(terraform(name), (deltas.get(name).unwrap_or(&Value::Null), value));
    }
    for (name, delta) in deltas.iter().filter(|(name, _)| !properties.contains_key(*name)) {
        members.insert(terraform(name), (delta, &Value::Null));
    }
    into.push('{');
    for (position, (name, (delta, value))) in members.into_iter().enumerate() {
        separate(position, into);
        quote(&name, into);
        into.push(':');
        recovered(delta, value, into)?;
    }
    into.push('}');
    Ok(())
}

/// Whether a property belongs to the bridge itself.
pub(crate) fn is_bookkeeping(name: &str) -> bool {
    matches!(name, "__meta" | "__defaults" | KEY)
}

/// A value that needs no delta. Objects always have one: nothing distinguishes them from maps.
fn natural(value: &Value, into: &mut String) -> Result<(), Broken> {
    match value.bare() {
        Value::Map(_) => Err(Broken("an object has no delta".to_owned())),
        Value::List(items) => {
            into.push('[');
            for (position, item) in items.iter().enumerate() {
                separate(position, into);
                natural(item, into)?;
            }
            into.push(']');
            Ok(())
        }
        other => Ok(write(other, into)?),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_support::{any_block, any_state, attribute, map};
    use crate::values::decode;
    use outrigger_terraform::schema::Block;

    /// The provider's JSON, restored, as a value.
    fn found(block: &Block, state: &Cty) -> Cty {
        let object = Object::of_block(block);
        let outputs = decode::object(&object, state).unwrap();
        let json = recover(&outputs, &of_state(&object, state, &block.ty())).unwrap();
        cty::from_json(json.as_bytes(), &block.ty()).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    proptest! {
        #[test]
        fn every_state_is_found_again((block, state) in any_block().prop_flat_map(|block| {
            let state = any_state(&block);
            (Just(block), state)
        })) {
            prop_assert_eq!(found(&block, &state), state);
        }
    }

    #[test]
    fn what_says_itself_what_it_is_comes_back_with_its_type() {
        let block = Block { attributes: vec![attribute("any", Type::Dynamic, "o")], ..Block::default() };
        let list = Cty::dynamic(Type::list(Type::Number), Cty::List(vec![Cty::Number(1_i64.into())]));
        for value in [list, Cty::dynamic(Type::String, Cty::Null), Cty::Null] {
            let state = map([("any", value)]);
            assert!(found(&block, &state) == state);
        }
    }

    #[test]
    fn large_numbers_come_back_as_doubles() {
        let block = Block { attributes: vec![attribute("n", Type::Number, "o")], ..Block::default() };
        for text in ["9007199254740993", "0.1", "123456789012345678901234567891"] {
            let number: Number = text.parse().unwrap();
            let Some(Cty::Number(back)) = found(&block, &map([("n", Cty::Number(number.clone()))])).get("n").cloned()
            else {
                panic!("{text} is not found again")
            };
            assert_eq!(back.to_f64(), number.to_f64(), "{text}");
        }
    }

    #[test]
    fn what_does_not_belong_together_is_an_error() {
        let outputs = PropertyMap::from([("a".to_owned(), Value::List(vec![Value::from("x")]))]);
        let of_a = |delta: &str| {
            let text = format!(r#"{{"obj":{{"ps":{{"a":{delta}}}}}}}"#);
            recover(&outputs, &json::value(serde_json::from_str(&text).unwrap()))
        };
        assert_eq!(of_a("{}").unwrap(), r#"{"a":["x"]}"#);
        for (delta, reason) in [
            (r#"{"obj":{}}"#, "an object was expected"),
            (r#"{"map":{}}"#, "a map was expected"),
            (r#"{"num":{}}"#, "text that is a number was expected"),
            (r#"{"arr":{"el":{"1":{}}}}"#, "there is no element 1"),
            (r#"{"asset":{}}"#, "assets do not occur"),
        ] {
            let error = of_a(delta).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("edited by hand"), "{error}");
        }
        let unknown = PropertyMap::from([("a".to_owned(), Value::Unknown)]);
        assert!(recover(&unknown, &Value::Null).is_err());
    }
}
