//! `outrigger state rename`.

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::rename_entry;
use outrigger_value::Urn;
use serde_json::Value as Json;

use super::{Context, position, urn};
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
    /// Do it without asking.
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
        context.edit(|entries| {
            position(entries, old.as_str())?;
            if entries.iter().any(|entry| urn(entry) == new.as_str()) {
                return Err(Diagnostic::error("state-name-taken", format!("the state has {new} already"))
                    .hint("Choose another name, or forget that one with `outrigger state delete`."));
            }
            for entry in entries.iter_mut() {
                let renamed = |urn: &str| if urn == old.as_str() { new.to_string() } else { urn.to_owned() };
                rename_entry(entry, &renamed);
                // What was made under the old name keeps it as an alias for nobody: the program has the new one.
                if let Some(aliases) = entry.get_mut("aliases").and_then(Json::as_array_mut) {
                    aliases.retain(|alias| alias.as_str() != Some(new.as_str()));
                }
            }
            Ok(())
        })?;
        Ok(data(&format!("The resource is now {new}."))?)
    }
}
