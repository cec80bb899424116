//! The workspace's folders, and running commands in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder for build output.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |given| root().join(given))
}

/// The `cargo` that runs us, in the workspace's root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Links or copies a built file to another path.
pub(crate) fn install(from: &Path, to: &Path) -> Result<()> {
    std::fs::hard_link(from, to)
        .or_else(|_| std::fs::copy(from, to).map(|_| ()))
        .with_context(|| format!("cannot put {} at {}", from.display(), to.display()))
}

/// Runs a command with our own output streams; fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = line(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs a command and returns its standard output; fails with its standard error unless it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = line(command);
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed something that is not UTF-8"))
}

/// Whether `cargo NAME` is installed.
pub(crate) fn has_cargo_command(name: &str) -> bool {
    cargo().args([name, "--version"]).output().is_ok_and(|output| output.status.success())
}

/// Everything except the programs that only benchmarks start.
pub(crate) const TESTED: [&str; 3] = ["--workspace", "--exclude", "bench"];

/// Building any example enables the dependency features of the tests. With other features, everything that depends on `tokio` is compiled
/// again.
const AS_IN_TESTS: [&str; 2] = ["--example", "simulate"];

/// How the `outrigger` binary is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// For tests.
    Debug,
    /// For measurements: the profile of releases.
    Release,
}

/// Builds the `outrigger` binary and returns its path.
pub(crate) fn build_outrigger(profile: Profile) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--bin", "outrigger"]);
    let folder = match profile {
        Profile::Debug => {
            command.args(TESTED).args(AS_IN_TESTS);
            "debug"
        }
        Profile::Release => {
            command.args(["--release", "--package", "outrigger-cli"]);
            "release"
        }
    };
    run(&mut command)?;
    let binary = target().join(folder).join("outrigger");
    if !binary.is_file() {
        bail!("the build succeeded, but {} is not there", binary.display());
    }
    Ok(binary)
}

/// Builds an example and returns its path.
pub(crate) fn build_example(name: &str) -> Result<PathBuf> {
    run(cargo().args(["build", "--quiet", "--example", name]).args(TESTED))?;
    Ok(target().join("debug/examples").join(name))
}

fn line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
