//! The range of versions in `requiredPulumiVersion`.

use semver::Version;

/// The version of Pulumi whose files and meanings this build reproduces.
pub const PULUMI_VERSION: Version = Version::new(3, 250, 0);

/// A range: comparisons that must all hold, or one of several such groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange(Vec<Vec<Comparison>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparison {
    operator: Operator,
    /// Major, minor and patch; an `x` ends it early.
    parts: Vec<u64>,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Not,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl VersionRange {
    /// Reads `>=3.0.0 !3.1.2`, `<3.4.0 || >3.8.0`, `3.x`. `None` if it is not a range.
    pub fn parse(text: &str) -> Option<Self> {
        text.split("||").map(group).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether a version is inside.
    pub fn accepts(&self, version: &Version) -> bool {
        self.0.iter().any(|all| all.iter().all(|comparison| comparison.holds(version)))
    }
}

impl Comparison {
    fn holds(&self, version: &Version) -> bool {
        if self.parts.len() < 3 {
            // A version with `x` stands for all that begin like it.
            let actual = [version.major, version.minor, version.patch];
            let order = actual.iter().zip(&self.parts).map(|(actual, wanted)| actual.cmp(wanted));
            return self.operator.allows(order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then));
        }
        self.operator.allows(version.cmp_precedence(&self.version))
    }
}

impl Operator {
    fn allows(self, order: std::cmp::Ordering) -> bool {
        match self {
            Operator::Equal => order.is_eq(),
            Operator::Not => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
        }
    }
}

fn group(text: &str) -> Option<Vec<Comparison>> {
    // A blank between operator and version is allowed: `>= 3.0.0`.
    let mut comparisons = Vec::new();
    let mut pending = String::new();
    for word in text.split_whitespace() {
        pending.push_str(word);
        if word.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            comparisons.push(comparison(&pending)?);
            pending.clear();
        }
    }
    (pending.is_empty() && !comparisons.is_empty()).then_some(comparisons)
}

fn comparison(text: &str) -> Option<Comparison> {
    let version = text.trim_start_matches(['<', '>', '=', '!']);
    let operator = match &text[..text.len() - version.len()] {
        "" | "=" | "==" => Operator::Equal,
        "!" | "!=" => Operator::Not,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => return None,
    };
    if version.split(['-', '+']).next()?.split('.').any(|part| part == "x") {
        let mut parts = Vec::new();
        for part in version.split('.').take_while(|part| *part != "x") {
            parts.push(part.parse().ok()?);
        }
        return Some(Comparison { operator, parts, version: Version::new(0, 0, 0) });
    }
    let version = Version::parse(version).ok()?;
    Some(Comparison { operator, parts: vec![version.major, version.minor, version.patch], version })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (range, inside) in [
            (">=3.0.0", true),
            (">= 3.0.0 < 4.0.0", true),
            (">=3.0.0 !3.250.0", false),
            ("<3.4.0 || >3.8.0", true),
            ("3.x", true),
            ("3.250.x", true),
            ("!3.x", false),
            (">3.250.x", false),
            ("<=3.x", true),
            ("3.250.0", true),
            ("<3.250.0", false),
            (">=4.0.0", false),
        ] {
            assert_eq!(VersionRange::parse(range).unwrap().accepts(&PULUMI_VERSION), inside, "{range}");
        }
        for bad in ["", "abc", ">=", "^3.0.0", ">=3", "3.0.0 ||", "a.x"] {
            assert_eq!(VersionRange::parse(bad), None, "{bad}");
        }
    }
}
