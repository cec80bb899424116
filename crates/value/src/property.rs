//! A map from property names to values, ordered by name so that everything made from it is deterministic.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Deref, DerefMut, Index};

use litemap::LiteMap;

use crate::Value;

/// Property names and their values: a sorted array, because most maps have a few entries, are copied often, and stay in memory as long as the
/// run. Each node of a tree would take room for eleven entries.
#[derive(Clone, Default, PartialEq)]
pub struct PropertyMap(LiteMap<String, Value>);

impl PropertyMap {
    /// An empty map.
    pub const fn new() -> Self {
        Self(LiteMap::new_vec())
    }

    /// An empty map with room for so many entries, which it keeps.
    pub fn with_capacity(entries: usize) -> Self {
        Self(LiteMap::with_capacity(entries))
    }

    /// Moves all entries of another map into this one; they win.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The names, in order.
    pub fn into_keys(self) -> impl Iterator<Item = String> {
        self.into_iter().map(|(name, _)| name)
    }

    /// The values, in the order of their names.
    pub fn into_values(self) -> impl Iterator<Item = Value> {
        self.into_iter().map(|(_, value)| value)
    }
}

impl Deref for PropertyMap {
    type Target = LiteMap<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for PropertyMap {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl fmt::Debug for PropertyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

impl<Q: Ord + ?Sized> Index<&Q> for PropertyMap
where
    String: Borrow<Q>,
{
    type Output = Value;

    /// Panics if the name is not there: for tests, and for names that were just put in.
    fn index(&self, name: &Q) -> &Value {
        #[expect(clippy::expect_used, reason = "an index is expected to be there, as in every map")]
        self.0.get(name).expect("the map has this name")
    }
}

impl<const N: usize> From<[(String, Value); N]> for PropertyMap {
    fn from(entries: [(String, Value); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl FromIterator<(String, Value)> for PropertyMap {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Self {
        let mut sorted = LiteMap::from_iter(entries).into_tuple_vec();
        sorted.shrink_to_fit();
        Self(LiteMap::from_sorted_store_unchecked(sorted))
    }
}

impl Extend<(String, Value)> for PropertyMap {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl IntoIterator for PropertyMap {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_tuple_vec().into_iter()
    }
}

impl<'a> IntoIterator for &'a PropertyMap {
    type Item = (&'a String, &'a Value);
    type IntoIter = <&'a LiteMap<String, Value> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&self.0).into_iter()
    }
}

impl<'a> IntoIterator for &'a mut PropertyMap {
    type Item = (&'a String, &'a mut Value);
    type IntoIter = <&'a mut LiteMap<String, Value> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&mut self.0).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_order_and_the_last_of_a_name_counts() {
        let entry = |name: &str, number: f64| (name.to_owned(), Value::Number(number));
        let mut map = PropertyMap::from([entry("b", 1.0), entry("a", 2.0), entry("b", 3.0)]);
        map.append(&mut PropertyMap::from([entry("c", 4.0), entry("a", 5.0)]));
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(map.into_values().collect::<Vec<_>>(), [5.0, 3.0, 4.0].map(Value::Number));
    }
}
