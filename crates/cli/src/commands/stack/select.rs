//! `outrigger stack select`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;

use super::Context;
use crate::failure::{Exit, Failure};

/// Select a stack for this project; `pulumi` sees the same choice.
#[derive(Args, Debug)]
pub(super) struct Select {
    /// The stack's name.
    #[arg(value_name = "STACK")]
    name: Option<String>,
    /// Create it if it does not exist.
    #[arg(short, long)]
    create: bool,
}

impl Select {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let workspace = &context.workspace;
        let name = match self.name.or_else(|| context.named.clone()) {
            Some(name) => name,
            None => chosen(context)?,
        };
        let stack = StackName::parse(&name, Some(&workspace.project.name))?;
        if self.create && !workspace.store.backend.exists(&stack)? {
            workspace.create_stack(&stack)?;
        }
        let stack = context.stack(Some(&name))?;
        Ok(workspace.select(Some(&stack))?)
    }
}

/// The stack that the user picks from those of the project, by its name or its number.
fn chosen(context: &Context<'_>) -> Result<String, Failure> {
    let project = &context.workspace.project.name;
    let known = context.workspace.store.backend.stacks()?;
    let known: Vec<&str> = known.iter().filter(|stack| stack.project() == project).map(StackName::stack).collect();
    if context.terminal.is_interactive() && !known.is_empty() {
        let listed: Vec<String> = known.iter().zip(1..).map(|(name, number)| format!("  {number}. {name}")).collect();
        let prompt = format!("Stacks of `{project}`:\n{}\nName or number: ", listed.join("\n"));
        let Some(answer) = context.terminal.line(&prompt) else { return Err(Failure::said(Exit::Cancelled)) };
        let answer = answer.trim();
        // A stack may be named `1`; its name comes first.
        let number = answer.parse::<usize>().ok().filter(|_| !known.contains(&answer));
        let picked = number.and_then(|number| known.get(number.checked_sub(1)?)).copied();
        return Ok(picked.unwrap_or(answer).to_owned());
    }
    let diagnostic = Diagnostic::error("stack-no-name", "no stack was named");
    let diagnostic = if known.is_empty() {
        diagnostic.detail("This project has no stacks yet.").hint("Create one with `outrigger stack init NAME`.")
    } else {
        diagnostic.detail(format!("The project has: {}.", known.join(", "))).hint("Run `outrigger stack select NAME`.")
    };
    Err(Failure::new(Exit::StackNotFound, diagnostic))
}
