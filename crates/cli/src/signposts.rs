//! Words of `pulumi` and `terraform` that do not exist here: their names here, or that they are missing and what works today.

mod table;

use clap::error::ErrorKind;
use clap::{Arg, Command};

use crate::command_line::command;
use crate::parity::{Peer, argument, find};
use table::TABLE;

/// The hint about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Its name here: a command without `outrigger`, or a flag.
    Is(&'static str),
    /// Why it is missing, and what works today.
    Text(&'static str),
}

/// The answer to a command by its whole path, or to a flag as it is written in the table.
pub(crate) fn answer(key: &str) -> Option<&'static Answer> {
    TABLE.iter().find(|(known, _)| *known == key).map(|(_, answer)| answer)
}

/// The answer to a flag of one of our commands: the command's own, or the one for all commands.
pub(crate) fn option(path: &str, name: &str) -> Option<&'static Answer> {
    answer(&format!("{path} --{name}")).or_else(|| answer(&format!("--{name}")))
}

/// Hints about a rejected command line, to show beside the error.
pub(crate) fn of(error: &clap::Error, arguments: &[String]) -> Vec<String> {
    if !matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) {
        return Vec::new();
    }
    let strays = strays(arguments);
    let several = strays.len() > 1;
    strays.into_iter().map(|stray| said(stray, several)).collect()
}

/// A flag as Terraform writes it, such as `-target=ADDRESS`: read letter by letter, it could be something else that is valid.
pub(crate) fn single_dash(arguments: &[String]) -> Option<String> {
    // The list of Terraform's flags is read only if there is such a word.
    let candidate = |word: &String| word.strip_prefix('-').is_some_and(|rest| rest.len() > 1 && !rest.starts_with('-'));
    if !arguments.iter().any(candidate) {
        return None;
    }
    strays(arguments).into_iter().find_map(|stray| match stray {
        Stray::Flag { written, .. } | Stray::Dashes { written } => Some(written).filter(candidate),
        Stray::Command { .. } => None,
    })
}

/// A word of a peer that does not exist here.
enum Stray {
    Command {
        path: String,
        answer: &'static Answer,
    },
    Flag {
        written: String,
        answer: &'static Answer,
    },
    /// A flag of ours with the dashes that Terraform uses.
    Dashes {
        written: String,
    },
}

/// If there are several sentences, each begins with its flag.
fn said(stray: Stray, several: bool) -> String {
    match stray {
        Stray::Command { answer: Answer::Text(text), .. } => (*text).to_owned(),
        Stray::Command { path, answer: Answer::Is(own) } => format!("`{path}` is `outrigger {own}` here."),
        Stray::Flag { written, answer: Answer::Text(text) } if several => format!("`{written}`: {text}"),
        Stray::Flag { answer: Answer::Text(text), .. } => (*text).to_owned(),
        Stray::Flag { written, answer: Answer::Is(own) } => format!("`{written}` is `{own}` here."),
        Stray::Dashes { written } => format!("Flags have two dashes here: `-{written}`."),
    }
}

/// Reads the commands and flags of a command line, and finds those that have an answer.
fn strays(arguments: &[String]) -> Vec<Stray> {
    let mut root = command();
    root.build();
    let mut walk =
        Walk { root: &root, here: &root, path: String::new(), terraform: Peer::terraform(), found: Vec::new() };
    let mut words = arguments.iter().skip(1).map(String::as_str).peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        if word.len() > 1 && word.starts_with('-') {
            if walk.flag(word) {
                words.next();
            }
        } else if walk.here.has_subcommands() || walk.here.get_positionals().next().is_none() {
            match walk.command(word, words.peek().copied()) {
                Some(2) => _ = words.next(),
                Some(_) => {}
                None => break,
            }
        } else if takes_anything(walk.here) {
            break;
        }
    }
    walk.found
}

/// Whether the arguments after the first value may be another command line.
fn takes_anything(command: &Command) -> bool {
    let positional = |argument: &&Arg| argument.is_positional();
    command
        .get_arguments()
        .filter(positional)
        .any(|own| own.is_allow_hyphen_values_set() || own.is_trailing_var_arg_set())
}

struct Walk<'c> {
    root: &'c Command,
    here: &'c Command,
    /// The path of `here`.
    path: String,
    terraform: Peer,
    found: Vec<Stray>,
}

impl Walk<'_> {
    /// Takes a command. Returns how many words it was, or nothing if the rest of the line cannot be interpreted.
    fn command(&mut self, word: &str, next: Option<&str>) -> Option<usize> {
        let path = format!("{} {word}", self.path).trim_start().to_owned();
        if let Some((here, own)) = find(self.root, &path) {
            (self.here, self.path) = (here, own);
            return Some(1);
        }
        let longer = next.map(|next| format!("{path} {next}"));
        let longer = longer.and_then(|path| Some((2, answer(&path)?, path)));
        let Some((used, answer, path)) = longer.or_else(|| Some((1, answer(&path)?, path))) else {
            // An extra word, such as a plan file, hides no flags.
            return (!self.here.has_subcommands()).then_some(1);
        };
        self.found.push(Stray::Command { path, answer });
        match answer {
            Answer::Is(own) => {
                (self.here, self.path) = find(self.root, own)?;
                Some(used)
            }
            Answer::Text(_) => None,
        }
    }

    /// Takes a flag. Returns whether the next word is its value.
    fn flag(&mut self, word: &str) -> bool {
        let written = word.split('=').next().unwrap_or(word);
        let name = written.trim_start_matches('-');
        let long = written.starts_with("--");
        let terraform = !long && name.len() > 1 && self.terraform.has_flag(written);
        match argument(self.here, name) {
            Some(_) if terraform => self.found.push(Stray::Dashes { written: written.to_owned() }),
            Some(known) if long => return !word.contains('=') && takes_a_word(known),
            None if terraform || long => self.missing(written, name),
            _ => return self.letters(name),
        }
        false
    }

    fn missing(&mut self, written: &str, name: &str) {
        let answer = option(&self.path, name);
        self.found.extend(answer.map(|answer| Stray::Flag { written: written.to_owned(), answer }));
    }

    /// Takes flags of one letter, written together. The first that takes a value gets the rest, or the next word.
    fn letters(&mut self, letters: &str) -> bool {
        for (at, letter) in letters.char_indices() {
            let known = self.here.get_arguments().find(|own| own.get_short() == Some(letter));
            match known {
                Some(known) if known.get_action().takes_values() => {
                    return at + letter.len_utf8() == letters.len() && takes_a_word(known);
                }
                Some(_) => {}
                None => {
                    if let Some(name) = self.pulumis(letter) {
                        self.missing(&format!("-{letter}"), name);
                    }
                    return false;
                }
            }
        }
        false
    }

    /// The flag that a letter stands for in Pulumi's command of the same name.
    fn pulumis(&self, letter: char) -> Option<&'static str> {
        let pulumi = Peer::pulumi();
        let is_here = |path: &str| find(self.root, path).is_some_and(|(_, own)| own == self.path);
        let commands = pulumi.commands.iter().filter(|command| command.path.is_empty() || is_here(command.path));
        let flag = commands.flat_map(|command| &command.flags).find(|flag| flag.short == Some(letter))?;
        Some(flag.name())
    }
}

fn takes_a_word(argument: &Arg) -> bool {
    argument.get_action().takes_values() && !argument.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::*;
    use crate::command_line::refusal;

    fn line(line: &str) -> Vec<String> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        refusal(&arguments).map(|error| of(&error, &arguments)).unwrap_or_default()
    }

    #[test]
    fn every_word_is_refused_and_answered() {
        for (key, answer) in TABLE {
            let path = key.split(" --").next().unwrap();
            let (typed, stray) = match key.find("--") {
                None => ((*key).to_owned(), Stray::Command { path: (*key).to_owned(), answer }),
                Some(0) => (format!("up {key}"), Stray::Flag { written: (*key).to_owned(), answer }),
                Some(at) => ((*key).to_owned(), Stray::Flag { written: key[at..].to_owned(), answer }),
            };
            assert!(
                line(&format!("outrigger {typed}")).contains(&said(stray, false)),
                "`{key}` is understood now, or `{path}` is no command: remove its signpost in signposts/table.rs, then run \
                 `cargo run -- __parity PEER > docs/parity-PEER.md`"
            );
        }
    }

    #[test]
    fn a_line_of_a_peer_is_answered_as_a_whole() {
        let cases: [(&str, &[&str]); 14] = [
            ("outrigger apply -auto-approve", &["`apply` is `outrigger up` here.", "`-auto-approve` is `--yes` here."]),
            (
                "outrigger apply -parallelism=4 plan.out",
                &["`apply` is `outrigger up` here.", "`-parallelism` is `--parallel` here."],
            ),
            ("outrigger workspace new dev", &["`workspace new` is `outrigger stack init` here."]),
            ("outrigger -chdir=live plan", &["`-chdir` is `--cwd` here.", "`plan` is `outrigger preview` here."]),
            ("outrigger destroy -auto-approve", &["`-auto-approve` is `--yes` here."]),
            ("outrigger up -target=random_pet.a", &["Flags have two dashes here: `--target`."]),
            ("outrigger stack ls -json", &["Flags have two dashes here: `--json`."]),
            ("outrigger new -l", &["`-l` is `--list` here."]),
            ("outrigger up --message import --nonsense", &[]),
            ("outrigger --cwd plan nonsense", &[]),
            ("outrigger config set key -target", &[]),
            ("outrigger plugin schema x -- -target", &[]),
            ("outrigger up -yf -p 2", &[]),
            ("outrigger", &[]),
        ];
        for (typed, expected) in cases {
            assert_eq!(line(typed), expected, "{typed}");
        }
        assert_eq!(line("outrigger up --replace=urn"), line("outrigger preview --replace urn"));
        assert_eq!(line("outrigger up -d"), line("outrigger up --debug"));
        assert_eq!(line("outrigger env ls --nonsense").len(), 1);
    }

    #[test]
    fn whatever_is_advised_exists() {
        let quoted = Regex::new(r"`outrigger ([^`]+)`").unwrap();
        for (word, answer) in TABLE {
            let own = |path: &&'static str| !path.starts_with('-');
            let advised: Vec<&str> = match answer {
                Answer::Is(name) => Some(*name).filter(own).into_iter().collect(),
                Answer::Text(text) => quoted.captures_iter(text).map(|found| found.get(1).unwrap().as_str()).collect(),
            };
            for advice in advised {
                let mut known = command();
                for part in advice.split(' ') {
                    if let Some(flag) = part.strip_prefix("--") {
                        assert!(known.get_arguments().any(|own| own.get_long() == Some(flag)), "{word}: {part}");
                    } else if let Some(next) = known.find_subcommand(part) {
                        known = next.clone();
                    } else {
                        assert!(known.get_name() != "outrigger", "{word}: {part}");
                    }
                }
            }
        }
    }
}
