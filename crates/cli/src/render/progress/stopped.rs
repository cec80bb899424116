//! The operations that ended because the user asked to stop: each has the same error, which is shown once.

use std::collections::HashSet;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Urn;

use crate::render::text::one_line;

/// How many names the line at the end lists.
const SHOWN: usize = 20;

#[derive(Default)]
pub(super) struct Stopped {
    names: Vec<String>,
    /// The reasons of the errors that were shown.
    reasons: HashSet<String>,
}

impl Stopped {
    /// Whether an error goes into the line at the end, because another one with the same reason was shown.
    pub(super) fn takes(&mut self, urn: &Urn, diagnostic: &Diagnostic) -> bool {
        let Diagnostic { code, detail, hints, notes, .. } = diagnostic;
        let is_new = self.reasons.insert(format!("{code} {detail:?} {hints:?} {notes:?}"));
        if !is_new {
            self.names.push(one_line(urn.name()));
        }
        !is_new
    }

    /// The line; empty if there are none.
    pub(super) fn line(&self) -> String {
        let count = self.names.len();
        let what = match count {
            0 => return String::new(),
            1 => "1 more operation was stopped".to_owned(),
            _ => format!("{count} more operations were stopped"),
        };
        let names = self.names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        let rest = if count > SHOWN { format!(" and {} more", count - SHOWN) } else { String::new() };
        format!("{what}: {names}{rest}\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_many() {
        let error = |code, detail: &str| Diagnostic::error(code, "could not create").detail(detail);
        let urn = |name: &str| Urn::new("dev", "shop", None, "a:b:C", name);
        let mut stopped = Stopped::default();
        assert!(!stopped.takes(&urn("a"), &error("plugin-cancelled", "given up")));
        assert_eq!(stopped.line(), "");
        assert!(stopped.takes(&urn("b"), &error("plugin-cancelled", "given up")));
        assert_eq!(stopped.line(), "1 more operation was stopped: b\n\n");
        // An error with a different reason is shown.
        assert!(!stopped.takes(&urn("c"), &error("plugin-error", "quota")));
        assert!(!stopped.takes(&urn("d"), &error("plugin-error", "no such zone")));
        for number in 0..20 {
            assert!(stopped.takes(&urn(&format!("e{number}")), &error("plugin-error", "quota")));
        }
        assert!(stopped.line().starts_with("21 more operations were stopped: b, e0, "), "{}", stopped.line());
        assert!(stopped.line().ends_with("e18 and 1 more\n\n"), "{}", stopped.line());
    }
}
