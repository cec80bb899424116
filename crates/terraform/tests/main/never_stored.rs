//! Values that a provider must not return are found at every level, and nothing else is removed with them.

use std::sync::Arc;

use outrigger_terraform::consistency::write_only_in;
use outrigger_terraform::cty::Value;
use outrigger_terraform::schema::{Attribute, Block, NestedBlock, NestedObject, Shape};
use outrigger_terraform::write_only::removed;
use proptest::prelude::*;

use super::blocks::{any_block, any_configuration};

/// The block, with every attribute of this name marked write-only, at every level.
fn marked(block: &Block, name: &str) -> Block {
    let blocks = block.blocks.iter().map(|nested| {
        let inner = Arc::new(marked(&nested.block, name));
        NestedBlock { block: inner, ..nested.clone() }
    });
    Block { attributes: marked_attributes(&block.attributes, name), blocks: blocks.collect(), ..block.clone() }
}

fn marked_attributes(attributes: &[Attribute], name: &str) -> Vec<Attribute> {
    let marked = attributes.iter().map(|attribute| {
        let shape = match &attribute.shape {
            Shape::Nested(nested) => {
                let attributes = marked_attributes(&nested.attributes, name);
                Shape::Nested(NestedObject { attributes, ..nested.clone() })
            }
            Shape::Type(ty) => Shape::Type(ty.clone()),
        };
        Attribute { write_only: *attribute.name == *name, shape, ..attribute.clone() }
    });
    marked.collect()
}

fn any_answer() -> impl Strategy<Value = (Block, Value)> {
    any_block().prop_flat_map(|block| {
        let value = any_configuration(&block);
        (Just(block), value)
    })
}

proptest! {
    #[test]
    fn nothing_that_is_never_stored_is_left((block, value) in any_answer()) {
        prop_assert_eq!(&removed(&block, value.clone()), &value, "nothing is marked");
        let block = marked(&block, "a");
        let left = removed(&block, value.clone());
        prop_assert_eq!(write_only_in(&block, &left), []);
        prop_assert_eq!(&removed(&block, left.clone()), &left);
        // Everything found was marked, and if nothing was found, nothing has changed.
        let found = write_only_in(&block, &value);
        for finding in &found {
            prop_assert!(block.attribute_at(&finding.path).is_some_and(|attribute| attribute.write_only), "{}", finding);
        }
        prop_assert_eq!(found.is_empty(), left == value);
    }
}
