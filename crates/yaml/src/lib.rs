//! Pulumi YAML programs turned into registrations.
//!
//! - [`program`] is the program part of a file, [`expression`] and [`interpolation`] its values.
//! - [`YamlProgram`] checks a program against the schemas of its packages and runs it through the engine's monitor.
//! - [`check_project`] and [`program_file`] decide whether a project is one for this driver, and find its program.

mod check;
mod evaluate;
pub mod expression;
pub mod interpolation;
pub mod program;
mod project;
mod suggestion;

pub use evaluate::{Settings, YamlProgram};
pub use project::{check_project, program_file};
