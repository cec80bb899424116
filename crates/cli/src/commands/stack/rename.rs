//! `outrigger stack rename`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::StackName;

use super::Context;
use crate::failure::Failure;
use crate::output::talk;

/// Give the stack another name. Its resources keep what they are; their URNs change with it.
#[derive(Args, Debug)]
pub(super) struct Rename {
    /// The new name.
    #[arg(value_name = "NAME")]
    name: String,
}

impl Rename {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let old = context.stack(None)?;
        let workspace = &context.workspace;
        let new = StackName::parse(&self.name, Some(old.project()))?;
        if new.project() != old.project() {
            return Err(Diagnostic::error("stack-rename-project", "a stack cannot be moved to another project")
                .detail(format!("It belongs to `{}`, and the new name to `{}`.", old.project(), new.project()))
                .hint("Give a name without a project.")
                .into());
        }
        workspace.rename_stack(&old, &new)?;
        talk(&format!("Renamed stack `{old}` to `{new}`."));
        Ok(())
    }
}
