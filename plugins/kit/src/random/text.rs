//! Random texts: their inputs, and how they are generated.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Error, Inputs, Result, Value};

use super::source::RandomSource;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
/// Without quotes, the backslash, the backtick and the blank, which have a special meaning almost everywhere.
const SPECIAL: &str = "!#$%&()*+,-./:;<=>?@[]^_{|}~";

/// A longer text is taken for a mistake.
const LONGEST: u32 = 65_536;

/// The inputs of a text of random characters, secret or not.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct TextArgs {
    /// The number of characters.
    pub(super) length: u32,
    /// Whether to use lower-case letters.
    #[outrigger(default = true)]
    pub(super) lower: bool,
    /// Whether to use upper-case letters.
    #[outrigger(default = true)]
    pub(super) upper: bool,
    /// Whether to use digits.
    #[outrigger(default = true)]
    pub(super) numeric: bool,
    /// Whether to use special characters: `!#$%&()*+,-./:;<=>?@[]^_{|}~`, or those of `overrideSpecial`.
    #[outrigger(default = true)]
    pub(super) special: bool,
    /// The minimum number of lower-case letters.
    #[outrigger(default = 0)]
    pub(super) min_lower: u32,
    /// The minimum number of upper-case letters.
    #[outrigger(default = 0)]
    pub(super) min_upper: u32,
    /// The minimum number of digits.
    #[outrigger(default = 0)]
    pub(super) min_numeric: u32,
    /// The minimum number of special characters.
    #[outrigger(default = 0)]
    pub(super) min_special: u32,
    /// The special characters to choose from.
    pub(super) override_special: Option<String>,
    /// Any values. When one of them changes, a new value is generated.
    pub(super) keepers: Option<BTreeMap<String, Value>>,
}

impl TextArgs {
    /// Any text of this length.
    pub(super) fn any(length: u32) -> Self {
        Self {
            length,
            lower: true,
            upper: true,
            numeric: true,
            special: true,
            min_lower: 0,
            min_upper: 0,
            min_numeric: 0,
            min_special: 0,
            override_special: None,
            keepers: None,
        }
    }

    /// The errors in the inputs, by property.
    fn mistakes(&self) -> Vec<(&'static str, String)> {
        let mut mistakes = Vec::new();
        if self.length == 0 || self.length > LONGEST {
            mistakes.push(("length", format!("a length must be from 1 to {LONGEST}")));
        }
        let kinds = [
            ("minLower", "lower", self.lower, self.min_lower),
            ("minUpper", "upper", self.upper, self.min_upper),
            ("minNumeric", "numeric", self.numeric, self.min_numeric),
            ("minSpecial", "special", self.special, self.min_special),
        ];
        for (property, kind, wanted, least) in kinds {
            if least > 0 && !wanted {
                mistakes.push((property, format!("there can be none, because `{kind}` is false")));
            }
        }
        let least: u64 = kinds.iter().map(|(_, _, _, least)| u64::from(*least)).sum();
        if least > u64::from(self.length) {
            let reason = format!("the minimum numbers of characters add up to {least}, which is more than the length");
            mistakes.push(("length", reason));
        }
        if !kinds.iter().any(|(_, _, wanted, _)| *wanted) {
            let reason =
                "no kind of character is left: one of `lower`, `upper`, `numeric` and `special` has to be true";
            mistakes.push(("lower", reason.to_owned()));
        }
        match self.override_special.as_deref() {
            Some("") => mistakes.push(("overrideSpecial", "it is empty; for none set `special: false`".to_owned())),
            Some(_) if !self.special => {
                mistakes.push(("overrideSpecial", "it has no effect, because `special` is false".to_owned()));
            }
            Some(text) if text.chars().any(char::is_control) => {
                mistakes.push(("overrideSpecial", "it has control characters".to_owned()));
            }
            _ => {}
        }
        mistakes
    }

    /// Reports the errors in the inputs.
    pub(super) fn check(check: &mut Check<Self>) {
        for (property, reason) in check.inputs.mistakes() {
            check.refuse(property, reason);
        }
    }

    /// Generates a text.
    pub(super) fn text(&self) -> Result<String> {
        if let Some((property, reason)) = self.mistakes().into_iter().next() {
            return Err(Error::new(format!("`{property}`: {reason}")));
        }
        let special = self.override_special.as_deref().unwrap_or(SPECIAL);
        let kinds = [
            (self.lower, LOWER, self.min_lower),
            (self.upper, UPPER, self.min_upper),
            (self.numeric, DIGITS, self.min_numeric),
            (self.special, special, self.min_special),
        ];
        let kinds =
            kinds.into_iter().filter(|(wanted, ..)| *wanted).map(|(_, letters, least)| (unique(letters), least));
        draw(self.length, &kinds.collect::<Vec<_>>(), &mut RandomSource::new())
    }
}

/// Removes duplicates, because a repeated character must not be more likely.
fn unique(letters: &str) -> Vec<char> {
    let mut letters: Vec<char> = letters.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    letters
}

/// Draws a text from kinds of characters: the minimum of each kind first, then any, all shuffled.
fn draw(length: u32, kinds: &[(Vec<char>, u32)], source: &mut RandomSource) -> Result<String> {
    let mut letters = Vec::new();
    for (kind, least) in kinds {
        for _ in 0..*least {
            letters.push(source.choose(kind)?);
        }
    }
    let all = unique(&kinds.iter().flat_map(|(kind, _)| kind).collect::<String>());
    while letters.len() < length as usize {
        letters.push(source.choose(&all)?);
    }
    source.shuffle(&mut letters)?;
    Ok(letters.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> TextArgs {
        TextArgs::any(20)
    }

    #[test]
    fn least_numbers_hold() {
        let args = TextArgs { length: 8, min_lower: 1, min_upper: 2, min_numeric: 2, min_special: 3, ..any() };
        for _ in 0..200 {
            let text = args.text().unwrap();
            let count = |of: &str| text.chars().filter(|letter| of.contains(*letter)).count();
            assert_eq!((count(LOWER), count(UPPER), count(DIGITS), count(SPECIAL)), (1, 2, 2, 3), "{text}");
        }
    }

    #[test]
    fn only_what_is_wished() {
        let text = TextArgs { length: 2_000, upper: false, special: false, ..any() }.text().unwrap();
        assert!(text.chars().all(|letter| LOWER.contains(letter) || DIGITS.contains(letter)), "{text}");
        assert!(LOWER.chars().chain(DIGITS.chars()).all(|letter| text.contains(letter)), "{text}");
        let special = TextArgs {
            length: 50,
            lower: false,
            upper: false,
            numeric: false,
            override_special: Some("ä-ä".to_owned()),
            ..any()
        };
        let text = special.text().unwrap();
        assert_eq!(text.chars().count(), 50);
        assert!(text.chars().all(|letter| letter == 'ä' || letter == '-'), "{text}");
    }

    #[test]
    fn contradictions_are_mistakes() {
        let first = |args: TextArgs| args.mistakes().first().map(|(property, _)| *property);
        assert_eq!(first(any()), None);
        assert_eq!(first(TextArgs { length: 0, ..any() }), Some("length"));
        assert_eq!(first(TextArgs { length: 3, min_lower: 2, min_upper: 2, ..any() }), Some("length"));
        assert_eq!(first(TextArgs { upper: false, min_upper: 1, ..any() }), Some("minUpper"));
        assert_eq!(first(TextArgs { override_special: Some(String::new()), ..any() }), Some("overrideSpecial"));
        let none = TextArgs { lower: false, upper: false, numeric: false, special: false, ..any() };
        assert_eq!(first(none), Some("lower"));
        let many = TextArgs { min_lower: u32::MAX, min_upper: u32::MAX, ..any() };
        assert_eq!(first(many), Some("length"));
    }
}
