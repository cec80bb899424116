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
    /// Make it if it does not exist.
    #[arg(short, long)]
    create: bool,
}

impl Select {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let workspace = &context.workspace;
        let Some(name) = self.name.or_else(|| context.named.clone()) else {
            let known = workspace.store.backend.stacks()?;
            let known: Vec<&str> =
                known.iter().filter(|stack| stack.project() == workspace.project.name).map(StackName::stack).collect();
            let diagnostic = Diagnostic::error("stack-no-name", "it is not said which stack to select")
                .detail(format!(
                    "The project has: {}.",
                    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
                ))
                .hint("Run `outrigger stack select NAME`.");
            return Err(Failure::new(Exit::StackNotFound, diagnostic));
        };
        let stack = StackName::parse(&name, Some(&workspace.project.name))?;
        if self.create && !workspace.store.backend.exists(&stack)? {
            workspace.create_stack(&stack)?;
        }
        let stack = context.stack(Some(&name))?;
        Ok(workspace.select(Some(&stack))?)
    }
}
