//! Maps from property names to values and other data, sorted by name so that everything derived from them is deterministic.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Deref, DerefMut, Index};

use litemap::LiteMap;

use crate::{Urn, Value};

/// Property names and their values.
pub type PropertyMap = ByProperty<Value>;

/// Property names and the resources that each of them depends on.
pub type PropertyDependencies = ByProperty<Vec<Urn>>;

/// Data for each property, in a sorted array, because most maps have a few entries, are copied often, and stay in memory as long as the
/// run. Each node of a tree would take room for eleven entries.
#[derive(Clone, PartialEq)]
pub struct ByProperty<V>(LiteMap<String, V>);

impl<V> Default for ByProperty<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> ByProperty<V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self(LiteMap::new_vec())
    }

    /// An empty map with room for so many entries, which it keeps even if unused.
    pub fn with_capacity(entries: usize) -> Self {
        Self(LiteMap::with_capacity(entries))
    }

    /// Moves all entries of another map into this one, replacing those of the same name.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    /// The values, mutable.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The names, in order.
    pub fn into_keys(self) -> impl Iterator<Item = String> {
        self.into_iter().map(|(name, _)| name)
    }

    /// The values, in the order of their names.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }
}

impl<V> Deref for ByProperty<V> {
    type Target = LiteMap<String, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<V> DerefMut for ByProperty<V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<V: fmt::Debug> fmt::Debug for ByProperty<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

impl<V, Q: Ord + ?Sized> Index<&Q> for ByProperty<V>
where
    String: Borrow<Q>,
{
    type Output = V;

    /// Panics if the name is missing: for tests, and for names that were just inserted.
    fn index(&self, name: &Q) -> &V {
        #[expect(clippy::expect_used, reason = "an index is expected to be there, as in every map")]
        self.0.get(name).expect("the map has this name")
    }
}

impl<V, const N: usize> From<[(String, V); N]> for ByProperty<V> {
    fn from(entries: [(String, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V> FromIterator<(String, V)> for ByProperty<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        let mut sorted = LiteMap::from_iter(entries).into_tuple_vec();
        sorted.shrink_to_fit();
        Self(LiteMap::from_sorted_store_unchecked(sorted))
    }
}

impl<V> Extend<(String, V)> for ByProperty<V> {
    fn extend<I: IntoIterator<Item = (String, V)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl<V> IntoIterator for ByProperty<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_tuple_vec().into_iter()
    }
}

impl<'a, V> IntoIterator for &'a ByProperty<V> {
    type Item = (&'a String, &'a V);
    type IntoIter = <&'a LiteMap<String, V> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&self.0).into_iter()
    }
}

impl<'a, V> IntoIterator for &'a mut ByProperty<V> {
    type Item = (&'a String, &'a mut V);
    type IntoIter = <&'a mut LiteMap<String, V> as IntoIterator>::IntoIter;

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
