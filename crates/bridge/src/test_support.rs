//! For tests: random resources and states, and short ways to write some.

use std::sync::Arc;

use outrigger_terraform::cty::{Number, Type, Value as Cty};
use outrigger_terraform::schema::{Attribute, Block, Description, NestedBlock, Nesting, Shape};
use proptest::prelude::*;

use crate::naming::object_names::Object;

/// Names whose plural and singular differ, and names that are hard to restore from their spelling.
const NAMES: &[&str] = &["name", "rule", "rules", "a_b", "a__b", "status", "ip_v4_address", "hive", "x509", "tag"];

/// `r`equired, `o`ptional, `c`omputed, `s`ensitive.
pub(crate) fn attribute(name: &str, ty: Type, flags: &str) -> Attribute {
    Attribute {
        name: name.into(),
        shape: Shape::Type(ty),
        description: Description::default(),
        required: flags.contains('r'),
        optional: flags.contains('o'),
        computed: flags.contains('c'),
        sensitive: flags.contains('s'),
        write_only: false,
        deprecation: None,
    }
}

/// A block inside another.
pub(crate) fn nested(name: &str, nesting: Nesting, max_items: i64, attributes: Vec<Attribute>) -> NestedBlock {
    let block = Arc::new(Block { attributes, ..Block::default() });
    NestedBlock { name: name.into(), block, nesting, min_items: 0, max_items }
}

/// Properties that a program may give.
pub(crate) fn of_types<const N: usize>(types: [(&str, Type); N]) -> Object {
    let attributes = types.into_iter().map(|(name, ty)| attribute(name, ty, "o")).collect();
    Object::of_block(&Block { attributes, ..Block::default() })
}

pub(crate) fn map<const N: usize>(items: [(&str, Cty); N]) -> Cty {
    Cty::Map(items.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn any_name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(NAMES)
}

fn any_type() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![Just(Type::String), Just(Type::Number), Just(Type::Bool)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = proptest::collection::btree_map(any_name(), inner.clone(), 1..4);
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            proptest::collection::vec(inner, 1..3).prop_map(|types| Type::Tuple(types.into())),
            members.prop_map(|members| Type::object(members.into_iter().map(|(name, ty)| (name.into(), ty)))),
        ]
    })
}

/// A block with attributes of every type but the open one, and blocks of every nesting.
pub(crate) fn any_block() -> BoxedStrategy<Block> {
    let attributes = || {
        let flags = proptest::sample::select(&["r", "o", "oc", "c", "os"]);
        proptest::collection::btree_map(any_name(), (any_type(), flags), 0..4).prop_map(|members| {
            members.into_iter().map(|(name, (ty, flags))| attribute(name, ty, flags)).collect::<Vec<_>>()
        })
    };
    let flat = attributes().prop_map(|attributes| Block { attributes, ..Block::default() });
    let nested = flat.prop_recursive(2, 6, 2, move |inner| {
        let nesting = proptest::sample::select(&[Nesting::Single, Nesting::List, Nesting::Set, Nesting::Map]);
        let blocks = proptest::collection::vec((nesting, 0..2_i64, inner), 0..3);
        (attributes(), blocks).prop_map(|(attributes, blocks)| {
            let blocks = blocks.into_iter().enumerate().map(|(number, (nesting, max_items, block))| {
                let name = format!("{}_block", ["first", "second", "third"][number]).into();
                NestedBlock { name, block: Arc::new(block), nesting, min_items: 0, max_items }
            });
            Block { attributes, blocks: blocks.collect(), ..Block::default() }
        })
    });
    nested.boxed()
}

/// A wholly known state.
pub(crate) fn any_state(block: &Block) -> BoxedStrategy<Cty> {
    let attributes =
        block.attributes.iter().map(|attribute| (attribute.name.clone(), any_value(&attribute.shape.ty())));
    let blocks = block.blocks.iter().map(|nested| {
        let one = any_state(&nested.block);
        let most = if nested.max_items == 1 { 2 } else { 3 };
        let value = match nested.nesting {
            Nesting::Single | Nesting::Group => prop_oneof![Just(Cty::Null), one].boxed(),
            Nesting::List => proptest::collection::vec(one, 0..most).prop_map(Cty::List).boxed(),
            Nesting::Set => proptest::collection::vec(one, 0..most).prop_map(Cty::Set).boxed(),
            Nesting::Map => keyed(one),
        };
        (nested.name.clone(), value)
    });
    let (names, values): (Vec<_>, Vec<_>) = attributes.chain(blocks).unzip();
    values.prop_map(move |values| Cty::Map(names.iter().cloned().zip(values).collect())).boxed()
}

fn keyed(element: BoxedStrategy<Cty>) -> BoxedStrategy<Cty> {
    proptest::collection::btree_map("[a-b]_?[A-B.]", element, 0..3)
        .prop_map(|items| Cty::Map(items.into_iter().map(|(key, item)| (key.into(), item)).collect()))
        .boxed()
}

fn any_value(ty: &Type) -> BoxedStrategy<Cty> {
    let some = match ty {
        Type::Bool => any::<bool>().prop_map(Cty::Bool).boxed(),
        Type::Number => prop_oneof![-3..3_i64, any::<i32>().prop_map(i64::from)]
            .prop_flat_map(|whole| proptest::sample::select(vec![format!("{whole}"), format!("{whole}.25")]))
            .prop_map(|text| Cty::Number(text.parse::<Number>().unwrap()))
            .boxed(),
        Type::List(element) => proptest::collection::vec(any_value(element), 0..3).prop_map(Cty::List).boxed(),
        Type::Set(element) => proptest::collection::vec(any_value(element), 0..3).prop_map(Cty::Set).boxed(),
        Type::Map(element) => keyed(any_value(element)),
        Type::Tuple(types) => types.iter().map(any_value).collect::<Vec<_>>().prop_map(Cty::List).boxed(),
        Type::Object(object) => {
            let names: Vec<Arc<str>> = object.attributes.keys().cloned().collect();
            let values: Vec<_> = object.attributes.values().map(any_value).collect();
            values.prop_map(move |values| Cty::Map(names.iter().cloned().zip(values).collect())).boxed()
        }
        Type::String | Type::Dynamic => "[a-c\u{e9}\"]{0,2}".prop_map(Cty::string).boxed(),
    };
    prop_oneof![5 => some, 1 => Just(Cty::Null)].boxed()
}

/// The same value with the elements of every set reversed.
pub(crate) fn turned(value: &Cty) -> Cty {
    match value {
        Cty::List(items) => Cty::List(items.iter().map(turned).collect()),
        Cty::Set(items) => Cty::Set(items.iter().rev().map(turned).collect()),
        Cty::Map(items) => Cty::Map(items.iter().map(|(key, item)| (key.clone(), turned(item))).collect()),
        other => other.clone(),
    }
}
