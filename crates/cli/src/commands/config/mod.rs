//! `outrigger config`.

mod all;
mod copy;
mod get;
mod list;
mod remove;
mod set;

use clap::{Args, Subcommand};
use outrigger_workspace::Workspace;

use crate::arguments::ConfigFile;
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
    file: ConfigFile,
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
    /// Copy values to another stack, whose key encrypts the secrets.
    #[command(visible_alias = "copy")]
    Cp(copy::Copy),
    /// Set several values at once.
    SetAll(all::SetAll),
    /// Remove several values at once.
    #[command(alias = "remove-all")]
    RmAll(all::RemoveAll),
}

impl Config {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let mut config = Workspace::open(environment)?
            .with_config_file(self.file.config_file.as_deref())
            .configuration(self.stack.as_deref())?;
        match self.command {
            None => self.list.run(&config),
            Some(ConfigCommand::Set(command)) => command.run(&mut config, terminal),
            Some(ConfigCommand::Get(command)) => command.run(&config),
            Some(ConfigCommand::Rm(command)) => command.run(&mut config),
            Some(ConfigCommand::Cp(command)) => command.run(&config, environment),
            Some(ConfigCommand::SetAll(command)) => command.run(&mut config),
            Some(ConfigCommand::RmAll(command)) => command.run(&mut config),
        }
    }
}
