//! Pulumi YAML projects: the project file, the stack's configuration, and the program, turned into registrations.
//!
//! - [`syntax`] reads files into a tree with places.
//! - [`project`] is the project file of any runtime; [`stack_config`] is a stack's file, with edits that touch nothing else.
//! - [`config`] puts the two together, and knows what `config get`, `set`, `rm` and `ls` mean.
//! - [`program`] is the program part, [`expression`] and [`interpolation`] its values, [`packages`] its lock files.
//! - [`YamlProgram`] checks a program against the schemas of its packages and runs it through the engine's monitor.

mod check;
pub mod config;
mod evaluate;
pub mod expression;
pub mod interpolation;
pub mod packages;
pub mod program;
pub mod project;
pub mod stack_config;
mod suggestion;
pub mod syntax;
mod version;

pub use evaluate::{Settings, YamlProgram};
