//! The laws of a proposed new state, for random schemas, states and configurations.

use std::sync::Arc;

use outrigger_terraform::consistency;
use outrigger_terraform::cty::{Value, encode, to_json};
use outrigger_terraform::propose::proposed;
use outrigger_terraform::schema::{Attribute, Block, Nesting, Shape};
use proptest::prelude::*;

use super::blocks::{any_block, any_configuration, made};

/// A schema, two configurations, and a seed of the provider's choices.
fn any_change() -> impl Strategy<Value = (Block, Value, Value, u8)> {
    any_block().prop_flat_map(|block| {
        let (one, other) = (any_configuration(&block), any_configuration(&block));
        (Just(block), one, other, any::<u8>())
    })
}

/// Every configured value is proposed as it is, and no value is proposed that the provider may not choose.
fn check(block: &Block, prior: &Value, config: &Value, new: &Value) {
    check_attributes(&block.attributes, prior, config, new);
    for nested in &block.blocks {
        let [prior, config, new] = [prior, config, new].map(|value| member(value, &nested.name));
        pairs(nested.nesting, prior, config, new, &mut |prior, config, new| check(&nested.block, prior, config, new));
    }
}

fn check_attributes(attributes: &[Attribute], prior: &Value, config: &Value, new: &Value) {
    for attribute in attributes {
        let [prior, config, new] = [prior, config, new].map(|value| member(value, &attribute.name));
        match &attribute.shape {
            _ if config.is_null() && !attribute.computed => assert_eq!(new, config, "{}", attribute.name),
            Shape::Type(_) if config.is_null() => assert_eq!(new, prior, "{}", attribute.name),
            Shape::Type(_) => assert_eq!(new, config, "{}", attribute.name),
            // An object with a configured value in it is dropped, any other stays.
            Shape::Nested(_) if config.is_null() => assert!(new.is_null() || new == prior, "{}", attribute.name),
            Shape::Nested(nested) => pairs(nested.nesting, prior, config, new, &mut |prior, config, new| {
                check_attributes(&nested.attributes, prior, config, new);
            }),
        }
    }
}

/// Looks at each object with its counterparts. Elements of sets have no counterparts; their number is compared.
fn pairs(nesting: Nesting, prior: &Value, config: &Value, new: &Value, look: &mut dyn FnMut(&Value, &Value, &Value)) {
    let place = |value: &Value, index: usize| value.elements().get(index).cloned().unwrap_or(Value::Null);
    match (nesting, config, new) {
        (_, Value::Null, new) => assert_eq!(new, &Value::Null),
        (Nesting::Single | Nesting::Group, ..) => look(prior, config, new),
        (_, Value::Map(configured), Value::Map(items)) => {
            assert!(items.keys().eq(configured.keys()));
            for (key, new) in items {
                look(member(prior, key), &configured[key], new);
            }
        }
        (Nesting::List, config, new) => {
            assert_eq!(new.elements().len(), config.elements().len());
            for (index, new) in new.elements().iter().enumerate() {
                look(&place(prior, index), &place(config, index), new);
            }
        }
        (_, config, new) => assert_eq!(new.elements().len(), config.elements().len()),
    }
}

fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// The same value with the elements of every set reversed.
fn turned(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(turned).collect()),
        Value::Set(items) => Value::Set(items.iter().rev().map(turned).collect()),
        Value::Map(items) => Value::Map(items.iter().map(|(key, item)| (Arc::clone(key), turned(item))).collect()),
        other => other.clone(),
    }
}

proptest! {
    /// A provider's result for a configuration is proposed again by the same configuration.
    #[test]
    fn the_same_again_changes_nothing((block, config, _, seed) in any_change()) {
        let state = made(&block, proposed(&block, &Value::Null, &config), seed);
        let again = proposed(&block, &state, &config);
        prop_assert!(again == state, "{} instead of {}", shown(&again, &block), shown(&state, &block));
    }

    #[test]
    fn what_is_written_counts((block, before, config, seed) in any_change()) {
        let prior = made(&block, proposed(&block, &Value::Null, &before), seed);
        check(&block, &prior, &config, &proposed(&block, &prior, &config));
        check(&block, &Value::Null, &config, &proposed(&block, &Value::Null, &config));
    }

    /// A provider that returns the proposed state has followed all rules.
    #[test]
    fn what_is_proposed_may_be_planned((block, before, config, seed) in any_change()) {
        let prior = made(&block, proposed(&block, &Value::Null, &before), seed);
        let new = proposed(&block, &prior, &config);
        prop_assert_eq!(consistency::of_plan(&block, &prior, &config, &new), []);
        prop_assert_eq!(consistency::of_result(&block, &new, &new), []);
        prop_assert_eq!(consistency::unknown_in(&new), []);
    }

    #[test]
    fn the_order_of_sets_does_not_count((block, before, config, seed) in any_change()) {
        let prior = made(&block, proposed(&block, &Value::Null, &before), seed);
        let new = proposed(&block, &prior, &config);
        prop_assert!(proposed(&block, &turned(&prior), &config) == new);
        prop_assert!(proposed(&block, &prior, &turned(&config)) == new);
    }

    #[test]
    fn it_is_of_the_schemas_type((block, before, config, seed) in any_change()) {
        let prior = made(&block, proposed(&block, &Value::Null, &before), seed);
        for value in [&prior, &config, &proposed(&block, &prior, &config)] {
            prop_assert!(encode(value, &block.ty()).is_ok());
        }
    }

    #[test]
    fn without_a_configuration_all_stays((block, before, _, seed) in any_change()) {
        let prior = made(&block, proposed(&block, &Value::Null, &before), seed);
        prop_assert!(proposed(&block, &prior, &Value::Null) == prior);
        prop_assert!(proposed(&block, &Value::Null, &Value::Null).is_null());
    }
}

/// Values do not print their own content.
fn shown(value: &Value, block: &Block) -> String {
    to_json(value, &block.ty()).unwrap()
}
