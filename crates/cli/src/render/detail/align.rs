//! Which elements of two sequences belong together.

use similar::DiffOp;
use similar::algorithms::{Capture, Replace, myers};

/// One row of an alignment: an element of the old side, of the new side, or the same element on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
}

/// Beyond this many comparisons the part between the equal ends counts as rewritten. A number, not a time limit: the same change must look the same
/// on every machine.
const COMPARISONS: usize = 4_000_000;

/// An element with a special equality.
struct Item<'a, T>(&'a T, fn(&T, &T) -> bool);

impl<T> PartialEq for Item<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.1(other.0, self.0)
    }
}

/// Aligns two sequences by a longest common subsequence: equal elements are paired, in order; the others stand alone, the old before
/// the new.
pub(super) fn align<T>(old: &[T], new: &[T], equal: fn(&T, &T) -> bool) -> Vec<Pair> {
    let head = old.iter().zip(new).take_while(|(old, new)| equal(old, new)).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(|(old, new)| equal(old, new)).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut pairs: Vec<Pair> = (0..head).map(|at| Pair { old: Some(at), new: Some(at) }).collect();
    if (old_end - head).saturating_mul(new_end - head) > COMPARISONS {
        pairs.extend((head..old_end).map(|at| Pair { old: Some(at), new: None }));
        pairs.extend((head..new_end).map(|at| Pair { old: None, new: Some(at) }));
        pairs.extend((0..tail).map(|at| Pair { old: Some(old_end + at), new: Some(new_end + at) }));
        return pairs;
    }
    let [old, new] = [old, new].map(|side| side.iter().map(|item| Item(item, equal)).collect::<Vec<_>>());
    let mut found = Replace::new(Capture::new());
    // From the new to the old: of two equally short ways, the one that removes first is taken.
    let Ok(()) = myers::diff_deadline_raw(&mut found, &new, head..new.len(), &old, head..old.len(), None);
    for op in found.into_inner().into_ops() {
        if let DiffOp::Equal { old_index: new_index, new_index: old_index, len } = op {
            pairs.extend((0..len).map(|at| Pair { old: Some(old_index + at), new: Some(new_index + at) }));
        } else {
            pairs.extend(op.new_range().map(|at| Pair { old: Some(at), new: None }));
            pairs.extend(op.old_range().map(|at| Pair { old: None, new: Some(at) }));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let shown: String = align(&old, &new, |a, b| a == b)
            .into_iter()
            .map(|pair| match (pair.old, pair.new) {
                (Some(at), None) => format!("-{}", old[at]),
                (None, Some(at)) => format!("+{}", new[at]),
                (Some(at), _) => old[at].to_string(),
                (None, None) => "?".to_owned(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_equal_is_paired() {
        check("abc", "abc", "abc");
        check("abc", "xabc", "+xabc");
        check("abcd", "acbd", "a-bc+bd");
        check("abc", "", "-a-b-c");
        check("ab", "xy", "-a-b+x+y");
    }

    #[test]
    fn very_long_sequences_are_not_waited_for() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..5000).collect(), (10_000..15_000).collect());
        assert_eq!(align(&old, &new, |a, b| a == b).len(), 10_000);
    }
}
