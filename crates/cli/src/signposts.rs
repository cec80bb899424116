//! Words of `pulumi` and `terraform` that are no words here: what they are called, or that they are missing and what works today.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::command_line::command;

/// Commands, by their whole path.
const COMMANDS: &[(&str, &str)] = &[
    ("apply", "Terraform's `apply` is `outrigger up`."),
    (
        "console",
        "There is no console. `outrigger stack output` shows values, `outrigger plugin call` calls a function of a provider.",
    ),
    ("convert", "Programs cannot be converted yet. `pulumi convert --language yaml` writes one that works here."),
    ("deployment", "Deployments belong to Pulumi Cloud, which is not supported yet."),
    ("env", "Pulumi ESC is not supported yet."),
    ("fmt", "Programs are YAML: any formatter of YAML will do."),
    ("force-unlock", "Terraform's `force-unlock` is `outrigger cancel`."),
    ("get", "There are no modules to get. `outrigger package add` adds a package to the project."),
    ("graph", "The graph is shown by `outrigger stack graph`."),
    ("import", "There is no `import` command yet. Set the option `import: ID` of a resource and run `outrigger up`."),
    (
        "init",
        "Use `outrigger new` to make a project, `outrigger stack init` to make a stack, and `outrigger package add` to add a provider.",
    ),
    ("logs", "Logs of resources are not collected. `-v` shows what a command does."),
    ("modules", "There are no modules. A component of a plugin groups resources."),
    ("org", "Organizations belong to Pulumi Cloud, which is not supported yet."),
    ("plan", "Terraform's `plan` is `outrigger preview`."),
    ("policy", "Policy packs are not supported yet."),
    (
        "project",
        "Projects are folders with a `Pulumi.yaml`; `outrigger stack ls --all` lists the stacks of all of them.",
    ),
    ("providers", "`outrigger plugin ls` lists providers, `outrigger plugin schema` shows the schema of one."),
    ("schema", "The schema of a plugin is shown by `outrigger plugin schema`."),
    ("show", "`outrigger stack` shows the resources of a stack, `outrigger state show` one of them in full."),
    ("taint", "Use `outrigger state taint`."),
    ("test", "There is no `test` command. `outrigger check` finds mistakes in a program."),
    ("untaint", "Use `outrigger state untaint`."),
    ("watch", "There is no `watch` command yet. Run `outrigger up` after a change."),
    ("workspace", "Terraform's workspaces are stacks: `outrigger stack`."),
    (
        "config cp",
        "Copy the entries of the stack's file, and set secrets again with `outrigger config set --secret`: each stack has a key of its own.",
    ),
    ("config env", "Pulumi ESC is not supported yet."),
    ("config refresh", "`outrigger stack history` shows the configuration of earlier updates."),
    (
        "package gen-sdk",
        "SDKs cannot be generated yet. `pulumi package gen-sdk` takes the output of `outrigger plugin schema`.",
    ),
    ("package get-mapping", "Use `outrigger plugin call NAME GetMapping`."),
    ("package get-schema", "Use `outrigger plugin schema`."),
    ("package info", "There is no `package info` yet. `outrigger plugin schema` shows the whole schema."),
    ("package publish", "Packages cannot be published yet."),
    ("plugin install", "Plugins cannot be installed yet. `pulumi plugin install` puts them where they are found."),
    ("plugin rm", "Remove the plugin's folder below `~/.pulumi/plugins`, or run `pulumi plugin rm`."),
    ("plugin run", "Use `outrigger plugin call` to make a call of a plugin."),
    (
        "stack change-secrets-provider",
        "The secrets provider cannot be changed yet. `pulumi stack change-secrets-provider` does it.",
    ),
    (
        "state edit",
        "Edit the file that `outrigger stack export` writes, and bring it back with `outrigger stack import`.",
    ),
    ("state move", "Resources cannot be moved to another stack yet. `pulumi state move` does it."),
    ("state mv", "Terraform's `state mv` is `outrigger state rename`."),
    ("state pull", "Terraform's `state pull` is `outrigger stack export`."),
    ("state push", "Terraform's `state push` is `outrigger stack import`."),
    ("state repair", "A state cannot be repaired yet. `pulumi state repair` does it."),
    ("state rm", "Terraform's `state rm` is `outrigger state delete`."),
    (
        "state upgrade",
        "There is nothing to upgrade: only the present layout of a backend is supported. `pulumi state upgrade` upgrades older ones.",
    ),
];

/// Flags, wherever they are used.
const FLAGS: &[(&str, &str)] = &[
    ("--attach-debugger", "Programs in other languages cannot be run yet."),
    ("--auto-approve", "Terraform's `-auto-approve` is `--yes`."),
    ("--config", "Set the value with `outrigger config set` first."),
    ("--config-file", "The stack's file is beside the project file, or in its `stackConfigDir`."),
    ("--config-path", "Set the value with `outrigger config set --path` first."),
    ("--debug", "Use `-v`, or `-vv` for every call of a plugin."),
    ("--exclude", "Resources cannot be excluded yet. `--target` names those to work on."),
    ("--exclude-dependents", "Resources cannot be excluded yet. `--target` names those to work on."),
    ("--exclude-protected", "Protected resources are never deleted, but they end the command with an error."),
    ("--out", "Plans cannot be saved yet."),
    ("--plan", "Plans cannot be saved or followed yet."),
    ("--policy-pack", "Policy packs are not supported yet."),
    ("--policy-pack-config", "Policy packs are not supported yet."),
    ("--replace", "Use `outrigger state taint URN`, then `outrigger up`."),
    ("--run-program", "Programs in other languages cannot be run yet."),
    ("--save-plan", "Plans cannot be saved yet."),
    ("--suppress-outputs", "Outputs are shown at the end of a run; `--json` has them apart."),
    ("--target-dependents", "Name dependents with another `--target`; a pattern such as `'**::web-*'` names many."),
    ("--target-replace", "Use `outrigger state taint URN`, then `outrigger up --target URN`."),
    ("--tracing", "Use `-v`, or `-vv` for every call of a plugin."),
    ("--urns", "`outrigger stack --show-urns` shows the URNs of a stack's resources."),
    ("--var", "Terraform's variables are the stack's configuration: `outrigger config set KEY VALUE`."),
    ("--var-file", "Terraform's variables are the stack's configuration: `outrigger config set-all`."),
];

/// What to say of a command line that was refused, beside the refusal.
pub(crate) fn of(error: &clap::Error, arguments: impl IntoIterator<Item = String>) -> Option<&'static str> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument => {
            let known = word(ContextKind::InvalidSubcommand).and_then(|word| named(&path(arguments, word)));
            known.or_else(|| flag(word(ContextKind::InvalidArg)?))
        }
        _ => None,
    }
}

/// The commands up to a word that is none.
fn path(arguments: impl IntoIterator<Item = String>, stray: &str) -> String {
    let mut known = command();
    let mut path = Vec::new();
    for word in arguments {
        if word == stray {
            break;
        }
        if let Some(next) = known.find_subcommand(&word).cloned() {
            known = next;
            path.push(word);
        }
    }
    path.push(stray.to_owned());
    path.join(" ")
}

fn named(path: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

fn flag(written: &str) -> Option<&'static str> {
    let name = written.split('=').next().unwrap_or(written).trim_start_matches('-');
    FLAGS.iter().find(|(known, _)| known.trim_start_matches('-') == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::*;

    fn said(line: &str) -> Option<&'static str> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = command().try_get_matches_from(&words).err()?;
        of(&error, words)
    }

    #[test]
    fn every_word_is_refused_and_known() {
        for (path, text) in COMMANDS {
            assert_eq!(said(&format!("outrigger {path}")), Some(*text), "{path}");
        }
        for (name, text) in FLAGS {
            assert_eq!(said(&format!("outrigger up {name}")), Some(*text), "{name}");
        }
        assert_eq!(said("outrigger up --replace=urn"), said("outrigger preview --replace urn"));
        assert_eq!(said("outrigger --cwd plan nonsense"), None);
    }

    #[test]
    fn what_is_advised_exists() {
        let quoted = Regex::new(r"`outrigger ([^`]+)`").unwrap();
        for (word, text) in COMMANDS.iter().chain(FLAGS) {
            for advice in quoted.captures_iter(text) {
                let mut known = command();
                for part in advice[1].split(' ') {
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
