//! Brings a Pulumi YAML project up: `cargo run -p outrigger-workspace --features projects --example up -- DIRECTORY STACK`.
#![allow(clippy::print_stdout, reason = "a program of its own prints")]

use std::sync::Arc;

use outrigger_workspace::{Environment, Error, Event, EventSink, Request, RunResult, Work, Workspace};

/// Prints every step that has ended.
struct Printed;

impl EventSink for Printed {
    fn emit(&self, event: Event) {
        if let Event::StepEnded { step, result_op, .. } = event {
            println!("{} {}", result_op.as_str(), step.urn);
        }
    }
}

/// Opens the project of an environment, creates the stack if it does not exist, and updates it.
pub(crate) async fn up(environment: &Environment, name: &str) -> Result<RunResult, Error> {
    let workspace = Workspace::open(environment)?;
    let stack = workspace.stack(Some(name))?;
    if !workspace.store.backend.exists(&stack)? {
        workspace.create_stack(&stack)?;
    }
    let operation = workspace.prepare(&Request { stack: Some(name.to_owned()), ..Request::new(Work::Up) })?;
    let result = operation.runner.update(|_| Arc::new(Printed)).await;
    operation.close().await;
    result
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args_os().skip(1);
    let (Some(directory), Some(stack)) = (words.next(), words.next()) else { return Err("up DIRECTORY STACK".into()) };
    let environment = Environment::new(std::env::vars_os(), directory);
    println!("{:?}", up(&environment, &stack.to_string_lossy()).await?.ending);
    Ok(())
}
