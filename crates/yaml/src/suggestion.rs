//! Suggestions for a misspelt name.

use outrigger_diagnostic::Diagnostic;
use outrigger_value::nearest::{FAR, distance};

/// How many existing names are listed.
const LISTED: usize = 5;

/// Adds the existing names, nearest first, and a suggestion among them.
pub(crate) fn suggest<'a>(
    diagnostic: Diagnostic,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    what: &str,
) -> Diagnostic {
    let mut known: Vec<(usize, &str)> = known.into_iter().map(|known| (distance(name, known), known)).collect();
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
}
