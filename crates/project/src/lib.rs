//! A project's files, whatever its runtime: the project file, the stacks' configuration, and package lock files.
//!
//! - [`Project`] is the project file, `Pulumi.yaml`; [`stack_config`] is a stack's file, with edits that change nothing else.
//! - [`config`] merges the two, and implements `config get`, `set`, `rm` and `ls`.
//! - [`packages`] are the lock files of packages.

pub mod config;
pub mod packages;
mod project;
pub mod stack_config;

pub use project::{
    Compiler, ConfigDeclaration, ConfigType, Given, PackageSpec, PluginOverride, Project, Runtime, find,
};
