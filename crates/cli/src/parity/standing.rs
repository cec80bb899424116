//! Whether our command line has a peer's word. The answers come from the command line itself and from the signposts; a separate list would go stale.

use clap::{Arg, Command};

use super::names::{Flag, Words};
use crate::command_line::{RUNS, command, no_effect};
use crate::signposts::{Answer, answer, option};

/// How a peer's command or flag exists here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It exists. This is our own name of it, which differs where the peer's is an alias.
    Same(String),
    /// It has another name.
    Called(String),
    /// It is accepted and has no effect, for this reason.
    WithoutEffect(String),
    /// It is missing; the sentence names what works instead.
    Missing(&'static str),
    /// It is missing because a command above it is: the command's path.
    Below(String),
    /// No signpost covers it.
    Unanswered,
}

/// The command line, complete.
pub(crate) fn built() -> Command {
    let mut command = command();
    // Global flags are added to each command only by building it.
    command.build();
    command
}

/// Follows words as far as they are visible commands. Aliases count.
pub(crate) fn find<'c>(root: &'c Command, path: &str) -> Option<(&'c Command, String)> {
    let mut own = Vec::new();
    let mut known = root;
    for word in path.split(' ').filter(|word| !word.is_empty() && !word.starts_with('-')) {
        known = known.find_subcommand(word).filter(|next| !next.is_hide_set() && next.get_name() != "help")?;
        own.push(known.get_name());
    }
    Some((known, own.join(" ")))
}

/// Whether a command exists here.
pub(crate) fn of_command(root: &Command, path: &str) -> Standing {
    if let Some((_, own)) = find(root, path) {
        return Standing::Same(own);
    }
    let words: Vec<&str> = path.split(' ').collect();
    for length in (1..=words.len()).rev() {
        let above = words.get(..length).unwrap_or_default().join(" ");
        match answer(&above) {
            Some(Answer::Is(own)) if length == words.len() => return Standing::Called((*own).to_owned()),
            Some(Answer::Text(text)) if length == words.len() => return Standing::Missing(text),
            Some(Answer::Text(_)) => return Standing::Below(above),
            _ => {}
        }
    }
    Standing::Unanswered
}

/// How a flag of a command exists here, under its own or another name.
pub(crate) fn of_flag(own: &Command, own_path: &str, flag: &Flag) -> Standing {
    if let Some(argument) = argument(own, flag.name()) {
        return match no_effect(argument) {
            Some(reason) => Standing::WithoutEffect(reason),
            None => Standing::Same(format!("--{}", flag.name())),
        };
    }
    match option(own_path, flag.name()) {
        Some(Answer::Is(name)) => Standing::Called((*name).to_owned()),
        Some(Answer::Text(text)) => Standing::Missing(text),
        None => Standing::Unanswered,
    }
}

/// How the flags of a peer's command exist here, for its own counterpart or for the program as a whole.
pub(crate) fn of_flags(root: &Command, words: &Words) -> Option<Vec<Standing>> {
    let path = match of_command(root, words.path) {
        _ if words.path.is_empty() => String::new(),
        Standing::Same(own) | Standing::Called(own) => own,
        _ => return None,
    };
    let (own, path) = find(root, &path)?;
    Some(words.flags.iter().map(|flag| everywhere(root, own, &path, flag)).collect())
}

/// A global flag of the peer may be a flag of the commands that run something.
fn everywhere(root: &Command, own: &Command, path: &str, flag: &Flag) -> Standing {
    let run = RUNS.iter().find_map(|run| argument(root.find_subcommand(run)?, flag.name()));
    match run.and_then(no_effect) {
        Some(reason) if path.is_empty() => Standing::WithoutEffect(format!("{reason} (with `{}`)", RUNS.join("`, `"))),
        _ => of_flag(own, path, flag),
    }
}

/// An argument by the name of its flag. Aliases count.
pub(crate) fn argument<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|argument| {
        argument.get_long() == Some(name) || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}
