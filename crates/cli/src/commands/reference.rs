//! `outrigger __commands`: the page `docs/commands.md`, made from the command line itself.

use std::fmt::Write;

use clap::{Arg, Args, Command};

use crate::command_line::command;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::data;

/// Prints `docs/commands.md`.
#[derive(Args, Debug)]
pub(crate) struct Reference {}

impl Reference {
    pub(crate) fn run(self) -> Result<(), Failure> {
        Ok(data(page().trim_end())?)
    }
}

/// The whole page.
fn page() -> String {
    let mut command = command();
    // Global flags are added to each command only by building it.
    command.build();
    let mut out = "# Commands\n\n<!-- Written by `outrigger __commands`; a test compares. -->\n".to_owned();
    let global: Vec<&Arg> = command.get_arguments().filter(|argument| !is_usual(argument)).collect();
    out.push_str("\nFlags that every command takes:\n\n");
    flags(&global, &mut out);
    for inner in command.get_subcommands() {
        section(inner, inner.get_name(), &mut out);
    }
    out
}

fn section(command: &Command, path: &str, out: &mut String) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "\n## `outrigger {path}`\n");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(out, "{}.", about.trim_end_matches('.'));
    let aliases: Vec<String> = command.get_visible_aliases().map(|alias| format!("`{alias}`")).collect();
    if !aliases.is_empty() {
        let _ = writeln!(out, "\nAlso: {}.", aliases.join(", "));
    }
    let own = |argument: &&Arg| !argument.is_global_set() && !is_usual(argument) && !argument.is_hide_set();
    let arguments: Vec<&Arg> = command.get_arguments().filter(own).collect();
    if !arguments.is_empty() {
        out.push('\n');
        flags(&arguments, out);
    }
    let lines = examples(path);
    if !lines.is_empty() {
        out.push_str("\n```sh\n");
        for (line, what) in lines {
            let _ = writeln!(out, "{line}  # {what}");
        }
        out.push_str("```\n");
    }
    for inner in command.get_subcommands() {
        section(inner, &format!("{path} {}", inner.get_name()), out);
    }
}

fn flags(arguments: &[&Arg], out: &mut String) {
    out.push_str("| | |\n| --- | --- |\n");
    for argument in arguments {
        let values: Vec<String> = argument
            .get_value_names()
            .filter(|_| argument.get_action().takes_values())
            .unwrap_or_default()
            .iter()
            .map(ToString::to_string)
            .collect();
        let values = values.join(" ");
        let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
        let shown = match argument.get_long() {
            Some(long) => format!("{short}--{long} {values}"),
            None => values,
        };
        let about = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(out, "| `{}` | {} |", shown.trim(), about.replace('|', "\\|"));
    }
}

/// Flags that every program has.
fn is_usual(argument: &Arg) -> bool {
    matches!(argument.get_id().as_str(), "help" | "version")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_current() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            there.trim_end() == super::page().trim_end(),
            "docs/commands.md is not current: run `cargo run -- __commands > docs/commands.md`"
        );
    }
}
