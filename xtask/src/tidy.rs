//! `cargo xtask tidy`: the habits that no compiler checks.

mod layers;
mod rules;
mod source;
mod wording;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{changelog, codegen, workspace};

/// Folders without files of ours.
const SKIPPED: [&str; 2] = ["target", ".git"];

/// Checks everything and reports every finding, not only the first.
pub(crate) fn run() -> Result<()> {
    let root = workspace::root();
    let metadata =
        workspace::output(workspace::cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
    let mut findings = layers::check(&metadata)?;
    let everything = ["--workspace", "--target", "all", "--edges", "all", "--all-features", "--prefix", "none"];
    findings.extend(rules::banned_crates(&workspace::output(workspace::cargo().arg("tree").args(everything))?));
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    for file in &files {
        let path = file.strip_prefix(&root).unwrap_or(file);
        // A file that is not text has no lines to check.
        if let Ok(text) = fs::read_to_string(file) {
            findings.extend(rules::check(&path.to_string_lossy(), &text));
            findings.extend(wording::check(&path.to_string_lossy(), &text));
        }
    }
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("tidy has {} findings", findings.len());
    }
    codegen::check()?;
    changelog::check()?;
    println!("tidy: {} files are in order", files.len());
    Ok(())
}

/// One violation, in a form that an editor can jump to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    place: String,
    message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = fs::read_dir(folder)
        .and_then(|entries| entries.collect::<std::io::Result<Vec<_>>>())
        .with_context(|| format!("cannot read {}", folder.display()))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                collect(&entry.path(), files)?;
            }
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
