//! Registrations become steps, steps become results.
//!
//! A driver (YAML, later others) calls `Monitor::register` concurrently; the engine decides, calls the provider, writes the
//! journal, and answers. Resources that were not registered are deleted at the end.
//!
//! - `register` is the path of one registration; `decisions` is the one serial decision maker.
//! - `steps`, `replace`, `deletes`, `read`, `refresh` carry decisions out; `operations` makes every intent durable first;
//!   `deletion_order` decides when a deletion may start; `pending` settles the operations that an earlier run left unfinished.
//! - `construct` lets a provider make a component out of resources that it registers itself.
//! - `providers` and `provider_resources` start and configure plugins; `builtin` is the package that needs no plugin.
//!
//! Nothing here spawns, reads a clock, or draws randomness: [`Services`] provides all of that, so the simulator runs the same code with a
//! seed.

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
