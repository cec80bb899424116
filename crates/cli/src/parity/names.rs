//! The names of the peers' commands and flags, from the lists that `cargo xtask parity` writes.

/// A program whose users come to ours.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// In the order of their paths; the first is the program itself, whose flags every command takes.
    pub(crate) commands: Vec<Words>,
}

/// A command of a peer.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Its words, separated by blanks.
    pub(crate) path: &'static str,
    /// Other names of its last word.
    pub(crate) aliases: Vec<&'static str>,
    pub(crate) flags: Vec<Flag>,
}

/// A flag of a peer.
#[derive(Debug)]
pub(crate) struct Flag {
    /// As it is typed: `--target`, or Terraform's `-target`.
    pub(crate) written: &'static str,
    pub(crate) short: Option<char>,
}

impl Flag {
    /// Without its dashes.
    pub(crate) fn name(&self) -> &'static str {
        self.written.trim_start_matches('-')
    }
}

impl Peer {
    pub(crate) fn pulumi() -> Self {
        Self::read(include_str!("pulumi.txt"))
    }

    pub(crate) fn terraform() -> Self {
        Self::read(include_str!("terraform.txt"))
    }

    /// Whether any command takes this flag.
    pub(crate) fn has_flag(&self, written: &str) -> bool {
        self.commands.iter().flat_map(|command| &command.flags).any(|flag| flag.written == written)
    }

    fn read(list: &'static str) -> Self {
        let mut lines = list.lines();
        let mut heading = lines.next().unwrap_or_default().split([' ', ',']).skip(1);
        let (name, version) = (heading.next().unwrap_or_default(), heading.next().unwrap_or_default());
        let mut commands = vec![Words::default()];
        for line in lines {
            let (first, others) = line.split_once(", ").unwrap_or((line, ""));
            let last = first.rsplit(' ').next().unwrap_or(first);
            if !last.starts_with('-') {
                let aliases = others.split(", ").filter(|alias| !alias.is_empty()).collect();
                commands.push(Words { path: first, aliases, flags: Vec::new() });
            } else if let Some(command) = commands.last_mut() {
                command.flags.push(Flag { written: last, short: others.trim_start_matches('-').chars().next() });
            }
        }
        Self { name, version, commands }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_whole() {
        let pulumi = Peer::pulumi();
        assert_eq!(pulumi.name, "pulumi");
        assert!(pulumi.version.starts_with("3."));
        let destroy = pulumi.commands.iter().find(|command| command.path == "destroy").unwrap();
        assert_eq!(destroy.aliases, ["down", "dn"]);
        let exclude = destroy.flags.iter().find(|flag| flag.name() == "exclude").unwrap();
        assert_eq!(exclude.short, Some('x'));
        assert!(pulumi.commands[0].flags.iter().any(|flag| flag.written == "--cwd" && flag.short == Some('C')));
        assert!(Peer::terraform().has_flag("-auto-approve"));
        assert!(!Peer::terraform().has_flag("--auto-approve"));
    }
}
