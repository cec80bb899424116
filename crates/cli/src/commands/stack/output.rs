//! `outrigger stack output`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_value::PropertyMap;
use outrigger_workspace::json::{Secrets, properties_to_json, to_json};

use super::Context;
use crate::failure::Failure;
use crate::output::data;
use crate::render::table::columns;
use crate::render::value::to_plain;

/// Show the stack's outputs.
#[derive(Args, Debug)]
pub(super) struct Output {
    /// Only this one.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// As JSON.
    #[arg(short, long)]
    json: bool,
    /// As commands for a POSIX shell that set one variable for each output.
    #[arg(long, conflicts_with = "json")]
    shell: bool,
    /// Show secrets in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Output {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let secrets = Secrets::from_flag(self.show_secrets);
        let outputs = context.outline(&stack, secrets)?.outputs;
        let Some(name) = self.name else {
            let text = if self.json {
                format!("{:#}", properties_to_json(&outputs, secrets))
            } else if self.shell {
                outputs.iter().map(|(name, value)| assignment(name, &to_plain(value, secrets))).collect()
            } else {
                table(&outputs, secrets)
            };
            return Ok(data(text.trim_end())?);
        };
        let Some(value) = outputs.get(&name) else {
            let known: Vec<&str> = outputs.keys().map(String::as_str).collect();
            let known =
                if known.is_empty() { "It has none.".to_owned() } else { format!("It has: {}.", known.join(", ")) };
            return Err(Diagnostic::error("output-unknown", format!("stack `{stack}` has no output `{name}`"))
                .detail(known)
                .hint("Outputs are set by `outrigger up`, from `outputs` of the program.")
                .into());
        };
        let plain = to_plain(value, secrets);
        let text = match (self.json, self.shell) {
            (true, _) => format!("{:#}", to_json(value, secrets)),
            (_, true) => assignment(&name, &plain),
            _ => plain,
        };
        Ok(data(if self.shell { text.trim_end() } else { &text })?)
    }
}

/// The outputs as a table with a heading.
pub(super) fn table(outputs: &PropertyMap, secrets: Secrets) -> String {
    let rows: Vec<[String; 2]> = outputs.iter().map(|(name, value)| [name.clone(), to_plain(value, secrets)]).collect();
    let table = columns(["OUTPUT", "VALUE"], &rows);
    let indented: String = table.lines().map(|line| format!("    {line}\n")).collect();
    match rows.len() {
        0 => "Current stack outputs (0):\n    No output values currently in this stack\n".to_owned(),
        count => format!("Current stack outputs ({count}):\n{indented}"),
    }
}

/// A line that sets a variable in a POSIX shell. Letters that a variable's name cannot have become `_`.
fn assignment(name: &str, value: &str) -> String {
    let mut variable = name.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_', "_");
    if variable.starts_with(|letter: char| letter.is_ascii_digit()) {
        variable.insert(0, '_');
    }
    let plain =
        !value.is_empty() && value.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:@".contains(letter));
    let value = if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) };
    format!("{variable}={value}\n")
}

#[cfg(test)]
mod tests {
    use super::assignment;

    #[test]
    fn values_are_quoted_for_a_shell() {
        assert_eq!(assignment("url", "http://a/b"), "url=http://a/b\n");
        assert_eq!(assignment("my-key", "it's $HOME"), "my_key='it'\\''s $HOME'\n");
        assert_eq!(assignment("1st", ""), "_1st=''\n");
    }
}
