//! The resources that a `state` command names: by URN, by a pattern with `*`, or by their short name in the program.

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::Pattern;
use outrigger_state::Outlined;
use outrigger_value::nearest::{FAR, distance};

/// The live entries that a text names. A short name must belong to one resource only; a pattern may match many.
pub(super) fn select<'a>(entries: &'a [Outlined], text: &str) -> Result<Vec<&'a Outlined>, Diagnostic> {
    let live = || entries.iter().filter(|entry| !entry.delete);
    if text.contains('*') {
        let pattern = Pattern::new(text);
        let found: Vec<_> = live().filter(|entry| pattern.matches(entry.urn.as_str())).collect();
        return if found.is_empty() { Err(unknown(text, entries)) } else { Ok(found) };
    }
    if text.starts_with("urn:") {
        return live()
            .find(|entry| entry.urn.as_str() == text)
            .map(|entry| vec![entry])
            .ok_or_else(|| unknown(text, entries));
    }
    let ending = format!("::{text}");
    let found: Vec<_> = live().filter(|entry| entry.urn.as_str().ends_with(&ending)).collect();
    match found.len() {
        0 => Err(unknown(text, entries)),
        1 => Ok(found),
        count => {
            let urns: Vec<&str> = found.iter().map(|entry| entry.urn.as_str()).collect();
            Err(Diagnostic::error("state-name-ambiguous", format!("{count} resources are named `{text}`"))
                .detail(urns.join("\n"))
                .hint(format!("Name one by its URN or as `TYPE::{text}`, or all of them by the pattern `**::{text}`.")))
        }
    }
}

fn unknown(text: &str, entries: &[Outlined]) -> Diagnostic {
    let name = text.rsplit("::").next().unwrap_or(text);
    let nearest = entries.iter().map(|entry| (distance(name, entry.urn.name()), entry.urn.as_str())).min();
    let diagnostic = Diagnostic::error("state-urn-unknown", format!("the state has no resource `{text}`"));
    let diagnostic = match nearest.filter(|(far, _)| *far <= FAR && !name.contains('*')) {
        Some((_, urn)) => diagnostic.hint(format!("Did you mean `{urn}`?")),
        None => diagnostic,
    };
    diagnostic.hint("`outrigger state list` lists all URNs.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(urn: &str) -> Outlined {
        Outlined {
            urn: urn.parse().unwrap(),
            id: None,
            parent: None,
            dependencies: Vec::new(),
            delete: false,
            custom: true,
            protect: false,
            taint: false,
        }
    }

    #[test]
    fn a_resource_has_a_urn_a_short_name_and_patterns() {
        let urn = |name: &str| format!("urn:pulumi:dev::shop::{name}");
        let entries = [entry(&urn("kit:random:Pet::a")), entry(&urn("kit:random:Text::a")), entry(&urn("x:y:Z::bea"))];
        let names = |text: &str| {
            let found = select(&entries, text).map_err(|error| (error.code, error.hints));
            found.map(|found| found.iter().map(|entry| entry.urn.ty().to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(names("bea").unwrap(), ["x:y:Z"]);
        assert_eq!(names("kit:random:Text::a").unwrap(), ["kit:random:Text"]);
        assert_eq!(names("**::a").unwrap(), ["kit:random:Pet", "kit:random:Text"]);
        assert_eq!(names(&urn("x:y:Z::bea")).unwrap(), ["x:y:Z"]);
        assert_eq!(names("a").unwrap_err().0, "state-name-ambiguous");
        let (code, hints) = names("bee").unwrap_err();
        assert_eq!(
            (code, hints[0].as_str()),
            ("state-urn-unknown", "Did you mean `urn:pulumi:dev::shop::x:y:Z::bea`?")
        );
        assert_eq!(names("**::z").unwrap_err().0, "state-urn-unknown");
    }
}
