//! `cargo xtask parity`: the names of the peers' commands and flags, from which `outrigger __parity` generates the pages
//! `docs/parity-*.md`.
//!
//! The lists contain only names. Each line is a command, or a command and one of its flags; other spellings follow after commas.

mod pulumi;
mod terraform;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::peers::Peers;
use crate::workspace;

/// Writes the list of each installed peer.
pub(crate) fn run() -> Result<()> {
    for list in lists()? {
        fs::write(file(list.peer), list.text()).with_context(|| format!("cannot write the list of {}", list.peer))?;
        println!("{}: {} commands of {} {}", file(list.peer).display(), list.commands.len(), list.peer, list.version);
    }
    println!("now renew the pages:");
    for peer in ["pulumi", "terraform"] {
        println!("cargo run -q -p outrigger-cli -- __parity {peer} > docs/parity-{peer}.md");
    }
    Ok(())
}

/// The lists of the installed programs. `terraform` is not a peer that we build: if it is missing, its list stays as it is.
fn lists() -> Result<Vec<List>> {
    let mut lists = vec![pulumi::list(&Peers::ready()?.bin().join("pulumi"))?];
    match on_path("terraform") {
        Some(program) => lists.push(terraform::list(&program)?),
        None => println!("the list of Terraform's commands is left out: `terraform` is not installed"),
    }
    Ok(lists)
}

/// The commands and flags of one version of a program.
struct List {
    peer: &'static str,
    version: String,
    commands: Vec<Words>,
}

/// A command: its path, empty for the program itself, and its flags with their dashes.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Words {
    path: String,
    aliases: Vec<String>,
    flags: Vec<(String, Option<String>)>,
}

impl List {
    fn text(&self) -> String {
        let mut lines = vec![format!("# {} {}, written by `cargo xtask parity`", self.peer, self.version)];
        for command in &self.commands {
            if !command.path.is_empty() {
                lines.push([std::slice::from_ref(&command.path), &command.aliases].concat().join(", "));
            }
            for (flag, short) in &command.flags {
                let short = short.as_ref().map(|short| format!(", {short}")).unwrap_or_default();
                lines.push(format!("{} {flag}{short}", command.path).trim_start().to_owned());
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

fn file(peer: &str) -> PathBuf {
    workspace::root().join("crates/cli/src/parity").join(peer).with_extension("txt")
}

/// A peer with a fresh home directory, and without update checks.
fn peer(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("HOME", home).env("PULUMI_HOME", home).env("PULUMI_SKIP_UPDATE_CHECK", "true");
    command.env("CHECKPOINT_DISABLE", "true").env_remove("TF_CLI_CONFIG_FILE").env_remove("TF_CLI_ARGS");
    command
}

/// The last word of the first line of a program's version output.
fn version(command: &mut Command) -> Result<String> {
    let text = workspace::output(command.arg("version"))?;
    let word = text.lines().next().and_then(|line| line.split_whitespace().next_back());
    match word.and_then(|word| word.strip_prefix('v')) {
        Some(version) => Ok(version.to_owned()),
        None => bail!("no version is in `{text}`"),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    mod peers {
        use super::super::*;

        #[test]
        fn the_lists_are_those_of_the_installed_programs() {
            for list in lists().unwrap() {
                let there = fs::read_to_string(file(list.peer)).unwrap_or_default();
                assert!(
                    there == list.text(),
                    "{} {} has other words: run `cargo xtask parity`",
                    list.peer,
                    list.version
                );
            }
        }
    }
}
