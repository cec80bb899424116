//! Version constraints as Terraform writes them: `>= 1.2, < 2.0.0, != 1.5.1`, `~> 3.1`.
//!
//! The rules differ from those of `semver::VersionReq` in nearly every point, so only [`semver::Version`] is used.

mod scan;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use outrigger_diagnostic::Diagnostic;
use semver::Version;

use scan::Scanner;

/// Conditions that a version must meet, all of them. Without any, every release meets them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraint {
    /// Sorted, each once.
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    operator: Operator,
    version: Version,
}

/// In the order in which the canonical form lists operators of equal versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Greater,
    GreaterOrEqual,
    Equal,
    /// `~> 1.2.3`: only the patch may be newer.
    SameMinor,
    /// `~> 1.2` and `~> 1`: only the minor number may be newer.
    SameMajor,
    LessOrEqual,
    Less,
    NotEqual,
}

impl Constraint {
    /// Whether a version meets it. A pre-release does so only if a term names exactly that version. Version 0.0.0 means "no version" and never
    /// does, not even without any condition.
    pub fn matches(&self, version: &Version) -> bool {
        if *version == Version::new(0, 0, 0) {
            return false;
        }
        let requested = || self.terms.iter().any(|term| term.operator == Operator::Equal && term.version == *version);
        self.terms.iter().all(|term| term.matches(version)) && (version.pre.is_empty() || requested())
    }

    /// The newest of the versions that meets it.
    pub fn newest<'a>(&self, versions: impl IntoIterator<Item = &'a Version>) -> Option<&'a Version> {
        versions.into_iter().filter(|version| self.matches(version)).max()
    }

    /// Whether it has no conditions.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

impl Term {
    fn matches(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.operator {
            // Only these two compare build metadata.
            Operator::Equal => *version == self.version,
            Operator::NotEqual => *version != self.version,
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::SameMinor | Operator::SameMajor => {
                order.is_ge() && self.end().is_none_or(|end| version.cmp_precedence(&end).is_lt())
            }
        }
    }

    /// The first version that `~>` excludes, if there is a number for it.
    fn end(&self) -> Option<Version> {
        let Version { major, minor, .. } = self.version;
        match self.operator {
            Operator::SameMinor => Some(Version::new(major, minor.checked_add(1)?, 0)),
            _ => Some(Version::new(major.checked_add(1)?, 0, 0)),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.version.cmp(&other.version).then(self.operator.cmp(&other.operator))
    }
}

/// The canonical form, which lock files use.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let operator = match term.operator {
                Operator::Greater => "> ",
                Operator::GreaterOrEqual => ">= ",
                Operator::Equal => "",
                Operator::SameMinor | Operator::SameMajor => "~> ",
                Operator::LessOrEqual => "<= ",
                Operator::Less => "< ",
                Operator::NotEqual => "!= ",
            };
            let Version { major, minor, patch, pre, build } = &term.version;
            write!(f, "{separator}{operator}{major}.{minor}")?;
            if term.operator != Operator::SameMajor {
                write!(f, ".{patch}")?;
            }
            if !pre.is_empty() {
                write!(f, "-{pre}")?;
            }
            if !build.is_empty() {
                write!(f, "+{build}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Constraint {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let terms = Scanner::new(text).terms();
        let mut terms = terms.map_err(|mistake| {
            let error = Diagnostic::error("terraform-constraint", format!("`{text}` is not a version constraint"))
                .detail(format!("At column {}: {}.", mistake.column, mistake.reason));
            error.hint(mistake.hint.unwrap_or_else(|| {
                "Write conditions such as `3.6.0`, `>= 3.1, < 4.0` or `~> 3.6`, with commas between them.".to_owned()
            }))
        })?;
        terms.sort_by(Term::order);
        terms.dedup();
        Ok(Self { terms })
    }
}

/// Parses one version, whose last parts can be left out, as in the names of directories.
pub fn exact_version(text: &str) -> Option<Version> {
    Scanner::new(text).only_version()
}

#[cfg(test)]
mod tests;
