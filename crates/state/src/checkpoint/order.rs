//! The canonical order of entries: each after everything that it refers to, otherwise by kind and name.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::checkpoint::node::Node;

/// Sorts entries and returns their indices. Entries that can never follow all their references (one is missing, or there is a cycle) come
/// last, so that the integrity check names them.
///
/// A reference by name is satisfied by the first entry of that name; the live one precedes those that await deletion. Among the latter a
/// dependent also follows its dependencies, so that deleting in reverse order is right.
pub(crate) fn canonical(nodes: &[&Node]) -> Vec<usize> {
    Sorter::new(nodes).sort()
}

/// Root stack first, then providers, then by name, the live entry before the old ones, then by id.
type Rank<'a> = (bool, bool, &'a str, bool, &'a str, usize);

struct Sorter<'a> {
    nodes: &'a [&'a Node],
    /// How many names an entry must follow.
    needs: Vec<usize>,
    /// How many entries it would rather follow.
    wishes: Vec<usize>,
    /// The entries that must follow the first entry of a name, or a provider's name and id.
    waiting: HashMap<&'a str, Vec<usize>>,
    /// The entries that would rather follow an entry.
    after: Vec<Vec<usize>>,
}

impl<'a> Sorter<'a> {
    fn new(nodes: &'a [&'a Node]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, node) in nodes.iter().enumerate() {
            by_name.entry(&node.urn).or_default().push(index);
        }
        let mut sorter = Self {
            nodes,
            needs: vec![0; nodes.len()],
            wishes: vec![0; nodes.len()],
            waiting: HashMap::new(),
            after: vec![Vec::new(); nodes.len()],
        };
        for (index, node) in nodes.iter().enumerate() {
            let names: BTreeSet<&str> = node.references().map(|reference| reference.urn).collect();
            for name in &names {
                sorter.needs[index] += 1;
                sorter.waiting.entry(name).or_default().push(index);
            }
            if !node.provider.is_empty() && !node.pending_replacement {
                sorter.needs[index] += 1;
                sorter.waiting.entry(&node.provider).or_default().push(index);
            }
            if node.delete {
                let provider = node.provider.rsplit_once("::").map(|(urn, _)| urn);
                let before = names.iter().copied().chain(provider).chain([node.urn.as_ref()]);
                for other in before.filter_map(|name| by_name.get(name)).flatten().copied() {
                    let sibling = nodes[other].urn == node.urn;
                    // After the live entry of its own name, and after every entry of the names that it refers to.
                    if other != index && (!sibling || !nodes[other].delete) {
                        sorter.wishes[index] += 1;
                        sorter.after[other].push(index);
                    }
                }
            }
        }
        sorter
    }

    fn rank(&self, index: usize) -> Reverse<Rank<'a>> {
        let node = self.nodes[index];
        let kind = (!node.is_root_stack(), !node.is_root_stack() && !node.is_provider());
        Reverse((kind.0, kind.1, &node.urn, node.delete, &node.id, index))
    }

    fn sort(mut self) -> Vec<usize> {
        let count = self.nodes.len();
        let mut sorted = Vec::with_capacity(count);
        let mut done = vec![false; count];
        // `free` has the entries that need not wait; `possible` those that wait only for wishes, which are dropped rather than block.
        let (mut free, mut possible) = (BinaryHeap::new(), BinaryHeap::new());
        for index in 0..count {
            self.offer(index, &mut free, &mut possible);
        }
        while let Some(Reverse((.., index))) = free.pop().or_else(|| possible.pop()) {
            if std::mem::replace(&mut done[index], true) {
                continue;
            }
            sorted.push(index);
            let node = self.nodes[index];
            let mut met = self.waiting.remove(node.urn.as_ref()).unwrap_or_default();
            if node.is_provider() {
                let reference = format!("{}::{}", node.urn, node.id);
                met.extend(self.waiting.remove(reference.as_str()).unwrap_or_default());
            }
            for waiter in met {
                self.needs[waiter] -= 1;
                self.offer(waiter, &mut free, &mut possible);
            }
            for waiter in std::mem::take(&mut self.after[index]) {
                self.wishes[waiter] -= 1;
                self.offer(waiter, &mut free, &mut possible);
            }
        }
        sorted.extend((0..count).filter(|index| !done[*index]));
        sorted
    }

    fn offer(
        &self,
        index: usize,
        free: &mut BinaryHeap<Reverse<Rank<'a>>>,
        possible: &mut BinaryHeap<Reverse<Rank<'a>>>,
    ) {
        match (self.needs[index], self.wishes[index]) {
            (0, 0) => free.push(self.rank(index)),
            (0, _) => possible.push(self.rank(index)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::integrity::verify;

    fn node(name: &str, id: &str, delete: bool, dependencies: &[&str]) -> Node {
        let urn = |name: &str| format!("urn:pulumi:dev::shop::a:b:C::{name}");
        serde_json::from_value(serde_json::json!({
            "urn": urn(name), "type": "a:b:C", "custom": true, "id": id, "delete": delete,
            "dependencies": dependencies.iter().map(|name| urn(name)).collect::<Vec<_>>(),
        }))
        .unwrap()
    }

    fn names(nodes: &[Node]) -> Vec<String> {
        let references: Vec<&Node> = nodes.iter().collect();
        let order = canonical(&references);
        verify(order.iter().map(|index| references[*index])).unwrap();
        order.iter().map(|index| nodes[*index].id.to_string()).collect()
    }

    #[test]
    fn any_arrangement_gives_one_order() {
        let mut nodes = vec![
            node("z", "z", false, &[]),
            node("a", "a", false, &["z"]),
            node("m", "m", false, &[]),
            node("a", "a-old", true, &["z"]),
        ];
        let expected = ["m", "z", "a", "a-old"];
        for _ in 0..nodes.len() {
            nodes.rotate_left(1);
            assert_eq!(names(&nodes), expected);
        }
    }

    #[test]
    fn an_old_dependent_comes_after_the_old_one_that_it_needs() {
        let nodes = [
            node("a", "a-old", true, &["b"]),
            node("b", "b-old", true, &[]),
            node("b", "b", false, &["a"]),
            node("a", "a", false, &[]),
        ];
        assert_eq!(names(&nodes), ["a", "b", "b-old", "a-old"]);
    }

    #[test]
    fn wishes_of_old_entries_never_block() {
        // Two generations that depended on each other the other way round.
        let nodes = [node("a", "a1", true, &["b"]), node("b", "b1", true, &["a"]), node("b", "b", false, &[])];
        assert_eq!(names(&nodes), ["b", "a1", "b1"]);
    }

    #[test]
    fn a_cycle_is_left_to_the_integrity_check() {
        let nodes = [node("a", "a", false, &["b"]), node("b", "b", false, &["a"]), node("c", "c", false, &[])];
        let references: Vec<&Node> = nodes.iter().collect();
        let order = canonical(&references);
        assert_eq!(order, [2, 0, 1]);
        assert!(verify(order.iter().map(|index| references[*index])).is_err());
    }
}
