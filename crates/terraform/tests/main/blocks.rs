//! Random blocks, with configurations of them and a provider's results.

use std::sync::Arc;

use outrigger_terraform::cty::{Attributes, Type, Value};
use outrigger_terraform::propose::empty_nested;
use outrigger_terraform::schema::{Attribute, Block, Description, NestedBlock, NestedObject, Nesting, Shape};
use proptest::prelude::*;

/// The attribute that distinguishes the elements of a set, so that each can be found again.
const KEY: &str = "key";

pub(crate) fn attribute(name: &str, shape: Shape, flags: &str) -> Attribute {
    Attribute {
        name: Arc::from(name),
        shape,
        description: Description::default(),
        required: flags.contains('r'),
        optional: flags.contains('o'),
        computed: flags.contains('c'),
        sensitive: false,
        write_only: false,
        deprecation: None,
    }
}

/// Attributes without attributes of their own.
fn any_plain() -> impl Strategy<Value = Vec<Attribute>> {
    let ty = prop_oneof![
        2 => Just(Type::String),
        1 => Just(Type::list(Type::String)),
        1 => Just(Type::set(Type::String)),
        1 => Just(Type::map(Type::String)),
    ];
    let flags = proptest::sample::select(&["r", "o", "c", "oc"]);
    proptest::collection::btree_map("[a-d]", (ty, flags), 0..4).prop_map(|members| {
        let members = members.iter().map(|(name, (ty, flags))| attribute(name, Shape::Type(ty.clone()), flags));
        members.collect()
    })
}

fn with_key(mut attributes: Vec<Attribute>) -> Vec<Attribute> {
    attributes.push(attribute(KEY, Shape::Type(Type::String), "r"));
    attributes
}

/// The attributes of a set's elements. An element with a computed set in it cannot be matched again, as in the original.
fn of_set(mut attributes: Vec<Attribute>) -> Vec<Attribute> {
    attributes.retain(|attribute| !attribute.computed || !matches!(attribute.shape, Shape::Type(Type::Set(_))));
    attributes
}

fn any_nesting(nestings: &'static [Nesting]) -> impl Strategy<Value = Nesting> + Clone {
    proptest::sample::select(nestings)
}

/// Attributes, some of which have attributes.
fn any_attributes() -> BoxedStrategy<Vec<Attribute>> {
    let nesting = any_nesting(&[Nesting::Single, Nesting::List, Nesting::Set, Nesting::Map]);
    let nested = (nesting, any_plain(), any_plain(), proptest::sample::select(&["r", "o", "c", "oc"])).prop_map(
        |(nesting, plain, inner, flags)| {
            let mut attributes = with_key(if nesting == Nesting::Set { of_set(plain) } else { plain });
            // Elements of sets are not compared any deeper.
            if nesting != Nesting::Set {
                let inner = NestedObject { attributes: inner, nesting: Nesting::Single };
                attributes.push(attribute("inner", Shape::Nested(inner), "o"));
            }
            attribute("nested", Shape::Nested(NestedObject { attributes, nesting }), flags)
        },
    );
    (any_plain(), proptest::option::of(nested))
        .prop_map(|(mut attributes, nested)| {
            attributes.extend(nested);
            attributes
        })
        .boxed()
}

/// A block with blocks in it, of every nesting.
pub(crate) fn any_block() -> BoxedStrategy<Block> {
    let nesting = any_nesting(&[Nesting::Single, Nesting::Group, Nesting::List, Nesting::Set, Nesting::Map]);
    let leaf = any_attributes().prop_map(|attributes| Block { attributes, ..Block::default() });
    let nested = leaf.prop_recursive(2, 6, 2, move |inner| {
        let block = (nesting.clone(), inner, any_plain());
        (any_attributes(), proptest::collection::vec(block, 0..3)).prop_map(|(attributes, blocks)| {
            let blocks = blocks.into_iter().enumerate().map(|(number, (nesting, mut block, plain))| {
                match nesting {
                    Nesting::Set => block = Block { attributes: with_key(of_set(plain)), ..Block::default() },
                    Nesting::List | Nesting::Map => block.attributes = with_key(block.attributes),
                    Nesting::Single | Nesting::Group => {}
                }
                let name = Arc::from(format!("block{number}"));
                NestedBlock { name, block: Arc::new(block), nesting, min_items: 0, max_items: 0 }
            });
            Block { attributes, blocks: blocks.collect(), ..Block::default() }
        })
    });
    nested.boxed()
}

fn any_text(prefix: &'static str) -> impl Strategy<Value = Value> + Clone {
    "[a-c]".prop_map(move |text| Value::string(format!("{prefix}{text}")))
}

fn any_of_type(ty: &Type, prefix: &'static str) -> BoxedStrategy<Value> {
    let texts = proptest::collection::vec(any_text(prefix), 0..3);
    match ty {
        Type::List(_) => texts.prop_map(Value::List).boxed(),
        Type::Set(_) => texts.prop_map(Value::Set).boxed(),
        Type::Map(_) => proptest::collection::btree_map("[x-z]", any_text(prefix), 0..3)
            .prop_map(|items| Value::Map(items.into_iter().map(|(key, item)| (Arc::from(key), item)).collect()))
            .boxed(),
        _ => any_text(prefix).boxed(),
    }
}

/// Values with their names.
fn named(members: Vec<(Arc<str>, BoxedStrategy<Value>)>) -> BoxedStrategy<Attributes> {
    let (names, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    values.prop_map(move |values| names.iter().cloned().zip(values).collect()).boxed()
}

/// A collection of objects with this nesting; in a set no two have the same key.
fn kept(nesting: Nesting, object: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => proptest::collection::vec(object, 0..3).prop_map(Value::List).boxed(),
        Nesting::Set => proptest::collection::vec(object, 0..3)
            .prop_map(|mut items| {
                let mut seen: Vec<Value> = Vec::new();
                items.retain(|item| {
                    let key = item.get(KEY).cloned().unwrap_or(Value::Null);
                    let new = !seen.contains(&key);
                    seen.push(key);
                    new
                });
                Value::Set(items)
            })
            .boxed(),
        Nesting::Map => proptest::collection::btree_map("[x-z]", object, 0..3)
            .prop_map(|items| Value::Map(items.into_iter().map(|(key, item)| (Arc::from(key), item)).collect()))
            .boxed(),
    }
}

fn written_attribute(attribute: &Attribute) -> BoxedStrategy<Value> {
    if !attribute.required && !attribute.optional {
        return Just(Value::Null).boxed();
    }
    let written = match &attribute.shape {
        Shape::Type(ty) => any_of_type(ty, ""),
        Shape::Nested(nested) => {
            let members =
                nested.attributes.iter().map(|attribute| (attribute.name.clone(), written_attribute(attribute)));
            kept(nested.nesting, named(members.collect()).prop_map(Value::Map).boxed())
        }
    };
    if attribute.required { written } else { prop_oneof![Just(Value::Null), written].boxed() }
}

/// A configuration that an author may write for a block.
pub(crate) fn any_configuration(block: &Block) -> BoxedStrategy<Value> {
    let attributes = block.attributes.iter().map(|attribute| (attribute.name.clone(), written_attribute(attribute)));
    let blocks = block.blocks.iter().map(|nested| {
        let some = kept(nested.nesting, any_configuration(&nested.block));
        let value = match nested.nesting {
            Nesting::Single => prop_oneof![Just(empty_nested(nested)), some].boxed(),
            _ => some,
        };
        (nested.name.clone(), value)
    });
    named(attributes.chain(blocks).collect()).prop_map(Value::Map).boxed()
}

/// Fills in the values that a provider may choose: every such text, depending on its place and the seed.
pub(crate) fn made(block: &Block, value: Value, seed: u8) -> Value {
    let Value::Map(mut members) = value else { return value };
    made_attributes(&block.attributes, &mut members, seed);
    for nested in &block.blocks {
        let Some(value) = members.remove(&nested.name) else { continue };
        let value = each(nested.nesting, value, |value| made(&nested.block, value, seed));
        members.insert(nested.name.clone(), value);
    }
    Value::Map(members)
}

fn made_attributes(attributes: &[Attribute], members: &mut Attributes, seed: u8) {
    for attribute in attributes {
        let Some(value) = members.remove(&attribute.name) else { continue };
        let value = match &attribute.shape {
            Shape::Type(ty) if attribute.computed && value.is_null() => made_of_type(ty, &attribute.name, seed),
            Shape::Nested(nested) if !value.is_null() => each(nested.nesting, value, |value| {
                let Value::Map(mut members) = value else { return value };
                made_attributes(&nested.attributes, &mut members, seed);
                Value::Map(members)
            }),
            _ => value,
        };
        members.insert(attribute.name.clone(), value);
    }
}

fn made_of_type(ty: &Type, name: &str, seed: u8) -> Value {
    let text = Value::string(format!("made {name} {}", seed % 3));
    match ty {
        Type::List(_) => Value::List(vec![text]),
        Type::Set(_) => Value::Set(vec![text]),
        Type::Map(_) => Value::Map(Attributes::from([(Arc::from("made"), text)])),
        _ => text,
    }
}

/// Changes every object in a value of this nesting.
fn each(nesting: Nesting, value: Value, change: impl Fn(Value) -> Value) -> Value {
    match (nesting, value) {
        (Nesting::Single | Nesting::Group, value) => change(value),
        (_, Value::List(items)) => Value::List(items.into_iter().map(change).collect()),
        (_, Value::Set(items)) => Value::Set(items.into_iter().map(change).collect()),
        (_, Value::Map(items)) => Value::Map(items.into_iter().map(|(key, item)| (key, change(item))).collect()),
        (_, value) => value,
    }
}
