//! Registrations become steps, steps become results.
//!
//! A driver (YAML, later others) calls `Monitor::register` concurrently; the engine decides, calls the provider, writes the
//! journal, and answers. What was not registered is deleted at the end.
//!
//! - `register` is the way of one registration; `decisions` the one serial decision maker it asks.
//! - `steps`, `replace`, `deletes`, `read`, `refresh` carry decisions out; `operations` makes every intent durable first;
//!   `deletion_order` says when a deletion's turn has come; `pending` settles what an earlier run left unfinished.
//! - `construct` lets a provider make a component, of resources that it registers itself.
//! - `providers` and `provider_resources` start and configure plugins; `builtin` is the package that needs none.
//!
//! Nothing here spawns, reads a clock, or draws randomness: [`Services`] brings all of that in, so the simulator runs the same
//! code with a seed.

mod autonaming;
mod builtin;
mod changes;
mod construct;
mod decisions;
mod deletes;
mod deletion_order;
mod deployment;
mod event;
mod graph;
mod operations;
mod pending;
mod provider_inputs;
mod provider_resources;
mod providers;
mod read;
mod refresh;
mod register;
mod replace;
mod run;
mod services;
mod steps;
mod table;
mod targets;

pub use event::{Ending, Event, EventSink, RunResult, Step, StepOp, StepResult, Summary};
pub use pending::PendingCreates;
pub use run::{destroy, refresh, up};
pub use services::{Options, OtherStacks, PrepareInputs, Random, Services};
pub use targets::{Pattern, Targets};
