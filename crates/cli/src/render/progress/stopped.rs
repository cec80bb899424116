//! The operations that ended because the user asked to stop: each has the same error, which is shown once.

use std::collections::HashSet;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::Urn;

use crate::render::text::one_line;

/// So many names stand in the line at the end.
const SHOWN: usize = 20;

#[derive(Default)]
pub(super) struct Stopped {
    names: Vec<String>,
    /// What the errors said that were shown.
    reasons: HashSet<String>,
}

impl Stopped {
    /// Whether an error goes into the line at the end: it says that the call was given up, or what another one has said.
    pub(super) fn takes(&mut self, urn: &Urn, diagnostic: &Diagnostic) -> bool {
        let Diagnostic { code, detail, hints, notes, .. } = diagnostic;
        let mut is_new = || self.reasons.insert(format!("{code} {detail:?} {hints:?} {notes:?}"));
        if *code != "plugin-cancelled" && is_new() {
            return false;
        }
        self.names.push(one_line(urn.name()));
        true
    }

    /// The line; empty if there are none.
    pub(super) fn line(&self) -> String {
        let (count, more) = (self.names.len(), if self.reasons.is_empty() { "" } else { " more" });
        let what = match count {
            0 => return String::new(),
            1 => format!("1{more} operation was stopped"),
            _ => format!("{count}{more} operations were stopped"),
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
        assert_eq!(stopped.line(), "");
        assert!(stopped.takes(&urn("a"), &error("plugin-cancelled", "given up by plugin 1")));
        assert_eq!(stopped.line(), "1 operation was stopped: a\n\n");
        assert!(stopped.takes(&urn("b"), &error("plugin-cancelled", "given up by plugin 2")));
        assert_eq!(stopped.line(), "2 operations were stopped: a, b\n\n");
        // What fails by itself meanwhile is shown.
        assert!(!stopped.takes(&urn("c"), &error("plugin-error", "quota")));
        assert!(!stopped.takes(&urn("d"), &error("plugin-error", "no such zone")));
        for number in 0..20 {
            assert!(stopped.takes(&urn(&format!("e{number}")), &error("plugin-error", "quota")));
        }
        assert!(stopped.line().starts_with("22 more operations were stopped: a, b, e0, "), "{}", stopped.line());
        assert!(stopped.line().ends_with("e17 and 2 more\n\n"), "{}", stopped.line());
    }
}
