//! The whole command line: the arguments with examples in their help, and shell completion.

use std::ffi::OsString;
use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::CompleteEnv;
use outrigger_workspace::Workspace;

use crate::arguments::Arguments;
use crate::environment;
use crate::examples::examples;
use crate::explanations::PAGES;
use crate::signposts;
use crate::terminal::Terminal;

/// Set by the scripts of `outrigger completion` when they ask for completions.
pub(crate) const COMPLETE: &str = "OUTRIGGER_COMPLETE";

/// The commands that run something, and flags of Pulumi's that change nothing here, each with the reason: scripts use them.
pub(crate) const RUNS: [&str; 4] = ["up", "preview", "refresh", "destroy"];
const WITHOUT_EFFECT: [(&str, &str); 6] = [
    ("suppress-progress", "progress is only drawn on a terminal"),
    ("suppress-permalink", "there are no permalinks"),
    ("skip-plugin-pre-install", "plugins are not installed during a run"),
    ("show-full-output", "outputs are always shown in full"),
    ("logtostderr", "the log goes to stderr anyway"),
    ("emoji", "there are no emoji"),
];

/// The heading of these flags in a command's help.
const HEADING: &str = "Flags of Pulumi without effect";

/// The complete command line, with examples.
pub(crate) fn command() -> Command {
    let mut command = decorated(Arguments::command(), "");
    for run in RUNS {
        command = command.mut_subcommand(run, |run| run.args(WITHOUT_EFFECT.iter().map(without_effect)));
    }
    command
}

fn without_effect((name, reason): &(&'static str, &'static str)) -> Arg {
    // Some of them take a value.
    Arg::new(*name)
        .long(*name)
        .num_args(0..=1)
        .require_equals(true)
        .value_name("BOOL")
        .help_heading(HEADING)
        .help(format!("Accepted without effect: {reason}"))
}

/// Why a flag changes nothing, if it is one of those.
pub(crate) fn no_effect(argument: &Arg) -> Option<String> {
    let (_, reason) = WITHOUT_EFFECT.iter().find(|(name, _)| argument.get_long() == Some(name))?;
    (argument.get_help_heading() == Some(HEADING)).then(|| (*reason).to_owned())
}

/// Reads the arguments of the process. An error comes with hints about words that only the peers have.
pub(crate) fn parse() -> Result<Arguments, (clap::Error, Vec<String>)> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let mut command = command();
    matches(&mut command, &arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command)))
        .map_err(|mut error| {
            let hints = signposts::of(&error, &words(&arguments));
            if !hints.is_empty() {
                // The peer's word was recognized: nothing here has a similar spelling.
                error.remove(ContextKind::SuggestedSubcommand);
            }
            (error, hints)
        })
}

fn matches(command: &mut Command, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let result = command.try_get_matches_from_mut(arguments);
    match &result {
        Err(error) if is_help(error) || error.kind() == ErrorKind::InvalidSubcommand => result,
        _ => match signposts::single_dash(&words(arguments)) {
            Some(word) => {
                let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
                error.insert(ContextKind::InvalidArg, ContextValue::String(word));
                Err(error)
            }
            None => result,
        },
    }
}

fn words(arguments: &[OsString]) -> Vec<String> {
    arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The error for a command line that cannot be parsed.
#[cfg(test)]
pub(crate) fn refusal(words: &[String]) -> Option<clap::Error> {
    let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    matches(&mut command(), &arguments).err()
}

/// Whether an error is help or a version that the user asked for.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// Answers a shell that asks for completions. Returns whether one asked.
pub(crate) fn complete() -> io::Result<bool> {
    let directory = std::env::current_dir().ok();
    CompleteEnv::with_factory(command)
        .var(COMPLETE)
        .try_complete(std::env::args_os(), directory.as_deref())
        .map_err(io::Error::other)
}

fn decorated(mut command: Command, path: &str) -> Command {
    let text = examples(path);
    if !text.is_empty() {
        command = command.after_help(help(text));
    }
    command = command.mut_args(completed);
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names {
        let below = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(name, |inner| decorated(inner, &below));
    }
    command
}

fn help(examples: &[(&str, &str)]) -> String {
    let lines: String = examples.iter().map(|(line, what)| format!("\n  # {what}\n  {line}")).collect();
    format!("Examples:{lines}")
}

fn completed(argument: Arg) -> Arg {
    let names = argument.get_value_names().unwrap_or_default();
    match names.first().map(|name| name.as_str()) {
        Some("STACK") => argument.add(ArgValueCandidates::new(stacks)),
        Some("CODE") => argument.add(ArgValueCandidates::new(codes)),
        _ => argument,
    }
}

/// The stacks of the project in the shell's directory; none if there is no project, or it cannot be read.
fn stacks() -> Vec<CompletionCandidate> {
    let Ok(environment) = environment::read(None, false, Terminal::new(true)) else { return Vec::new() };
    let Ok(workspace) = Workspace::open(&environment) else { return Vec::new() };
    let own = workspace.project.name.as_str();
    let stacks = workspace.store.backend.stacks().unwrap_or_default();
    let names = stacks.iter().filter(|stack| stack.project() == own).map(|stack| stack.stack().to_owned());
    names.map(CompletionCandidate::new).collect()
}

fn codes() -> Vec<CompletionCandidate> {
    PAGES.iter().map(|(code, _)| CompletionCandidate::new(*code)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::EXAMPLES;

    #[test]
    fn flags_of_pulumis_that_only_decorate_are_accepted() {
        for run in RUNS {
            for (name, _) in WITHOUT_EFFECT {
                for written in [format!("--{name}"), format!("--{name}=true")] {
                    command().try_get_matches_from(["outrigger", run, &written, "--stack", "dev"]).unwrap();
                }
            }
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    /// Splits a line as a shell does, as far as the examples need it.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(['<', '>', '|']).next().unwrap_or_default();
        let mut words = Vec::new();
        for (index, part) in line.split('\'').enumerate() {
            match index % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    #[test]
    fn every_example_is_understood_and_stands_at_its_command() {
        for (path, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words = words(line);
                let expected: Vec<&str> = ["outrigger"].into_iter().chain(path.split_whitespace()).collect();
                assert_eq!(words[..expected.len()], expected, "`{line}` stands at `{path}`");
                if let Err(error) = command().try_get_matches_from(&words) {
                    panic!("`{line}`: {error}");
                }
            }
        }
    }

    #[test]
    fn every_command_has_an_example() {
        // The examples of these are in their own modules.
        const ELSEWHERE: [&str; 2] = ["plugin", "check"];
        fn visit(command: &Command, path: &str) {
            let inner: Vec<&Command> = command.get_subcommands().filter(|inner| !inner.is_hide_set()).collect();
            if inner.is_empty() || !command.is_subcommand_required_set() {
                assert!(!examples(path).is_empty(), "`{path}` has no example in examples.rs");
            }
            for inner in inner.into_iter().filter(|inner| !ELSEWHERE.contains(&inner.get_name())) {
                visit(inner, format!("{path} {}", inner.get_name()).trim());
            }
        }
        for inner in command().get_subcommands().filter(|inner| !inner.is_hide_set()) {
            if !ELSEWHERE.contains(&inner.get_name()) {
                visit(inner, inner.get_name());
            }
        }
    }
}
