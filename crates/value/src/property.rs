//! A map from property names to values, ordered by name so that everything made from it is deterministic.

use std::collections::BTreeMap;

use crate::Value;

/// Property names and their values.
pub type PropertyMap = BTreeMap<String, Value>;
