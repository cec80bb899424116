//! `outrigger config`.

mod all;
mod get;
mod list;
mod remove;
mod set;

use clap::{Args, Subcommand};
use outrigger_diagnostic::Diagnostic;
use outrigger_project::config::{ConfigPath, KeyError};
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::Crypter;
use outrigger_state::StackName;
use outrigger_workspace::Workspace;
use std::sync::Arc;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::terminal::Terminal;

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
        let stack = workspace.existing_stack(self.stack.as_deref())?;
        let config = workspace.stack_config(&stack)?;
        let context = Context { terminal, workspace, stack, config };
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
struct Context {
    terminal: Terminal,
    workspace: Workspace,
    stack: StackName,
    config: StackConfig,
}

impl Context {
    fn path(&self, key: &str, path: bool) -> Result<ConfigPath, Diagnostic> {
        ConfigPath::parse(key, &self.workspace.project.name, path).map_err(|error: KeyError| {
            Diagnostic::error("config-key", error.to_string())
                .hint("A key is `name` or `namespace:name`; with `--path` it may be `name.inner[0]`.")
        })
    }

    /// What encrypts new secrets of the stack's file.
    fn crypter(&mut self) -> Result<Arc<dyn Crypter>, Failure> {
        Ok(self.workspace.writer(&self.stack, &mut self.config)?)
    }
}
