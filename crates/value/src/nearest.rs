//! The intended name behind a misspelt one.

/// How many changes a misspelt name may be away from the intended one.
pub const FAR: usize = 2;

/// The candidate nearest to `name`, ignoring case; of equally near ones, the first in alphabetical order.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= FAR)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, removed or changed to turn one name into the other, ignoring case.
pub fn distance(name: &str, candidate: &str) -> usize {
    strsim::levenshtein(&name.to_lowercase(), &candidate.to_lowercase())
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
        assert_eq!(distance("ab", ""), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
