//! The programs in `xtask/bench`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

use crate::workspace;

/// Builds one with the same profile as the command, and returns its path.
pub(super) fn build(name: &str) -> Result<PathBuf> {
    workspace::run(workspace::cargo().args(["build", "--quiet", "--release", "--package", "bench", "--bin", name]))?;
    Ok(workspace::target().join("release").join(name))
}

/// Runs one and returns its figures.
pub(super) fn figures<T: DeserializeOwned>(client: &mut Command) -> Result<T> {
    let printed = workspace::output(client)?;
    serde_json::from_str(&printed).with_context(|| format!("{} printed `{printed}`", client.get_program().display()))
}
