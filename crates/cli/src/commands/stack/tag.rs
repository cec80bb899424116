//! `outrigger stack tag`.

use clap::{Args, Subcommand};
use outrigger_diagnostic::Diagnostic;
use serde_json::json;

use super::Context;
use crate::failure::Failure;
use crate::output::data;
use crate::render::table::columns;

/// Show and change the stack's tags.
#[derive(Args, Debug)]
pub(super) struct Tag {
    #[command(subcommand)]
    command: TagCommand,
}

#[derive(Debug, Subcommand)]
enum TagCommand {
    /// Show all tags.
    #[command(visible_alias = "list")]
    Ls {
        /// As JSON.
        #[arg(short, long)]
        json: bool,
    },
    /// Show a tag's value.
    Get {
        /// The tag.
        name: String,
    },
    /// Set a tag.
    Set {
        /// The tag.
        name: String,
        /// Its value.
        value: String,
    },
    /// Remove a tag.
    #[command(visible_alias = "remove")]
    Rm {
        /// The tag.
        name: String,
    },
}

impl Tag {
    pub(super) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let stack = context.stack(None)?;
        let backend = &context.workspace.store.backend;
        let mut tags = backend.tags(&stack)?;
        let unknown = |name: &str| {
            Diagnostic::error("tag-unknown", format!("stack `{stack}` has no tag `{name}`"))
                .hint("`outrigger stack tag ls` lists all.")
        };
        match self.command {
            TagCommand::Ls { json: true } => Ok(data(&format!("{:#}", json!(tags)))?),
            TagCommand::Ls { json: false } => {
                let rows: Vec<[String; 2]> = tags.into_iter().map(|(name, value)| [name, value]).collect();
                Ok(data(columns(["NAME", "VALUE"], &rows).trim_end())?)
            }
            TagCommand::Get { name } => Ok(data(tags.get(&name).ok_or_else(|| unknown(&name))?)?),
            TagCommand::Set { name, value } => {
                tags.insert(name, value);
                Ok(backend.set_tags(&stack, &tags)?)
            }
            TagCommand::Rm { name } => {
                tags.remove(&name).ok_or_else(|| unknown(&name))?;
                Ok(backend.set_tags(&stack, &tags)?)
            }
        }
    }
}
