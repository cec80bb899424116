//! The name that the user may have meant.

use outrigger_diagnostic::Diagnostic;

/// How many changes a name may be away from the one that was meant.
const FAR: usize = 2;

/// How many existing names are listed.
const LISTED: usize = 5;

/// Says which names exist, nearest first, and which of them may have been meant.
pub(crate) fn suggest<'a>(
    diagnostic: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    what: &str,
) -> Diagnostic {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let mut known: Vec<(usize, &str)> =
        known.into_iter().map(|candidate| (distance(&wanted, candidate), candidate)).collect();
    known.sort_unstable();
    let Some((nearest, near)) = known.first().copied() else {
        return diagnostic.detail(format!("There are no {what} here.")).hint("Remove it.");
    };
    let listed = known.iter().take(LISTED).map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    let detail = match known.len().saturating_sub(LISTED) {
        0 => format!("Existing {what} are: {listed}"),
        1 => format!("Existing {what} are: {listed} and 1 other"),
        more => format!("Existing {what} are: {listed} and {more} others"),
    };
    let hint = match nearest <= FAR {
        true => format!("Did you mean `{near}`?"),
        false => "Check the spelling, or remove it.".to_owned(),
    };
    diagnostic.detail(detail).hint(hint)
}

/// The candidate that is nearest to `name`, upper and lower case being equal.
/// Of equally near ones the first in the alphabet is taken.
pub(crate) fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, candidate), candidate))
        .filter(|(distance, _)| *distance <= FAR)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, removed or changed.
fn distance(wanted: &[char], candidate: &str) -> usize {
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
    fn the_nearest_comes_first() {
        let names = ["a", "length", "b", "c", "d", "e", "f"];
        let found = suggest(Diagnostic::error("x", "y"), "lenght", names, "properties");
        assert_eq!(found.detail.as_deref(), Some("Existing properties are: length, e, a, b, c and 2 others"));
        assert_eq!(found.hints, ["Did you mean `length`?"]);
        assert_eq!(suggest(Diagnostic::error("x", "y"), "z", [], "properties").hints, ["Remove it."]);
    }

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
