//! The commands, a file each.

pub(crate) mod about;
pub(crate) mod cancel;
pub(crate) mod check;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod destroy;
pub(crate) mod explain;
pub(crate) mod install;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod new;
pub(crate) mod package;
mod parameters;
pub(crate) mod parity;
pub(crate) mod plugin;
pub(crate) mod preview;
pub(crate) mod reference;
pub(crate) mod refresh;
pub(crate) mod stack;
pub(crate) mod state;
pub(crate) mod up;
pub(crate) mod version;
pub(crate) mod whoami;

use crate::arguments::{Arguments, Command};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Runs the command of the command line.
pub(crate) fn run(arguments: Arguments, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
    let _span = tracing::info_span!("command", name = name(&arguments.command)).entered();
    match arguments.command {
        Command::New(command) => command.run(environment, terminal),
        Command::Up(command) => command.run(environment, terminal),
        Command::Preview(command) => command.run(environment, terminal),
        Command::Check(command) => command.run(environment),
        Command::Refresh(command) => command.run(environment, terminal),
        Command::Destroy(command) => command.run(environment, terminal),
        Command::Cancel(command) => command.run(environment, terminal),
        Command::Stack(command) => command.run(environment, terminal),
        Command::Output(command) => command.run(environment, terminal),
        Command::Config(command) => command.run(environment, terminal),
        Command::State(command) => command.run(environment, terminal),
        Command::Package(command) => command.run(environment, terminal),
        Command::Install(command) => command.run(environment),
        Command::Plugin(command) => command.run(environment),
        Command::Login(command) => command.run(environment),
        Command::Logout(command) => command.run(environment),
        Command::Whoami(command) => command.run(environment),
        Command::About(command) => command.run(environment),
        Command::Explain(command) => command.run(),
        Command::Completion(command) => command.run(),
        Command::Reference(command) => command.run(),
        Command::Parity(command) => command.run(),
        Command::Version(command) => command.run(),
    }
}

/// The command without its arguments, which may be secrets.
fn name(command: &Command) -> String {
    format!("{command:?}").split('(').next().unwrap_or_default().to_lowercase()
}
