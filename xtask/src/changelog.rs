//! `cargo xtask changelog`: the fragments in `changes` as `CHANGELOG.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Crates whose changes users know by another name. Everything else has the crate's name.
const TITLES: [(&str, &str); 7] = [
    ("cli", "Command line"),
    ("bridge", "Terraform providers under Pulumi's names"),
    ("project", "Project"),
    ("sdk", "SDK for plugins"),
    ("state", "State"),
    ("terraform", "Terraform protocol"),
    ("yaml", "Pulumi YAML"),
];

const FILE: &str = "CHANGELOG.md";

pub(crate) fn run() -> Result<()> {
    fs::write(path(), text()?).with_context(|| format!("cannot write {FILE}"))
}

/// Fails when the committed file is not the one that would be written.
pub(crate) fn check() -> Result<()> {
    if fs::read_to_string(path()).unwrap_or_default() != text()? {
        bail!("{FILE} is out of date: run `cargo xtask changelog`");
    }
    Ok(())
}

fn path() -> PathBuf {
    workspace::root().join(FILE)
}

fn text() -> Result<String> {
    let folder = workspace::root().join("changes");
    let mut areas: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut names: Vec<String> = fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.file_name().into_string())).collect())
        .map(|names: Vec<_>| names.into_iter().flatten().collect())
        .context("cannot read changes")?;
    names.sort();
    for name in names.iter().filter(|name| *name != "README.md") {
        let fragment = fs::read_to_string(folder.join(name)).with_context(|| format!("cannot read changes/{name}"))?;
        let area = name.split(['-', '.']).next().unwrap_or_default();
        areas.entry(area.to_owned()).or_default().push(fragment);
    }
    Ok(page(&areas))
}

fn page(areas: &BTreeMap<String, Vec<String>>) -> String {
    let mut out =
        "# Changelog\n\n<!-- Written by `cargo xtask changelog` from the files in changes. -->\n\n## Unreleased\n"
            .to_owned();
    for (area, fragments) in areas {
        let title = TITLES.iter().find(|(name, _)| name == area).map_or(area.as_str(), |(_, title)| title);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n### {title}\n");
        for fragment in fragments {
            // Links in a fragment start in its folder.
            let text = fragment.trim().replace("](../", "](").replace('\n', "\n  ");
            let _ = writeln!(out, "- {text}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_become_sections() {
        let fragments = vec!["One\nmore [page](../docs/a.md).\n".to_owned(), "Two.\n".to_owned()];
        let text = page(&[("cli".to_owned(), fragments)].into());
        assert!(text.ends_with("\n### Command line\n\n- One\n  more [page](docs/a.md).\n- Two.\n"), "{text}");
    }
}
