//! The Pulumi version that we stand for, and ranges of versions as Pulumi writes them.

use semver::Version;

/// The version of the Pulumi CLI whose behaviour this host has.
pub const CLAIMED: &str = "3.250.0";

/// Whether [`CLAIMED`] is in a range such as `>=3.5.0 !3.7.7 || <2.x`: a space means and, `||` means or.
/// The error says which part is not a range.
pub fn satisfies(range: &str) -> Result<bool, String> {
    let claimed = Version::new(3, 250, 0);
    contains(range, &claimed)
}

fn contains(range: &str, version: &Version) -> Result<bool, String> {
    let wrong = |part: &str| format!("`{part}` is not a version range: write for example `>=3.5.0 <4.0.0`");
    let mut any = false;
    for alternative in range.split("||") {
        let mut all = true;
        let mut parts = alternative.split_whitespace().peekable();
        if parts.peek().is_none() {
            return Err(wrong(range));
        }
        for part in parts {
            all &= comparison(part, version).ok_or_else(|| wrong(part))?;
        }
        any |= all;
    }
    Ok(any)
}

fn comparison(part: &str, version: &Version) -> Option<bool> {
    let operator = part.trim_end_matches(|letter: char| !"=<>!".contains(letter));
    let operator = part.get(..operator.len())?;
    let (from, below) = bounds(part.get(operator.len()..)?)?;
    // A full version is a range of one; `1.x` reaches from 1.0.0 up to, but without, 2.0.0.
    let equal = below.as_ref().map_or(*version == from, |below| from <= *version && *version < *below);
    Some(match operator {
        "" | "=" | "==" => equal,
        "!" | "!=" => !equal,
        ">=" => *version >= from,
        "<" => *version < from,
        ">" => below.as_ref().map_or(*version > from, |below| version >= below),
        "<=" => below.as_ref().map_or(*version <= from, |below| version < below),
        _ => return None,
    })
}

/// The lowest version that the text covers, and with a wildcard the first one above.
fn bounds(text: &str) -> Option<(Version, Option<Version>)> {
    if let Ok(version) = Version::parse(text) {
        return Some((version, None));
    }
    let numbers: Vec<&str> = text.split('.').collect();
    let known: Vec<u64> = numbers.iter().map_while(|number| number.parse().ok()).collect();
    let wild = numbers.get(known.len()..)?;
    if wild.is_empty() || numbers.len() > 3 || !wild.iter().all(|number| matches!(*number, "x" | "X" | "*")) {
        return None;
    }
    match known.as_slice() {
        [major] => Some((Version::new(*major, 0, 0), Some(Version::new(major + 1, 0, 0)))),
        [major, minor] => Some((Version::new(*major, *minor, 0), Some(Version::new(*major, minor + 1, 0)))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (range, expected) in [
            (">=3.5.0", true),
            (">=3.5.0 !3.250.0", false),
            (">=3.5.0 !=3.7.7 <4.0.0", true),
            ("<3.0.0 || 3.250.0", true),
            ("3.x", true),
            (">3.x", false),
            ("<=3.250.x", true),
            ("3.249.x", false),
            ("=2.0.0", false),
        ] {
            assert_eq!(satisfies(range), Ok(expected), "{range}");
        }
        for range in ["", "latest", ">=3", "~3.1.0", ">=3.0.0 ||", "=>3.0.0"] {
            assert!(satisfies(range).is_err(), "{range}");
        }
    }
}
