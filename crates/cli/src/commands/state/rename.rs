//! `outrigger state rename`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::Edit;
use outrigger_value::Urn;

use super::Context;
use crate::failure::Failure;
use crate::output::data;

/// Give a resource another name, as the program calls it now.
#[derive(Args, Debug)]
pub(super) struct Rename {
    /// The resource, by its URN.
    #[arg(value_name = "URN")]
    urn: String,
    /// The new name, without type and stack.
    #[arg(value_name = "NAME")]
    name: String,
    /// Do it without asking for confirmation.
    #[arg(short, long)]
    yes: bool,
}

impl Rename {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let old = self.urn.parse::<Urn>().map_err(|error| {
            Diagnostic::error("target-invalid", error.to_string())
                .hint("`outrigger stack --show-urns` lists the names of all resources.")
        })?;
        if self.name.is_empty() {
            return Err(Diagnostic::error("state-name-empty", "the new name is empty")
                .hint("Run `outrigger state rename URN NAME`.")
                .into());
        }
        let new = Urn::with_qualified_type(old.stack(), old.project(), old.qualified_type(), &self.name);
        context.confirm(self.yes, &format!("`{}` is called `{}` from now on", old.name(), self.name))?;
        context.edit(&Edit::Rename { old, new: new.clone() })?;
        Ok(data(&format!("The resource is now {new}."))?)
    }
}
