//! `outrigger stack`.

mod export;
mod graph;
mod history;
mod import;
mod init;
mod list;
mod output;
mod remove;
mod rename;
mod secrets;
mod select;
mod show;
mod tag;
mod unselect;

use clap::{Args, Subcommand};
use outrigger_state::{Outline, StackName};
use outrigger_workspace::Workspace;
use outrigger_workspace::json::Secrets;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::render::diagnostic::report;
use crate::terminal::Terminal;

/// Show and manage stacks.
#[derive(Args, Debug)]
pub(crate) struct Stack {
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long, global = true, value_name = "STACK")]
    stack: Option<String>,
    #[command(flatten)]
    show: show::Show,
    #[command(subcommand)]
    command: Option<StackCommand>,
}

#[derive(Debug, Subcommand)]
enum StackCommand {
    /// Create a stack and select it.
    #[command(visible_alias = "new")]
    Init(init::Init),
    /// Show the stacks of the project.
    #[command(visible_alias = "list")]
    Ls(list::List),
    /// Select a stack for this project.
    Select(select::Select),
    /// Show the stack's outputs.
    Output(output::Output),
    /// Write the stack's state as JSON.
    Export(export::Export),
    /// Replace the stack's state with an exported one.
    Import(import::Import),
    /// Show the commands that changed the stack, the last first.
    #[command(alias = "hist")]
    History(history::History),
    /// Write the dependencies between resources as a graph in the DOT language.
    Graph(graph::Graph),
    /// Show and change the stack's tags.
    Tag(tag::Tag),
    /// Give the stack another name.
    Rename(rename::Rename),
    /// Encrypt the stack's secrets with another passphrase, which is asked for or read from standard input.
    ChangeSecretsProvider(secrets::ChangeSecretsProvider),
    /// Select no stack for this project.
    Unselect(unselect::Unselect),
    /// Remove a stack that has no resources.
    #[command(visible_alias = "remove")]
    Rm(remove::Remove),
}

impl Stack {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        if let Some(StackCommand::Ls(command)) = self.command {
            return command.run(environment);
        }
        let workspace = Workspace::open(environment)?;
        let context = Context { environment, terminal, workspace, named: self.stack };
        match self.command {
            None => self.show.run(&context),
            Some(StackCommand::Init(command)) => command.run(&context),
            Some(StackCommand::Ls(command)) => command.run(environment),
            Some(StackCommand::Select(command)) => command.run(&context),
            Some(StackCommand::Output(command)) => command.run(&context),
            Some(StackCommand::Export(command)) => command.run(&context),
            Some(StackCommand::Import(command)) => command.run(&context),
            Some(StackCommand::History(command)) => command.run(&context),
            Some(StackCommand::Graph(command)) => command.run(&context),
            Some(StackCommand::Tag(command)) => command.run(&context),
            Some(StackCommand::Rename(command)) => command.run(&context),
            Some(StackCommand::ChangeSecretsProvider(command)) => command.run(&context),
            Some(StackCommand::Unselect(command)) => command.run(&context),
            Some(StackCommand::Rm(command)) => command.run(&context),
        }
    }
}

/// Show the stack's outputs.
#[derive(Args, Debug)]
pub(crate) struct Outputs {
    /// The stack to work on; otherwise PULUMI_STACK or the selected one.
    #[arg(short, long, value_name = "STACK")]
    stack: Option<String>,
    #[command(flatten)]
    command: output::Output,
}

impl Outputs {
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        let workspace = Workspace::open(environment)?;
        self.command.run(&Context { environment, terminal, workspace, named: self.stack })
    }
}

/// The stack that a subcommand works on, and its surroundings.
struct Context<'a> {
    environment: &'a Environment,
    terminal: Terminal,
    workspace: Workspace,
    named: Option<String>,
}

impl Context<'_> {
    /// The stack, which must exist; `name` is the command's argument.
    fn stack(&self, name: Option<&str>) -> Result<StackName, Failure> {
        Ok(self.workspace.existing_stack(name.or(self.named.as_deref()))?)
    }

    /// The resources that the state holds, and the stack's outputs.
    fn outline(&self, stack: &StackName, secrets: Secrets) -> Result<Outline, Failure> {
        let outline = self.workspace.outline(stack, secrets)?;
        for finding in &outline.findings {
            report(finding);
        }
        Ok(outline)
    }
}
