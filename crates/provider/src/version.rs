//! Versions of Pulumi and of plugins, as Pulumi and its users write them.

use semver::Version;

/// The version of Pulumi whose file formats and behaviour this build reproduces.
pub const PULUMI_VERSION: Version = Version::new(3, 250, 0);

/// Parses a version tolerantly: a leading `v`, surrounding blanks, missing minor and patch numbers and leading zeros are all
/// accepted. A short version cannot have a pre-release or build part.
pub fn tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let numbers: Vec<u64> = numbers.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let (major, minor, patch) = match numbers.as_slice() {
        [major, minor, patch] => (*major, *minor, *patch),
        [major, minor] if rest.is_empty() => (*major, *minor, 0),
        [major] if rest.is_empty() => (*major, 0, 0),
        _ => return None,
    };
    Version::parse(&format!("{major}.{minor}.{patch}{rest}")).ok()
}

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
    /// Parses `>=3.0.0 !3.1.2`, `<3.4.0 || >3.8.0`, `3.x`. `None` if it is not a range.
    pub fn parse(text: &str) -> Option<Self> {
        text.split("||").map(group).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether a version is in the range.
    pub fn accepts(&self, version: &Version) -> bool {
        self.0.iter().any(|all| all.iter().all(|comparison| comparison.holds(version)))
    }
}

impl Comparison {
    fn holds(&self, version: &Version) -> bool {
        if self.parts.len() < 3 {
            // A version with `x` matches every version with the same beginning.
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
            (">=3.5.0 !=3.7.7 <4.0.0", true),
            ("<3.0.0 || 3.250.0", true),
            (">3.x", false),
            ("<=3.250.x", true),
            ("3.249.x", false),
            ("=2.0.0", false),
            ("<3.250.0", false),
            (">=4.0.0", false),
        ] {
            assert_eq!(VersionRange::parse(range).unwrap().accepts(&PULUMI_VERSION), inside, "{range}");
        }
        for bad in ["", "abc", ">=", "^3.0.0", "~3.1.0", ">=3", "3.0.0 ||", "=>3.0.0", "a.x"] {
            assert_eq!(VersionRange::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn tolerant_as_pulumi_is() {
        for (text, version) in [
            ("1.2.3", Some("1.2.3")),
            ("v1.2.3-alpha.1+build", Some("1.2.3-alpha.1+build")),
            (" 1.2 ", Some("1.2.0")),
            ("7", Some("7.0.0")),
            ("v6", Some("6.0.0")),
            (" 1.2.3 ", Some("1.2.3")),
            ("01.002.03", Some("1.2.3")),
            ("0.0.0-xabc", Some("0.0.0-xabc")),
            ("1.2-beta", None),
            ("1-a", None),
            ("1.x", None),
            ("1.2.3.4", None),
            ("one", None),
            ("${v}", None),
            ("", None),
        ] {
            assert_eq!(tolerant(text).map(|version| version.to_string()).as_deref(), version, "{text}");
        }
    }
}
