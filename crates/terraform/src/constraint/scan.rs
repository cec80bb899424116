//! Parses the text of a constraint.

use semver::{BuildMetadata, Prerelease, Version};

use super::{Operator, Term};

/// A mistake, and its position.
#[derive(Debug)]
pub(super) struct Mistake {
    /// From 1, in characters.
    pub(super) column: usize,
    pub(super) reason: String,
    pub(super) hint: Option<String>,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// All terms to the end of the text.
    pub(super) fn terms(mut self) -> Result<Vec<Term>, Mistake> {
        let mut terms = Vec::new();
        self.spaces();
        while !self.rest().is_empty() {
            terms.push(self.term()?);
            self.spaces();
            if self.rest().is_empty() {
                break;
            }
            if !self.rest().starts_with(',') {
                return Err(self.mistake("a comma is missing before this".to_owned()));
            }
            self.at += 1;
            self.spaces();
        }
        Ok(terms)
    }

    /// A version and nothing else.
    pub(super) fn only_version(mut self) -> Option<Version> {
        let (version, _) = self.version().ok()?;
        self.rest().is_empty().then_some(version)
    }

    fn term(&mut self) -> Result<Term, Mistake> {
        let start = self.at;
        let text =
            self.take(|letter| !(letter.is_ascii_alphanumeric() || letter.is_whitespace() || ".*".contains(letter)));
        let operator = match text {
            "" | "=" => Operator::Equal,
            "!=" => Operator::NotEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            // The number of parts of the version decides between the two.
            "~>" => Operator::SameMajor,
            _ => return Err(self.unknown_operator(start, text)),
        };
        let spaces = self.take(char::is_whitespace);
        if !(spaces.is_empty() || spaces == " ") {
            return Err(self.mistake("only one space may follow an operator".to_owned()));
        }
        let (version, parts) = self.version()?;
        let operator = match operator {
            Operator::SameMajor if parts == 3 => Operator::SameMinor,
            operator => operator,
        };
        Ok(Term { operator, version })
    }

    fn unknown_operator(&self, start: usize, text: &str) -> Mistake {
        let mut mistake = self.mistake_at(start, format!("`{text}` is not an operator"));
        mistake.hint = match text {
            "=>" => Some("Write `>=`.".to_owned()),
            "=<" => Some("Write `<=`.".to_owned()),
            "==" => Some("Write `=`, or only the version.".to_owned()),
            "^" | "~" => Some("Write `~>`, which allows the last number to increase.".to_owned()),
            _ => Some("The operators are `=`, `!=`, `>`, `>=`, `<`, `<=` and `~>`.".to_owned()),
        };
        mistake
    }

    /// A version, and how many of its numbers were given.
    fn version(&mut self) -> Result<(Version, usize), Mistake> {
        if self.rest().starts_with(['v', 'V']) {
            return Err(self.mistake("a version has no `v` before it".to_owned()));
        }
        let mut numbers = [0_u64; 3];
        let mut parts = 0;
        loop {
            let number = self.number()?;
            match numbers.get_mut(parts) {
                Some(place) => *place = number,
                None => return Err(self.mistake("a version has at most three numbers".to_owned())),
            }
            parts += 1;
            if !self.rest().starts_with('.') {
                break;
            }
            self.at += 1;
        }
        let [major, minor, patch] = numbers;
        let mut version = Version::new(major, minor, patch);
        if let Some((start, text)) = self.extra('-')? {
            version.pre = Prerelease::new(text).map_err(|error| self.mistake_at(start, error.to_string()))?;
        }
        if let Some((start, text)) = self.extra('+')? {
            version.build = BuildMetadata::new(text).map_err(|error| self.mistake_at(start, error.to_string()))?;
        }
        Ok((version, parts))
    }

    fn number(&mut self) -> Result<u64, Mistake> {
        if self.rest().starts_with(['*', 'x', 'X']) {
            let mut mistake = self.mistake("a version cannot have a wildcard".to_owned());
            mistake.hint = Some("Leave the number out, as in `~> 3.1`.".to_owned());
            return Err(mistake);
        }
        let start = self.at;
        let digits = self.take(|letter| letter.is_ascii_digit());
        let found = if digits.is_empty() { Err("a number is missing here") } else { Ok(digits) };
        found
            .and_then(|digits| digits.parse().map_err(|_| "this number is too large"))
            .map_err(|reason| self.mistake_at(start, reason.to_owned()))
    }

    /// The text after a sign, parts separated by dots, and where it begins.
    fn extra(&mut self, sign: char) -> Result<Option<(usize, &'a str)>, Mistake> {
        if !self.rest().starts_with(sign) {
            return Ok(None);
        }
        self.at += sign.len_utf8();
        let start = self.at;
        match self.take(|letter| letter.is_ascii_alphanumeric() || ".-".contains(letter)) {
            "" => Err(self.mistake(format!("something is missing after `{sign}`"))),
            text => Ok(Some((start, text))),
        }
    }

    fn spaces(&mut self) {
        self.take(char::is_whitespace);
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn mistake(&self, reason: String) -> Mistake {
        self.mistake_at(self.at, reason)
    }

    fn mistake_at(&self, at: usize, reason: String) -> Mistake {
        let before = self.text.get(..at).unwrap_or_default();
        Mistake { column: before.chars().count() + 1, reason, hint: None }
    }
}
