//! The `outrigger` command.
//!
//! Only this crate reads arguments, the environment or the working directory, and only this crate prints. A command is a file
//! under `commands`; what they share: [`workspace`] (project, backend, stack), [`encryption`] (passphrase and keys),
//! [`operation`] (preview, question, update), [`render`] (what the user sees).

mod arguments;
mod bridge;
mod call_log;
mod command_line;
mod commands;
mod compiler;
mod encryption;
mod environment;
mod examples;
mod explanations;
mod failure;
mod interruption;
mod keeper;
mod kit;
mod operation;
mod output;
mod packaging;
mod plugins;
mod render;
mod services;
mod source;
mod templates;
mod terminal;
mod workspace;

use std::process::ExitCode;

use environment::Environment;
use failure::Failure;
use render::diagnostic::Renderer;

fn main() -> ExitCode {
    if let Some(arguments) = keeper::called() {
        return keeper::run(arguments);
    }
    if let Some(arguments) = kit::called() {
        return kit::run(arguments);
    }
    if let Some(arguments) = bridge::called() {
        return bridge::run(arguments);
    }
    match command_line::complete() {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        // A shell that asked gets no answer; there is nobody else to tell.
        Err(_) => return ExitCode::from(failure::Exit::Failed.code()),
    }
    let arguments = match command_line::parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nobody to tell if this cannot be printed.
            let _ = error.print();
            // As `pulumi` does for a command line that it does not understand.
            return if command_line::is_help(&error) {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(failure::Exit::Failed.code())
            };
        }
    };
    arguments.color.apply();
    let result = Environment::read(arguments.cwd.as_deref())
        .map_err(|diagnostic| (Failure::from(diagnostic), Renderer::default()))
        .and_then(|environment| {
            commands::run(arguments, &environment).map_err(|failure| (failure, renderer(&environment)))
        });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err((failure, mut renderer)) => {
            renderer.texts = failure.texts;
            for diagnostic in &failure.diagnostics {
                output::talk(renderer.render(diagnostic).trim_end());
            }
            let explained = failure.diagnostics.iter().find(|diagnostic| explanations::page(diagnostic.code).is_some());
            if let Some(diagnostic) = explained {
                output::talk(&format!("\nRun `outrigger explain {}` to read more.", diagnostic.code));
            }
            ExitCode::from(failure.exit.code())
        }
    }
}

/// Places are relative to the project, if there is one.
fn renderer(environment: &Environment) -> Renderer {
    let project = outrigger_project::find(&environment.directory).ok();
    let base = project.as_deref().and_then(|path| path.parent()).unwrap_or(&environment.directory);
    Renderer { base: base.to_owned(), ..Renderer::default() }
}
