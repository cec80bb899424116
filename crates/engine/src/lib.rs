//! Registrations become steps, steps become results.
//!
//! A driver (YAML, later others) calls [`Monitor::register`] concurrently; the engine decides, calls the provider, writes the
//! journal, and answers. What was not registered is deleted at the end.

mod goal;

pub use goal::{
    Alias, AliasParent, Goal, InvokeGoal, Monitor, PackageReference, Program, ProgramError, ReadGoal, RegisterError,
    Registered, Source,
};
