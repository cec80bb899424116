//! Versions as Pulumi reads them from directory names and plugins' answers.

use semver::Version;

/// Reads a version tolerantly: a leading `v`, blanks around, missing minor and patch numbers and leading zeros are all
/// accepted. A short version cannot have a pre-release or build part.
pub fn tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['-', '+'])) {
        return None;
    }
    while parts.len() < 3 {
        parts.push("0".to_owned());
    }
    Version::parse(&parts.join(".")).ok()
}

/// Leading zeros of the number that a part begins with.
fn without_zeros(part: &str) -> String {
    let rest = part.trim_start_matches('0');
    let gone = part.len() > rest.len();
    if gone && !rest.starts_with(|letter: char| letter.is_ascii_digit()) { format!("0{rest}") } else { rest.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_pulumi_reads() {
        for (text, version) in [
            ("1.2.3", Some("1.2.3")),
            ("v1.2.3-alpha.1+build", Some("1.2.3-alpha.1+build")),
            (" 1.2 ", Some("1.2.0")),
            ("7", Some("7.0.0")),
            ("01.002.03", Some("1.2.3")),
            ("0.0.0-xabc", Some("0.0.0-xabc")),
            ("1.2-beta", None),
            ("one", None),
            ("", None),
        ] {
            assert_eq!(tolerant(text).map(|version| version.to_string()).as_deref(), version, "{text}");
        }
    }
}
