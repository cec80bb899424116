//! Ratios with limits, and whether they are met.

use std::fmt::Write as _;

/// A ratio and its limit.
pub(super) struct Target {
    what: String,
    ratio: f64,
    limit: f64,
    met: bool,
}

impl Target {
    /// A ratio with an upper limit.
    pub(super) fn new(what: impl Into<String>, ratio: f64, limit: f64) -> Self {
        Self { what: what.into(), ratio, limit, met: ratio <= limit }
    }

    /// A ratio with a lower limit.
    pub(super) fn at_least(what: impl Into<String>, ratio: f64, limit: f64) -> Self {
        Self { met: ratio >= limit, ..Self::new(what, ratio, limit) }
    }
}

/// The ratio of ours to theirs; infinite if theirs is zero.
pub(super) fn ratio(ours: f64, theirs: f64) -> f64 {
    if theirs > 0.0 { ours / theirs } else { f64::INFINITY }
}

/// The targets as a table.
pub(super) fn table(targets: &[Target]) -> String {
    let mut text = String::from("| target | measured | limit | |\n| --- | ---: | ---: | --- |\n");
    for Target { what, ratio, limit, met } in targets {
        let verdict = if *met { "met" } else { "**missed**" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {what} | {ratio:.3} | {limit:.3} | {verdict} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_up_to_its_limit() {
        let text = table(&[Target::new("one", 0.5, 0.5), Target::new("other", ratio(1.0, 0.0), 0.5)]);
        assert!(text.contains("| one | 0.500 | 0.500 | met |"), "{text}");
        assert!(text.contains("| other | inf | 0.500 | **missed** |"), "{text}");
        let text = table(&[Target::at_least("one", 3.0, 3.0), Target::at_least("other", 2.9, 3.0)]);
        assert!(text.contains("| 3.000 | met |") && text.contains("| 2.900 | 3.000 | **missed** |"), "{text}");
    }
}
