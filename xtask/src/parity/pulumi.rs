//! The words of `pulumi`, which writes the help of all its commands into a folder at once, without hidden commands and flags.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{List, Words, peer, version};
use crate::workspace;

pub(super) fn list(program: &Path) -> Result<List> {
    let home = tempfile::tempdir()?;
    let pages = home.path().join("pages");
    fs::create_dir(&pages)?;
    workspace::output(peer(program, home.path()).arg("gen-markdown").arg(&pages))?;
    let mut commands = Vec::new();
    for entry in fs::read_dir(&pages)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        commands.push(words(&text).with_context(|| format!("{} has no title", path.display()))?);
    }
    commands.sort();
    Ok(List { peer: "pulumi", version: version(&mut peer(program, home.path()))?, commands })
}

/// The words of the command described by a page.
fn words(page: &str) -> Option<Words> {
    let title = page.lines().find_map(|line| line.strip_prefix("title: \"pulumi")?.split('|').next())?;
    let path = title.trim().to_owned();
    // The page has an address for each name of the command.
    let names = page.lines().filter_map(|line| line.strip_prefix("  - /docs/iac/cli/commands/pulumi_"));
    let last = |name: &str| name.trim_end_matches('/').rsplit('_').next().map(str::to_owned);
    let aliases = names.filter_map(last).filter(|name| path.split(' ').next_back() != Some(name)).collect();
    let options = page.lines().skip_while(|line| *line != "## Options").skip(1);
    let flags = options.take_while(|line| !line.starts_with('#')).filter_map(flag).collect();
    Some(Words { path, aliases, flags })
}

/// A flag of a line such as `  -x, --exclude stringArray   Text`.
fn flag(line: &str) -> Option<(String, Option<String>)> {
    let mut words = line.split_whitespace().take(2);
    let first = words.next().filter(|word| word.starts_with('-'))?;
    let (long, short) = match first.strip_suffix(',') {
        Some(short) => (words.next()?, Some(short.to_owned())),
        None => (first, None),
    };
    let name = long.split(['=', '[']).next().unwrap_or(long);
    (name.starts_with("--") && name != "--help").then(|| (name.to_owned(), short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_command_its_aliases_and_its_own_flags() {
        let page = "---\ntitle: \"pulumi box open | CLI commands\"\naliases:\n  - /docs/reference/cli/pulumi_box_open/\n  \
                    - /docs/iac/cli/commands/pulumi_box_unlock/\n---\n## Options\n\n```\n  -h, --help   help\n  \
                    -w, --wide[=\"x\"] int   Text --no\n      --deep       Text\n```\n\n## Options inherited\n  --far  Text";
        let flags = vec![("--wide".to_owned(), Some("-w".to_owned())), ("--deep".to_owned(), None)];
        let expected = Words { path: "box open".to_owned(), aliases: vec!["unlock".to_owned()], flags };
        assert_eq!(words(page), Some(expected));
        assert_eq!(words("no page"), None);
    }
}
