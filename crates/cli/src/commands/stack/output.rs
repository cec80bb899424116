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
    /// Show secrets in clear.
    #[arg(long)]
    show_secrets: bool,
}

impl Output {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let outputs = context.outline(&stack)?.outputs;
        let secrets = Secrets::from_flag(self.show_secrets);
        let Some(name) = self.name else {
            let text = if self.json {
                format!("{:#}", properties_to_json(&outputs, secrets))
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
        let text = if self.json { format!("{:#}", to_json(value, secrets)) } else { to_plain(value, secrets) };
        Ok(data(&text)?)
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
