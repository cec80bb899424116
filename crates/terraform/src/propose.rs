//! The state that a plan begins with: the configuration, with values that the provider computed before wherever the configuration gives none.

use std::sync::Arc;

use crate::cty::{Attributes, Value};
use crate::schema::{Attribute, Block, NestedBlock, NestedObject, Nesting, Shape};

/// The proposed new state for a configuration; a null `prior` means that no resource exists.
pub fn proposed(block: &Block, prior: &Value, config: &Value) -> Value {
    match (prior.is_null(), config) {
        // Terraform's language has no unknown block, but a Pulumi program may. The existing value would make it a plan without a change.
        (_, Value::Unknown(_)) => config.clone(),
        (true, Value::Null) => Value::Null,
        (false, Value::Null) => prior.clone(),
        (true, _) => block_members(block, &empty(block), config),
        (false, _) => block_members(block, prior, config),
    }
}

/// A block with nothing written in it: its attributes are null, its collections of blocks empty.
pub fn empty(block: &Block) -> Value {
    let attributes = block.attributes.iter().map(|attribute| (Arc::clone(&attribute.name), Value::Null));
    let blocks = block.blocks.iter().map(|nested| (Arc::clone(&nested.name), empty_nested(nested)));
    Value::Map(attributes.chain(blocks).collect())
}

/// A nested block that is not given.
pub fn empty_nested(nested: &NestedBlock) -> Value {
    match nested.nesting {
        Nesting::Single => Value::Null,
        Nesting::Group => empty(&nested.block),
        Nesting::List => Value::List(Vec::new()),
        Nesting::Set => Value::Set(Vec::new()),
        Nesting::Map => Value::Map(Attributes::new()),
    }
}

/// The members of objects in a collection.
#[derive(Clone, Copy)]
enum Members<'a> {
    Block(&'a Block),
    Attributes(&'a [Attribute]),
}

impl Members<'_> {
    fn proposed(self, prior: &Value, config: &Value) -> Value {
        match self {
            Self::Block(block) => proposed(block, prior, config),
            Self::Attributes(attributes) => object(attributes, prior, config),
        }
    }

    /// Whether a prior element may have come from an element of the configuration: it equals it, except for values that the provider computed
    /// where the configuration gives none. Members that only the configuration has are not compared.
    fn may_come_from(self, prior: &Value, config: &Value) -> bool {
        if prior == config {
            return true;
        }
        let (Value::Map(items), Value::Map(_)) = (prior, config) else {
            // Null contains nothing that must come from the configuration; an object does.
            return prior.is_null();
        };
        items.iter().all(|(name, prior)| {
            let Some(config) = config.get(name) else { return false };
            prior == config || self.member_may_come_from(name, prior, config)
        })
    }

    fn member_may_come_from(self, name: &str, prior: &Value, config: &Value) -> bool {
        if matches!(config, Value::Set(_)) || matches!(prior, Value::Set(_)) {
            // Terraform has an empty set for blocks that are left out, where the bridge has null.
            let is_block = matches!(self, Self::Block(block) if block.nested(name).is_some());
            return is_block && config.is_null() && prior.elements().is_empty();
        }
        let attributes = match self {
            Self::Block(block) => match block.nested(name) {
                Some(nested) => {
                    return elements_may_come_from(Members::Block(&nested.block), nested.nesting, prior, config);
                }
                None => &block.attributes,
            },
            Self::Attributes(attributes) => attributes,
        };
        match attributes.iter().find(|attribute| &*attribute.name == name) {
            Some(Attribute { shape: Shape::Nested(nested), .. }) => {
                elements_may_come_from(Members::Attributes(&nested.attributes), nested.nesting, prior, config)
            }
            Some(attribute) => attribute.computed && config.is_null(),
            None => false,
        }
    }
}

fn elements_may_come_from(members: Members<'_>, nesting: Nesting, prior: &Value, config: &Value) -> bool {
    match (nesting, prior, config) {
        // Elements of nested sets cannot be matched with each other, so they would have to be equal.
        (Nesting::Set, ..) => false,
        (Nesting::Single | Nesting::Group, ..) => members.may_come_from(prior, config),
        (_, Value::List(prior), Value::List(config)) => prior
            .iter()
            .enumerate()
            .all(|(index, prior)| config.get(index).is_some_and(|config| members.may_come_from(prior, config))),
        (_, Value::Map(prior), Value::Map(config)) => {
            prior.iter().all(|(key, prior)| config.get(key).is_some_and(|config| members.may_come_from(prior, config)))
        }
        // Null and empty values contain nothing that must come from the configuration: a list of blocks that a program leaves out is null in its
        // configuration, and empty in the state that older providers read.
        (_, Value::List(prior), _) => prior.is_empty(),
        (_, Value::Map(prior), _) => prior.is_empty(),
        (_, prior, _) => prior.is_null(),
    }
}

fn block_members(block: &Block, prior: &Value, config: &Value) -> Value {
    let Value::Map(mut members) = object(&block.attributes, prior, config) else { return config.clone() };
    for nested in &block.blocks {
        let prior = prior.get(&nested.name).unwrap_or(&Value::Null);
        let config = config.get(&nested.name).unwrap_or(&Value::Null);
        let value = collection(Members::Block(&nested.block), nested.nesting, prior, config);
        members.insert(Arc::clone(&nested.name), value);
    }
    Value::Map(members)
}

fn object(attributes: &[Attribute], prior: &Value, config: &Value) -> Value {
    if !matches!(config, Value::Map(_)) {
        return config.clone();
    }
    let members = attributes.iter().map(|attribute| {
        let prior = prior.get(&attribute.name).unwrap_or(&Value::Null);
        let config = config.get(&attribute.name).unwrap_or(&Value::Null);
        (Arc::clone(&attribute.name), proposed_attribute(attribute, prior, config))
    });
    Value::Map(members.collect())
}

fn proposed_attribute(attribute: &Attribute, prior: &Value, config: &Value) -> Value {
    match &attribute.shape {
        // The provider does not keep values that the configuration gave before and no longer gives.
        Shape::Nested(nested) if attribute.computed && config.is_null() => {
            let was_written = attribute.optional && holds_written(nested, prior);
            if was_written { config.clone() } else { prior.clone() }
        }
        Shape::Type(_) if attribute.computed && config.is_null() => prior.clone(),
        Shape::Nested(nested) => collection(Members::Attributes(&nested.attributes), nested.nesting, prior, config),
        Shape::Type(_) => config.clone(),
    }
}

/// Whether a value contains something that only a configuration can give.
fn holds_written(nested: &NestedObject, value: &Value) -> bool {
    let in_object = |value: &Value| {
        nested.attributes.iter().any(|attribute| {
            let value = value.get(&attribute.name).unwrap_or(&Value::Null);
            let inside = || matches!(&attribute.shape, Shape::Nested(nested) if holds_written(nested, value));
            !value.is_null() && (!attribute.computed || inside())
        })
    };
    match (nested.nesting, value) {
        (Nesting::Single | Nesting::Group, value) => in_object(value),
        (Nesting::Map, Value::Map(items)) => items.values().any(in_object),
        (_, value) => value.elements().iter().any(in_object),
    }
}

fn collection(members: Members<'_>, nesting: Nesting, prior: &Value, config: &Value) -> Value {
    match (nesting, config) {
        (_, Value::Null | Value::Unknown(_)) if nesting != Nesting::Group => config.clone(),
        (_, Value::Unknown(_)) => config.clone(),
        (Nesting::Single | Nesting::Group, config) => members.proposed(prior, config),
        (Nesting::List, Value::List(items)) => {
            let prior = prior.elements();
            let paired = items.iter().enumerate().map(|(index, config)| match prior.get(index) {
                Some(prior) => members.proposed(prior, config),
                None => config.clone(),
            });
            Value::List(paired.collect())
        }
        (Nesting::Map, Value::Map(items)) => {
            let paired = items.iter().map(|(key, config)| {
                let value = prior.get(key).map_or_else(|| config.clone(), |prior| members.proposed(prior, config));
                (Arc::clone(key), value)
            });
            Value::Map(paired.collect())
        }
        (Nesting::Set, Value::Set(items)) => Value::Set(elements_of_set(members, prior.elements(), items)),
        // A value of another kind than the schema's: the provider will report it.
        (_, config) => config.clone(),
    }
}

/// Each element takes the first prior element that is not taken yet and that may have come from it.
fn elements_of_set(members: Members<'_>, prior: &[Value], config: &[Value]) -> Vec<Value> {
    let mut free: Vec<&Value> = prior.iter().collect();
    let proposed = config.iter().map(|config| {
        let partner = free.iter().position(|prior| members.may_come_from(prior, config));
        let prior = partner.map_or(&Value::Null, |position| free.remove(position));
        members.proposed(prior, config)
    });
    proposed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cty::Type;
    use crate::schema::Description;

    fn attribute(name: &str, shape: Shape, optional: bool, computed: bool) -> Attribute {
        Attribute {
            name: Arc::from(name),
            shape,
            description: Description::default(),
            required: !optional && !computed,
            optional,
            computed,
            sensitive: false,
            write_only: false,
            deprecation: None,
        }
    }

    fn text(name: &str, optional: bool, computed: bool) -> Attribute {
        attribute(name, Shape::Type(Type::String), optional, computed)
    }

    fn map<const N: usize>(items: [(&str, Value); N]) -> Value {
        Value::Map(items.into_iter().map(|(name, value)| (Arc::from(name), value)).collect())
    }

    fn rule(nesting: Nesting) -> Block {
        let inner = Block { attributes: vec![text("port", true, false), text("id", false, true)], ..Block::default() };
        Block {
            attributes: vec![text("name", true, false), text("arn", false, true), text("zone", true, true)],
            blocks: vec![nested("rule", nesting, inner)],
            ..Block::default()
        }
    }

    fn nested(name: &str, nesting: Nesting, block: Block) -> NestedBlock {
        NestedBlock { name: Arc::from(name), block: Arc::new(block), nesting, min_items: 0, max_items: 0 }
    }

    fn element(port: &str, id: Option<&str>) -> Value {
        map([("port", Value::string(port)), ("id", id.map_or(Value::Null, Value::string))])
    }

    #[test]
    fn the_computed_stays_and_the_written_goes() {
        let block = rule(Nesting::List);
        let prior = map([
            ("name", Value::string("a")),
            ("arn", Value::string("arn:a")),
            ("zone", Value::string("z1")),
            ("rule", Value::List(vec![element("1", Some("r1")), element("2", Some("r2"))])),
        ]);
        let config = map([
            ("name", Value::Null),
            ("arn", Value::Null),
            ("zone", Value::Null),
            ("rule", Value::List(vec![element("7", None)])),
        ]);
        let expected = map([
            ("name", Value::Null),
            ("arn", Value::string("arn:a")),
            ("zone", Value::string("z1")),
            ("rule", Value::List(vec![element("7", Some("r1"))])),
        ]);
        assert_eq!(proposed(&block, &prior, &config), expected);
    }

    #[test]
    fn elements_of_sets_find_their_partners() {
        let block = rule(Nesting::Set);
        let with = |items: Vec<Value>| {
            map([("name", Value::Null), ("arn", Value::Null), ("zone", Value::Null), ("rule", Value::Set(items))])
        };
        let prior = with(vec![element("1", Some("r1")), element("2", Some("r2"))]);
        let config = with(vec![element("2", None), element("3", None)]);
        let expected = with(vec![element("2", Some("r2")), element("3", None)]);
        assert_eq!(proposed(&block, &prior, &config), expected);
    }

    /// Blocks that a program leaves out are null in its configuration, and empty in the state that older providers read.
    #[test]
    fn empty_blocks_inside_come_from_none() {
        for (nesting, blocks) in [(Nesting::List, Value::List as fn(Vec<Value>) -> Value), (Nesting::Set, Value::Set)] {
            let inner = Block { attributes: vec![text("given", true, false)], ..Block::default() };
            let element = |made: Option<&str>, part: Value| {
                let made = made.map_or(Value::Null, Value::string);
                map([("given", Value::string("g")), ("made", made), ("part", part)])
            };
            let members = Block {
                attributes: vec![text("given", true, false), text("made", true, true)],
                blocks: vec![nested("part", nesting, inner)],
                ..Block::default()
            };
            let block = Block { blocks: vec![nested("rule", Nesting::Set, members)], ..Block::default() };
            let with = |element: Value| map([("rule", Value::Set(vec![element]))]);
            let prior = with(element(Some("m"), blocks(Vec::new())));
            let config = with(element(None, Value::Null));
            assert_eq!(proposed(&block, &prior, &config), with(element(Some("m"), Value::Null)));
            let full = with(element(Some("m"), blocks(vec![map([("given", Value::string("x"))])])));
            assert_eq!(proposed(&block, &full, &config), config);
        }
    }

    #[test]
    fn a_block_of_which_nothing_is_known_is_not_what_exists() {
        for (nesting, blocks) in [(Nesting::List, Value::List as fn(Vec<Value>) -> Value), (Nesting::Set, Value::Set)] {
            let block = rule(nesting);
            let with =
                |rule: Value| map([("name", Value::Null), ("arn", Value::Null), ("zone", Value::Null), ("rule", rule)]);
            let unknown = with(blocks(vec![Value::UNKNOWN]));
            for prior in [Value::Null, with(blocks(vec![element("1", Some("r1"))]))] {
                assert_eq!(proposed(&block, &prior, &unknown), unknown);
            }
        }
    }

    #[test]
    fn what_was_written_in_a_nested_object_is_not_kept() {
        let nested = NestedObject {
            attributes: vec![text("given", true, false), text("made", false, true)],
            nesting: Nesting::Single,
        };
        let block = Block { attributes: vec![attribute("o", Shape::Nested(nested), true, true)], ..Block::default() };
        let silent = map([("o", Value::Null)]);
        let made = map([("o", map([("given", Value::Null), ("made", Value::string("m"))]))]);
        assert_eq!(proposed(&block, &made, &silent), made);
        let written = map([("o", map([("given", Value::string("g")), ("made", Value::string("m"))]))]);
        assert_eq!(proposed(&block, &written, &silent), silent);
    }
}
