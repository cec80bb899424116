//! The directory of installed plugins, shared with Pulumi.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

use outrigger_provider::tolerant;
use semver::Version;

/// An installed resource plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// Its directory.
    pub directory: PathBuf,
}

/// The completely installed resource plugins, by name and version. A directory that cannot be read counts as empty.
pub fn installed(directory: &Path) -> Vec<Installed> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut found: Vec<Installed> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (plugin, version) = split(&name)?;
            // It exists during an installation, and forever after a failed one.
            let partial = directory.join(format!("{name}.partial"));
            (!partial.exists()).then(|| Installed { name: plugin.to_owned(), version, directory: entry.path() })
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.version.cmp(&b.version)));
    found
}

/// The best match among installed plugins that are sorted by version, by Pulumi's rules:
/// - without a version: the highest, and any stable one before every pre-release;
/// - with a version: that one; build metadata does not count, and of several builds the last in order wins;
/// - legacy search: as without a version, among those that are not lower.
pub(super) fn select<'a>(
    all: &'a [Installed],
    name: &str,
    wanted: Option<&Version>,
    legacy: bool,
) -> Option<&'a Installed> {
    let named = all.iter().filter(|plugin| plugin.name == name);
    match wanted {
        Some(wanted) if !legacy => named
            .filter(|plugin| plugin.version.cmp_precedence(wanted) == Ordering::Equal)
            .max_by_key(|plugin| plugin.version.to_string()),
        _ => named
            .filter(|plugin| wanted.is_none_or(|wanted| plugin.version.cmp_precedence(wanted) != Ordering::Less))
            .max_by(|a, b| {
                let stable = |plugin: &Installed| plugin.version.pre.is_empty();
                stable(a).cmp(&stable(b)).then_with(|| a.version.cmp_precedence(&b.version))
            }),
    }
}

/// Splits `resource-NAME-vVERSION`. The name is as long as possible, as in Pulumi's pattern.
fn split(directory: &str) -> Option<(&str, Version)> {
    let rest = directory.strip_prefix("resource-")?;
    let unfinished = rest
        .rsplit_once(".tmp")
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()));
    if unfinished {
        return None;
    }
    let (name, version) = rest.rsplit_once("-v")?;
    let inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-');
    let ends = name.len() > 1 && name.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    if !starts || !ends || !name.chars().all(inner) {
        return None;
    }
    Some((name, tolerant(version)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_names() {
        for (directory, expected) in [
            ("resource-aws-v6.40.0", Some(("aws", "6.40.0"))),
            ("resource-azure-native-v2.0.0-alpha.1+x", Some(("azure-native", "2.0.0-alpha.1+x"))),
            ("resource-a-vpc-v1.0.0", Some(("a-vpc", "1.0.0"))),
            ("resource-aws-v6.40.0.tmp123", None),
            ("language-yaml-v1.0.0", None),
            ("resource-aws-vnext", None),
            ("resource-aws", None),
            ("resource-x-v1.0.0", None),
        ] {
            let found = split(directory).map(|(name, version)| (name, version.to_string()));
            assert_eq!(found, expected.map(|(name, version)| (name, version.to_owned())), "{directory}");
        }
    }

    #[test]
    fn selection() {
        let all: Vec<Installed> = ["1.0.0", "1.2.0", "1.2.0+b", "2.0.0-rc.1", "0.0.0-xab"]
            .into_iter()
            .map(|version| Installed {
                name: "aws".to_owned(),
                version: Version::parse(version).unwrap(),
                directory: PathBuf::from(version),
            })
            .collect();
        let pick = |wanted: Option<&str>, legacy| {
            let wanted = wanted.map(|wanted| Version::parse(wanted).unwrap());
            select(&all, "aws", wanted.as_ref(), legacy).map(|plugin| plugin.version.to_string())
        };
        assert_eq!(pick(Some("1.2.0"), false).as_deref(), Some("1.2.0+b"));
        assert_eq!(pick(Some("1.2.0+other"), false).as_deref(), Some("1.2.0+b"));
        assert_eq!(pick(Some("1.1.0"), false), None);
        assert_eq!(pick(Some("0.0.0-xab"), false).as_deref(), Some("0.0.0-xab"));
        assert_eq!(pick(Some("1.1.0"), true).as_deref(), Some("1.2.0+b"));
        assert_eq!(pick(Some("1.3.0"), true).as_deref(), Some("2.0.0-rc.1"));
        assert_eq!(pick(None, false).as_deref(), Some("1.2.0+b"));
        assert_eq!(select(&all, "gcp", None, false), None);
    }
}
