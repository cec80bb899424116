//! Random types and values.

use std::sync::Arc;

use outrigger_terraform::cty::{Number, Refinement, Type, Value};
use proptest::prelude::*;

/// Whether a value may be unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Wholly,
    Perhaps,
}

pub(crate) fn any_type() -> BoxedStrategy<Type> {
    let leaf = prop_oneof![Just(Type::String), Just(Type::Number), Just(Type::Bool), Just(Type::Dynamic)];
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|types| Type::Tuple(types.into())),
            proptest::collection::btree_map("[a-d_]{1,3}", inner, 0..4)
                .prop_map(|members| Type::object(members.into_iter().map(|(name, ty)| (Arc::from(name), ty)))),
        ]
    });
    nested.boxed()
}

pub(crate) fn any_value(ty: &Type, known: Known) -> BoxedStrategy<Value> {
    let some = match ty {
        Type::String => any::<String>().prop_map(Value::string).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Number => any_number().prop_map(Value::Number).boxed(),
        Type::List(element) => some_of(element, known).prop_map(Value::List).boxed(),
        Type::Set(element) => some_of(element, known).prop_map(Value::Set).boxed(),
        Type::Map(element) => proptest::collection::btree_map("[a-c\u{e9}]{0,2}", any_value(element, known), 0..4)
            .prop_map(|items| Value::Map(items.into_iter().map(|(key, item)| (Arc::from(key), item)).collect()))
            .boxed(),
        Type::Tuple(types) => {
            let items: Vec<_> = types.iter().map(|ty| any_value(ty, known)).collect();
            items.prop_map(Value::List).boxed()
        }
        Type::Object(object) => {
            let names: Vec<Arc<str>> = object.attributes.keys().cloned().collect();
            let items: Vec<_> = object.attributes.values().map(|ty| any_value(ty, known)).collect();
            items.prop_map(move |items| Value::Map(names.iter().cloned().zip(items).collect())).boxed()
        }
        Type::Dynamic => {
            let typed = any_type().prop_flat_map(move |ty| {
                let value = any_value(&ty, known);
                value.prop_map(move |value| Value::dynamic(ty.clone(), value))
            });
            typed.boxed()
        }
    };
    match known {
        Known::Wholly => prop_oneof![6 => some, 1 => Just(Value::Null)].boxed(),
        Known::Perhaps => prop_oneof![6 => some, 1 => Just(Value::Null), 1 => any_unknown(ty)].boxed(),
    }
}

fn some_of(element: &Type, known: Known) -> impl Strategy<Value = Vec<Value>> + use<> {
    proptest::collection::vec(any_value(element, known), 0..4)
}

/// Small numbers, doubles, and numbers that neither integers nor doubles can hold.
pub(crate) fn any_number() -> BoxedStrategy<Number> {
    // Parsed from their text: a double on the wire is another number than its text, in the original too.
    let doubles = any::<f64>().prop_filter_map("no number", |value| value.to_string().parse().ok());
    let long = "-?[1-9][0-9]{18,40}(\\.[0-9]{1,30})?".prop_map(|text: String| text.parse().unwrap());
    let powers = (any::<i32>(), -400..400_i32).prop_map(|(digits, power)| format!("{digits}e{power}").parse().unwrap());
    prop_oneof![
        4 => any::<i64>().prop_map(Number::from),
        2 => any::<u64>().prop_map(Number::from),
        4 => doubles,
        1 => long,
        1 => powers,
    ]
    .boxed()
}

/// An unknown value, perhaps with facts that fit its type.
fn any_unknown(ty: &Type) -> BoxedStrategy<Value> {
    let refined = |refinement: Refinement| Value::Unknown(Some(Box::new(refinement)));
    let certain = Refinement { null: Some(false), ..Refinement::default() };
    let more = match ty {
        Type::String => "[a-z\u{e9}]{1,20}"
            .prop_map({
                let certain = certain.clone();
                move |prefix| Refinement { prefix: Some(prefix), ..certain.clone() }
            })
            .boxed(),
        Type::Number => {
            let bound = || proptest::option::of((any_number(), any::<bool>()));
            let null = certain.null;
            (bound(), bound())
                .prop_map(move |(lower, upper)| Refinement { null, lower, upper, ..Refinement::default() })
                .boxed()
        }
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            let length = || proptest::option::of(0..i64::MAX);
            (length(), length())
                .prop_filter_map("nothing is known", |(min_length, max_length)| {
                    let refinement = Refinement { min_length, max_length, ..Refinement::default() };
                    (refinement != Refinement::default()).then_some(refinement)
                })
                .boxed()
        }
        _ => Just(certain.clone()).boxed(),
    };
    prop_oneof![Just(Value::UNKNOWN), Just(refined(certain)), more.prop_map(refined)].boxed()
}

/// A type and a value of it.
pub(crate) fn any_typed(known: Known) -> impl Strategy<Value = (Type, Value)> {
    any_type().prop_flat_map(move |ty| {
        let value = any_value(&ty, known);
        (Just(ty), value)
    })
}
