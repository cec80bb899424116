//! The name that somebody may have meant.

/// How many changes a name may be away from the one that was meant.
pub const FAR: usize = 2;

/// The candidate that is nearest to `name`, upper and lower case being equal.
/// Of equally near ones the first in the alphabet is taken.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, candidate), candidate))
        .filter(|(distance, _)| *distance <= FAR)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, removed or changed to get from `wanted`, in lower case, to the candidate.
pub fn distance(wanted: &[char], candidate: &str) -> usize {
    let candidate: Vec<char> = candidate.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (at, letter) in candidate.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(wanted) {
            let above = *cell;
            let changed = diagonal + usize::from(letter != other);
            diagonal = above;
            left = changed.min(above + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses() {
        let keys = ["name", "runtime", "resources", "outputs"];
        assert_eq!(closest("nmae", keys), Some("name"));
        assert_eq!(closest("Runtime", keys), Some("runtime"));
        assert_eq!(closest("resource", keys), Some("resources"));
        assert_eq!(closest("something", keys), None);
        assert_eq!(distance(&['a', 'b'], ""), 2);
        assert_eq!(distance(&[], "abc"), 3);
    }
}
