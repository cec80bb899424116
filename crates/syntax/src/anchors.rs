//! Anchors, aliases and merge keys, expanded while the tree is built.
//!
//! Pulumi's CLI expands them in the project file and in stack files, and its YAML host refuses them; here they have
//! YAML's meaning everywhere. An expanded tree can be exponentially larger than its text, so its size and depth are limited.

use std::collections::HashMap;

use crate::{Kind, MAX_BYTES, Node, Span};

/// The approximate limit in bytes for all values stored for aliases or made from them.
const BUDGET: usize = MAX_BYTES;

/// The cost of a node besides its text.
const NODE: usize = 64;

/// The anchors of a document so far.
pub(crate) struct Anchors {
    known: HashMap<usize, Anchored>,
    left: usize,
    /// The place of each alias, and of its value.
    uses: Vec<(Span, Span)>,
}

struct Anchored {
    node: Node,
    weight: usize,
    height: usize,
}

/// Why an alias has no value.
pub(crate) enum NoValue {
    /// Its anchor is missing, or not yet complete.
    Missing,
    /// The tree would be too large.
    TooLarge,
    /// The tree would be too deep.
    TooDeep,
}

impl Anchors {
    pub(crate) fn new() -> Self {
        Self { known: HashMap::new(), left: BUDGET, uses: Vec::new() }
    }

    /// Stores a node for the aliases of its anchor.
    pub(crate) fn define(&mut self, anchor: usize, node: &Node) {
        let (weight, height) = measure(node);
        // A node without room is missed by its first alias, which reports it.
        self.left = self.left.saturating_sub(weight);
        if self.left > 0 {
            self.known.insert(anchor, Anchored { node: node.clone(), weight, height });
        }
    }

    /// The value of an alias at a place. Its own span is the alias; inner spans are where the parts were written.
    pub(crate) fn expand(&mut self, anchor: usize, at: Span, room: usize) -> Result<Node, NoValue> {
        if self.left == 0 {
            return Err(NoValue::TooLarge);
        }
        let found = self.known.get(&anchor).ok_or(NoValue::Missing)?;
        if found.height > room {
            return Err(NoValue::TooDeep);
        }
        self.left = self.left.saturating_sub(found.weight);
        if self.left == 0 {
            return Err(NoValue::TooLarge);
        }
        self.uses.push((at, found.node.span));
        Ok(Node { kind: found.node.kind.clone(), span: at })
    }

    /// The aliases, sorted by place.
    pub(crate) fn into_uses(self) -> Vec<(Span, Span)> {
        let mut uses = self.uses;
        uses.sort_unstable();
        uses
    }
}

/// Weight and height. Nesting is limited, so this may recurse.
fn measure(node: &Node) -> (usize, usize) {
    match &node.kind {
        Kind::String(text) => (NODE + text.value.len(), 0),
        Kind::List(list) => {
            let inner = list.items.iter().map(measure);
            let (weight, height) = inner.fold((NODE, 0), |sum, item| (sum.0 + item.0, sum.1.max(item.1)));
            (weight, height + 1)
        }
        Kind::Object(object) => {
            let inner = object.iter().map(|entry| (entry.key.text.len() + NODE, measure(&entry.value)));
            let add = |sum: (usize, usize), (key, value): (usize, (usize, usize))| {
                (sum.0 + key + value.0, sum.1.max(value.1))
            };
            let (weight, height) = inner.fold((NODE, 0), add);
            (weight, height + 1)
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => (NODE, 0),
    }
}
