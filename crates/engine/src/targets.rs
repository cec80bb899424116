//! The resources that the user targeted.

use std::collections::BTreeSet;

use outrigger_value::Urn;

/// Names and patterns; without any, every resource is targeted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    names: BTreeSet<Urn>,
    patterns: Vec<Pattern>,
}

/// A name with wildcards, as in Pulumi: `*` matches any text without a colon, `**` any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Is(char),
    WithinSegment,
    Anything,
}

impl Targets {
    /// Adds a whole name.
    pub fn add_name(&mut self, urn: Urn) {
        self.names.insert(urn);
    }

    /// Adds a pattern.
    pub fn add_pattern(&mut self, pattern: Pattern) {
        self.patterns.push(pattern);
    }

    /// Whether there are none, so that every resource is targeted.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty()
    }

    /// Whether this resource is targeted explicitly.
    pub fn contains(&self, urn: &Urn) -> bool {
        self.names.contains(urn) || self.patterns.iter().any(|pattern| pattern.matches(urn.as_str()))
    }

    /// The whole names.
    pub fn names(&self) -> impl Iterator<Item = &Urn> {
        self.names.iter()
    }

    /// The patterns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

impl FromIterator<Urn> for Targets {
    fn from_iter<T: IntoIterator<Item = Urn>>(names: T) -> Self {
        Self { names: names.into_iter().collect(), patterns: Vec::new() }
    }
}

impl Pattern {
    /// Parses a pattern; every text is valid.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let (part, length) = match next {
                '*' if rest.starts_with("**") => (Part::Anything, 2),
                '*' => (Part::WithinSegment, 1),
                other => (Part::Is(other), other.len_utf8()),
            };
            parts.push(part);
            rest = &rest[length..];
        }
        Self { text: text.to_owned(), parts }
    }

    /// The pattern as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        // The parts that can come next, updated for each character: no pattern can make this slow.
        let mut open = vec![false; self.parts.len() + 1];
        open[0] = true;
        self.skip_gaps(&mut open);
        for character in text.chars() {
            let mut next = vec![false; open.len()];
            for (index, part) in self.parts.iter().enumerate().filter(|(index, _)| open[*index]) {
                match part {
                    Part::Is(wanted) if *wanted == character => next[index + 1] = true,
                    Part::WithinSegment if character != ':' => next[index] = true,
                    Part::Anything => next[index] = true,
                    _ => {}
                }
            }
            self.skip_gaps(&mut next);
            open = next;
        }
        open.last() == Some(&true)
    }

    /// Also opens the part after each open wildcard, which may match nothing.
    fn skip_gaps(&self, open: &mut [bool]) {
        for (index, part) in self.parts.iter().enumerate() {
            if open[index] && !matches!(part, Part::Is(_)) {
                open[index + 1] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stays_within_a_segment_and_two_do_not() {
        let urn = "urn:pulumi:dev::shop::random:index/randomPet:RandomPet::pet";
        for (pattern, wanted) in [
            ("**", true),
            ("**::pet", true),
            ("**pet", true),
            ("urn:*:dev::shop::**", true),
            ("urn:pulumi:dev::*::*:*:*::pet", true),
            ("urn:pulumi:dev::*::pet", false),
            ("**::pe", false),
            ("*", false),
            ("", false),
            ("urn:pulumi:dev::shop::random:index/randomPet:RandomPet::pet", true),
            ("**:Random*::*", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(urn), wanted, "{pattern}");
        }
    }

    #[test]
    fn nothing_named_is_everything() {
        let urn: Urn = "urn:pulumi:dev::shop::a:b:C::d".parse().unwrap();
        let mut targets = Targets::default();
        assert!(targets.is_empty() && !targets.contains(&urn));
        targets.add_pattern(Pattern::new("**::d"));
        assert!(!targets.is_empty() && targets.contains(&urn));
        assert!(Targets::from_iter([urn.clone()]).contains(&urn));
    }
}
