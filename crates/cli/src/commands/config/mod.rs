//! `outrigger config`.

mod all;
mod get;
mod list;
mod remove;
mod set;

use std::sync::Arc;

use clap::{Args, Subcommand};
use outrigger_diagnostic::Diagnostic;
use outrigger_project::config::{ConfigPath, KeyError};
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::Crypter;
use outrigger_state::StackName;

use crate::encryption::{Keyring, salt, stack_provider};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::workspace::Workspace;

/// Show and change a stack's configuration.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = false)]
pub(crate) struct Config {
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long, global = true, value_name = "STACK")]
    stack: Option<String>,
    #[command(flatten)]
    list: list::List,
    #[command(subcommand)]
    command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Set a value.
    Set(set::Set),
    /// Show a value, a secret one in clear.
    Get(get::Get),
    /// Remove a value.
    #[command(visible_alias = "remove")]
    Rm(remove::Remove),
    /// Set several values at once.
    SetAll(all::SetAll),
    /// Remove several values at once.
    RmAll(all::RemoveAll),
}

impl Config {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        let stack = workspace.existing_stack(self.stack.as_deref(), environment)?;
        let config = workspace.stack_config(&stack)?;
        let context = Context { environment, terminal, workspace, stack, config };
        match self.command {
            None => self.list.run(&context),
            Some(ConfigCommand::Set(command)) => command.run(context),
            Some(ConfigCommand::Get(command)) => command.run(&context),
            Some(ConfigCommand::Rm(command)) => command.run(&context),
            Some(ConfigCommand::SetAll(command)) => command.run(context),
            Some(ConfigCommand::RmAll(command)) => command.run(&context),
        }
    }
}

/// What every subcommand works on.
struct Context<'a> {
    environment: &'a Environment,
    terminal: Terminal,
    workspace: Workspace,
    stack: StackName,
    config: StackConfig,
}

impl Context<'_> {
    fn path(&self, key: &str, path: bool) -> Result<ConfigPath, Diagnostic> {
        ConfigPath::parse(key, &self.workspace.project.name, path).map_err(|error: KeyError| {
            Diagnostic::error("config-key", error.to_string())
                .hint("A key is `name` or `namespace:name`; with `--path` it may be `name.inner[0]`.")
        })
    }

    /// The crypter of the stack's secrets. A stack that has none yet gets a salt if it is about to `write` a secret.
    fn crypter(&mut self, write: bool) -> Result<Arc<dyn Crypter>, Failure> {
        let keyring = Keyring::new(self.environment, self.terminal, true)?;
        let mut provider = stack_provider(&self.config)?;
        let from_file = provider.is_some();
        if provider.is_none() {
            provider = self.workspace.store.backend.secrets_provider(&self.stack)?;
        }
        let provider = match provider {
            Some(provider) => provider,
            None if write => keyring.create()?,
            None => return Ok(crate::encryption::locked()),
        };
        if write && !from_file {
            let text = self.config.set_encryption_salt(salt(&provider).unwrap_or_default())?;
            self.workspace.write_stack_config(&self.stack, &text)?;
            self.config = self.workspace.stack_config(&self.stack)?;
        }
        Ok(keyring.crypter(&provider)?)
    }
}
