//! A page of `docs` that sets a peer's command line beside ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use clap::{Arg, Command};

use super::names::{Flag, Peer, Words};
use super::remarks;
use super::standing::{Standing, built, find, of_command, of_flags};
use crate::command_line::no_effect;

/// The whole page.
pub(crate) fn page(peer: &Peer) -> String {
    let root = built();
    let title = if peer.name == "pulumi" { "Pulumi" } else { "Terraform" };
    let mut out = format!(
        "# Commands beside {title}'s\n\n<!-- Written by `outrigger __parity {name}` from the commands of {name} {version}; a test compares. -->\n\n\
         Every command and flag of `{name}` {version}, and its place in `outrigger`. If a missing one is typed to \
         `outrigger`, the error shows the sentence below.\n",
        name = peer.name,
        version = peer.version,
    );
    if peer.name == "terraform" {
        out.push_str("Flags have two dashes here: Terraform's `-target` is `--target`.\n");
    }
    let page = Page { peer, root: &root };
    page.commands(&mut out);
    page.flags(&mut out);
    page.only_here(&mut out);
    out
}

struct Page<'p> {
    peer: &'p Peer,
    root: &'p Command,
}

impl Page<'_> {
    fn commands(&self, out: &mut String) {
        let _ = writeln!(out, "\n## Commands\n\n| `{}` | `outrigger` | |\n| --- | --- | --- |", self.peer.name);
        for words in self.peer.commands.iter().filter(|words| !words.path.is_empty()) {
            let standing = of_command(self.root, words.path);
            if let Standing::Below(_) = standing {
                continue;
            }
            let mut name = quoted([words.path].iter().chain(&words.aliases), " or ");
            let inside = |other: &&Words| of_command(self.root, other.path) == Standing::Below(words.path.to_owned());
            match self.peer.commands.iter().filter(inside).count() {
                0 => {}
                1 => name.push_str(" and the command below it"),
                below => _ = write!(name, " and {below} commands below it"),
            }
            let _ = writeln!(out, "| {name} | {} |", self.shown(words.path, words.path, &standing));
        }
    }

    fn flags(&self, out: &mut String) {
        let mut others: BTreeMap<&str, Vec<(String, Vec<String>)>> = BTreeMap::new();
        out.push_str("\n## Flags\n\nThe flags of missing commands are left out.\n\n| command | the same flags |\n| --- | --- |\n");
        for words in &self.peer.commands {
            let Some(standings) = of_flags(self.root, words) else { continue };
            let command = if words.path.is_empty() { "every command".to_owned() } else { format!("`{}`", words.path) };
            let mut same = Vec::new();
            for (flag, standing) in words.flags.iter().zip(&standings) {
                let key = key(words, flag);
                if matches!(standing, Standing::Same(_)) && self.remark(&key).is_none() {
                    same.push(flag.written);
                    continue;
                }
                // Several commands share an answer.
                let shown = self.shown(&key, flag.name(), standing);
                let answers = others.entry(flag.written).or_default();
                match answers.iter_mut().find(|(known, _)| *known == shown) {
                    Some((_, commands)) => commands.push(command.clone()),
                    None => answers.push((shown, vec![command.clone()])),
                }
            }
            if !same.is_empty() {
                let _ = writeln!(out, "| {command} | {} |", quoted(&same, ", "));
            }
        }
        out.push_str("\n| flag | command | `outrigger` | |\n| --- | --- | --- | --- |\n");
        for (flag, answers) in others {
            for (shown, commands) in answers {
                let _ = writeln!(out, "| `{flag}` | {} | {shown} |", commands.join(", "));
            }
        }
    }

    fn remark(&self, key: &str) -> Option<&'static str> {
        remarks::of(self.peer.name).iter().find(|(known, _)| *known == key).map(|(_, remark)| *remark)
    }

    /// The last two cells of a row.
    fn shown(&self, key: &str, name: &str, standing: &Standing) -> String {
        let (place, mut text) = match standing {
            Standing::Same(own) if own == name || own.trim_start_matches('-') == name => {
                ("same".to_owned(), String::new())
            }
            Standing::Same(own) => ("same".to_owned(), format!("another name of `{own}`")),
            Standing::Called(own) => (format!("`{own}`"), String::new()),
            Standing::WithoutEffect(reason) => ("accepted without effect".to_owned(), reason.clone()),
            Standing::Missing(text) => ("missing".to_owned(), (*text).to_owned()),
            Standing::Below(_) | Standing::Unanswered => ("missing".to_owned(), String::new()),
        };
        if let Some(remark) = self.remark(key) {
            text = if text.is_empty() { remark.to_owned() } else { format!("{text}; {remark}") };
        }
        format!("{place} | {}", text.replace('|', "\\|"))
    }

    fn only_here(&self, out: &mut String) {
        let theirs = self.theirs();
        out.push_str("\n## Only here\n\n| `outrigger` | |\n| --- | --- |\n");
        let mut shared = Vec::new();
        visit(self.root, "", &mut |command, path| {
            if theirs.commands.contains(path) {
                shared.push((command.clone(), path.to_owned()));
            } else if !path.is_empty() && !theirs.commands.iter().any(|known| known.starts_with(&format!("{path} "))) {
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(out, "| `{path}` | {} |", about.trim_end_matches('.').replace('|', "\\|"));
            }
        });
        for (command, path) in shared {
            let is_own = |argument: &&Arg| {
                let usual = matches!(argument.get_id().as_str(), "help" | "version");
                // Subcommands inherit the flags of the commands above them.
                let from = path.rsplit_once(' ').map_or("", |(above, _)| above);
                let inherited = !path.is_empty()
                    && argument.is_global_set()
                    && find(self.root, from)
                        .is_some_and(|(above, _)| above.get_arguments().any(|own| own.get_id() == argument.get_id()));
                !usual && !inherited && !argument.is_hide_set() && no_effect(argument).is_none()
            };
            let names = command.get_arguments().filter(is_own).filter_map(Arg::get_long);
            let known = |name: &str| theirs.flags.contains(&(path.clone(), name.to_owned()));
            let names: Vec<String> = names.filter(|name| !known(name)).map(|name| format!("--{name}")).collect();
            if !names.is_empty() {
                let place = if path.is_empty() { "every command".to_owned() } else { format!("`{path}`") };
                let _ = writeln!(out, "| {place} | {} |", quoted(&names, ", "));
            }
        }
    }

    /// Our commands and flags that are found for a word of the peer.
    fn theirs(&self) -> Theirs {
        let mut theirs = Theirs::default();
        for words in &self.peer.commands {
            let own = match of_command(self.root, words.path) {
                _ if words.path.is_empty() => String::new(),
                Standing::Same(own) | Standing::Called(own) => own,
                _ => continue,
            };
            let Some((_, path)) = find(self.root, &own) else { continue };
            let named = own.split(' ').filter_map(|word| word.strip_prefix("--"));
            theirs.flags.extend(named.map(|name| (path.clone(), name.to_owned())));
            for standing in of_flags(self.root, words).unwrap_or_default() {
                if let Standing::Called(flag) = standing {
                    theirs.flags.insert((path.clone(), flag.trim_start_matches('-').to_owned()));
                }
            }
            theirs.flags.extend(words.flags.iter().map(|flag| (path.clone(), flag.name().to_owned())));
            theirs.commands.insert(path);
        }
        theirs
    }
}

#[derive(Default)]
struct Theirs {
    commands: BTreeSet<String>,
    flags: BTreeSet<(String, String)>,
}

fn quoted(names: impl IntoIterator<Item = impl std::fmt::Display>, between: &str) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

fn key(words: &Words, flag: &Flag) -> String {
    format!("{} {}", words.path, flag.written).trim_start().to_owned()
}

fn visit(command: &Command, path: &str, with: &mut dyn FnMut(&Command, &str)) {
    with(command, path);
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
        visit(inner, format!("{path} {}", inner.get_name()).trim_start(), with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parity::argument;

    const RENEW: &str = "The signposts are in crates/cli/src/signposts/table.rs; the pages are renewed with \
                         `cargo run -- __parity PEER > docs/parity-PEER.md`";

    fn peers() -> [Peer; 2] {
        [Peer::pulumi(), Peer::terraform()]
    }

    #[test]
    fn every_word_of_the_peers_has_an_answer() {
        let root = built();
        let mut missing = Vec::new();
        for words in peers().iter().flat_map(|peer| &peer.commands).filter(|words| !words.path.is_empty()) {
            let above = words.path.rsplit_once(' ').map_or("", |(above, _)| above);
            let aliases = words.aliases.iter().map(|alias| format!("{above} {alias}").trim_start().to_owned());
            let names = aliases.chain([words.path.to_owned()]);
            missing.extend(names.filter(|name| of_command(&root, name) == Standing::Unanswered));
        }
        for words in peers().iter().flat_map(|peer| &peer.commands) {
            let standings = of_flags(&root, words).unwrap_or_default();
            let unanswered =
                words.flags.iter().zip(standings).filter(|(_, standing)| *standing == Standing::Unanswered);
            missing.extend(unanswered.map(|(flag, _)| key(words, flag)));
        }
        assert!(missing.is_empty(), "these words of the peers have no signpost: {missing:#?}\n{RENEW}");
    }

    #[test]
    fn other_names_exist_and_short_forms_agree() {
        let root = built();
        for words in peers().iter().flat_map(|peer| &peer.commands) {
            let (Standing::Same(own) | Standing::Called(own)) = of_command(&root, words.path) else { continue };
            let (own, _) = find(&root, &own).unwrap();
            for (flag, standing) in words.flags.iter().zip(of_flags(&root, words).unwrap()) {
                let about = format!("`{}` as a flag of `{}`", key(words, flag), own.get_name());
                match standing {
                    Standing::Called(name) => {
                        let name = name.trim_start_matches('-').split(' ').next().unwrap();
                        assert!(argument(own, name).is_some(), "{about}: there is no `--{name}`");
                    }
                    Standing::Same(_) if flag.short.is_some() => {
                        let short = argument(own, flag.name()).unwrap().get_short();
                        assert_eq!(short, flag.short, "{about} has another short form");
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn the_pages_are_current() {
        for peer in peers() {
            let file = format!("../../docs/parity-{}.md", peer.name);
            let there = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
            let current = there.unwrap_or_default().trim_end() == page(&peer).trim_end();
            assert!(current, "docs/parity-{}.md is not current.\n{RENEW}", peer.name);
        }
    }

    #[test]
    fn every_remark_is_about_a_word_that_is_there() {
        let root = built();
        for peer in peers() {
            for (about, _) in remarks::of(peer.name) {
                let words = peer
                    .commands
                    .iter()
                    .find(|words| words.path == *about || words.flags.iter().any(|flag| key(words, flag) == *about));
                let words = words.unwrap_or_else(|| panic!("`{} {about}` does not exist", peer.name));
                let standings = of_flags(&root, words).unwrap_or_default();
                let flag = words.flags.iter().zip(standings).find(|(flag, _)| key(words, flag) == *about);
                let standing = flag.map_or_else(|| of_command(&root, words.path), |(_, standing)| standing);
                let there = !matches!(standing, Standing::Missing(_) | Standing::Below(_) | Standing::Unanswered);
                assert!(there, "`{} {about}` is not there: remove its remark in parity/remarks.rs", peer.name);
            }
        }
    }
}
