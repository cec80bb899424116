//! `outrigger state rename`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::Edit;
use outrigger_value::Urn;

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Rename a resource in the state, to the name that the program has now.
#[derive(Args, Debug)]
pub(super) struct Rename {
    /// The resource: its URN or its name.
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// The new name, without type and stack.
    #[arg(value_name = "NAME")]
    name: String,
    /// Do not ask for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Rename {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        if self.name.is_empty() {
            return Err(Diagnostic::error("state-name-empty", "the new name is empty")
                .hint("Run `outrigger state rename RESOURCE NAME`.")
                .into());
        }
        let outline = context.outline()?;
        let named = Context::select(&outline, std::slice::from_ref(&self.resource))?;
        let [entry] = named[..] else {
            return Err(Diagnostic::error(
                "state-name-ambiguous",
                format!("`{}` names {} resources", self.resource, named.len()),
            )
            .hint("Only one resource can be renamed at a time.")
            .into());
        };
        let old = entry.urn.clone();
        let new = Urn::with_qualified_type(old.stack(), old.project(), old.qualified_type(), &self.name);
        let question =
            format!("Rename `{}` ({}) to `{}` in the state of `{}`?", old.name(), old.ty(), self.name, context.stack);
        context.confirm(self.yes, &named, &question)?;
        context.edit(&Edit::Rename { old, new: new.clone() })?;
        Ok(data(&format!("The resource is now {new}."))?)
    }
}
