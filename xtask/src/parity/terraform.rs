//! The words of `terraform`, from the help of each command, which names the commands below it.

use std::path::Path;

use anyhow::Result;

use super::{List, Words, peer, version};
use crate::parallel::in_parallel;
use crate::workspace;

pub(super) fn list(program: &Path) -> Result<List> {
    let home = tempfile::tempdir()?;
    let mut commands = Vec::new();
    let mut asked = vec![String::new()];
    while !asked.is_empty() {
        let mut below = Vec::new();
        let pages = in_parallel(&asked, |path| {
            let help = workspace::output(peer(program, home.path()).args(path.split_whitespace()).arg("-help"))?;
            Ok((path.clone(), help))
        })?;
        for (path, help) in pages {
            below.extend(help_commands(&help).map(|name| format!("{path} {name}").trim_start().to_owned()));
            let flags = help.lines().filter_map(flag).map(|flag| (flag, None)).collect();
            commands.push(Words { path, aliases: Vec::new(), flags });
        }
        asked = below;
    }
    commands.sort();
    Ok(List { peer: "terraform", version: version(&mut peer(program, home.path()))?, commands })
}

/// The commands that a help text lists: indented lines below `Main commands:` or `Subcommands:`.
fn help_commands(help: &str) -> impl Iterator<Item = &str> {
    let mut listing = false;
    help.lines().filter_map(move |line| {
        if !line.starts_with(' ') {
            listing = line.ends_with("ommands:");
            return None;
        }
        line.split_whitespace().next().filter(|_| listing)
    })
}

/// A flag of a line such as `  -target=resource   Text`. Continuation lines are indented more.
fn flag(line: &str) -> Option<String> {
    let rest = line.strip_prefix("  -")?;
    let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    let is_flag = !name.is_empty() && behind.chars().next().is_none_or(|next| next == '=' || next.is_whitespace());
    (is_flag && name != "help").then(|| format!("-{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_text_has_commands_and_flags() {
        let help = "Usage: x\n\nMain commands:\n  plan   Text\n\nOther words:\n  no   Text\n\nSubcommands:\n    mv   Text\n\nOptions:\n\n  \
                    -var 'a=b'   Text\n     -no\n  -state, and others\n  -help  Text\n  -out=path  Text";
        assert_eq!(help_commands(help).collect::<Vec<_>>(), ["plan", "mv"]);
        assert_eq!(help.lines().filter_map(flag).collect::<Vec<_>>(), ["-var", "-out"]);
    }
}
