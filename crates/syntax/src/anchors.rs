//! Anchors, aliases and merge keys, expanded while the tree is built.
//!
//! Pulumi's CLI expands them in the project file and in stack files, and its YAML host refuses them; here they mean everywhere
//! what YAML says. An expanded tree can be exponentially larger than its text, so its size and depth have a bound.

use std::collections::HashMap;

use crate::{Kind, MAX_BYTES, Node, Span};

/// What all values together may take that are kept for aliases or made by them, in bytes, roughly.
const BUDGET: usize = MAX_BYTES;

/// What a node costs besides its text.
const NODE: usize = 64;

/// The anchors of a document so far.
pub(crate) struct Anchors {
    known: HashMap<usize, Anchored>,
    left: usize,
    /// Where each alias stands, and the value that it stands for.
    uses: Vec<(Span, Span)>,
}

struct Anchored {
    node: Node,
    weight: usize,
    height: usize,
}

/// Why an alias has no value.
pub(crate) enum NoValue {
    /// Its anchor is not there, or not yet complete.
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

    /// Keeps a node for the aliases of its anchor.
    pub(crate) fn define(&mut self, anchor: usize, node: &Node) {
        let (weight, height) = measure(node);
        // What has no room is missed by its first alias, which says so.
        self.left = self.left.saturating_sub(weight);
        if self.left > 0 {
            self.known.insert(anchor, Anchored { node: node.clone(), weight, height });
        }
    }

    /// The value of an alias at a place. Its own span is the alias, those inside are where they were written.
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

/// Weight and height. Nesting is bounded, so this may call itself.
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
