//! Which elements of two sequences belong together.

/// One row of an alignment: an element of the old side, of the new side, or the same element on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
}

/// Beyond this many comparisons the middle part is taken as rewritten: a diff is no reason to wait.
const COMPARISONS: usize = 1_000_000;

/// Aligns two sequences by a longest common subsequence: what is equal is paired, in order; what is left stands alone, the old before
/// the new.
pub(super) fn align<T>(old: &[T], new: &[T], equal: impl Fn(&T, &T) -> bool) -> Vec<Pair> {
    let head = old.iter().zip(new).take_while(|(old, new)| equal(old, new)).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(|(old, new)| equal(old, new)).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut pairs: Vec<Pair> = (0..head).map(|index| Pair { old: Some(index), new: Some(index) }).collect();
    middle(&old[head..old_end], &new[head..new_end], equal, head, &mut pairs);
    pairs.extend((0..tail).map(|index| Pair { old: Some(old_end + index), new: Some(new_end + index) }));
    pairs
}

fn middle<T>(old: &[T], new: &[T], equal: impl Fn(&T, &T) -> bool, start: usize, pairs: &mut Vec<Pair>) {
    let only_old = |index: usize| Pair { old: Some(start + index), new: None };
    let only_new = |index: usize| Pair { old: None, new: Some(start + index) };
    if old.len().saturating_mul(new.len()) > COMPARISONS {
        pairs.extend((0..old.len()).map(only_old));
        pairs.extend((0..new.len()).map(only_new));
        return;
    }
    // The length of the longest common subsequence of what follows each pair of places.
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let mut same = vec![false; old.len() * new.len()];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let matches = equal(&old[i], &new[j]);
            same[i * new.len() + j] = matches;
            lengths[i * width + j] = if matches {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if same[i * new.len() + j] {
            pairs.push(Pair { old: Some(start + i), new: Some(start + j) });
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            pairs.push(only_old(i));
            i += 1;
        } else {
            pairs.push(only_new(j));
            j += 1;
        }
    }
    pairs.extend((i..old.len()).map(only_old));
    pairs.extend((j..new.len()).map(only_new));
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
