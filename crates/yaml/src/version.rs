//! Versions as users write them: `v6`, `1.2`, `01.2.3`.

use semver::Version;

/// The full form of a version, or `None` if it is not one. A leading `v`, blanks, missing parts and leading zeros are allowed.
pub(crate) fn tolerant(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<&str> = numbers.splitn(3, '.').collect();
    // A part can only be missing when nothing follows it.
    if parts.len() < 3 && !rest.is_empty() {
        return None;
    }
    parts.resize(3, "0");
    let parts: Option<Vec<u64>> = parts.iter().map(|part| part.parse().ok()).collect();
    let full = parts?.iter().map(u64::to_string).collect::<Vec<_>>().join(".") + rest;
    Version::parse(&full).ok().map(|version| version.to_string())
}

#[cfg(test)]
mod tests {
    use super::tolerant;

    #[test]
    fn completes_versions() {
        for (text, full) in
            [("v6", "6.0.0"), ("1.2", "1.2.0"), (" 1.2.3 ", "1.2.3"), ("01.2.3", "1.2.3"), ("1.2.3-a+b", "1.2.3-a+b")]
        {
            assert_eq!(tolerant(text).as_deref(), Some(full), "{text}");
        }
        for text in ["", "x", "1.x", "1.2.3.4", "1-a", "${v}"] {
            assert_eq!(tolerant(text), None, "{text}");
        }
    }
}
