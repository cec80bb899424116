//! The `outrigger` command.
//!
//! Only this crate reads arguments, the environment or the working directory, and only this crate prints. A command is a file under `commands`, and
//! calls `outrigger-workspace`; commands share [`operation`] (preview, question, update) and [`render`] (the output).

mod arguments;
mod bridge;
mod command_line;
mod commands;
mod environment;
mod examples;
mod explanations;
mod failure;
mod interruption;
mod keeper;
mod kit;
mod logging;
mod operation;
mod output;
mod pager;
mod parity;
mod render;
mod signposts;
mod templates;
mod terminal;

use std::process::ExitCode;

use failure::Failure;
use outrigger_workspace::{project_directory, return_freed_memory};
use render::diagnostic::Renderer;
use terminal::Terminal;

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
        // A shell that asked gets no answer; there is no other place to report this.
        Err(_) => return ExitCode::from(failure::Exit::Failed.code()),
    }
    return_freed_memory();
    let arguments = match command_line::parse() {
        Ok(arguments) => arguments,
        Err((error, hints)) => {
            // If this cannot be printed, there is no other place to report it.
            let _ = error.print();
            if !hints.is_empty() {
                output::talk(&format!("\n{}", hints.join("\n")));
            }
            // As in `pulumi` for a command line that cannot be parsed.
            return if command_line::is_help(&error) {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(failure::Exit::Failed.code())
            };
        }
    };
    arguments.color.apply();
    let terminal = Terminal::new(arguments.non_interactive);
    let result = environment::read(arguments.cwd.as_deref(), arguments.works_anywhere(), terminal)
        .map_err(|diagnostic| (Failure::from(diagnostic), Renderer::default()))
        .and_then(|environment| {
            // Places are relative to the project, if there is one.
            let shown = || Renderer { base: project_directory(&environment), ..Renderer::default() };
            logging::start(arguments.log_level(), &environment)
                .map_err(Failure::from)
                .and_then(|()| commands::run(arguments, &environment, terminal))
                .map_err(|failure| (failure, shown()))
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
