//! A library for running a project.
//!
//! [`Workspace::open`] finds a project and the backend of its stacks; [`Workspace::prepare`] a stack's keys, configuration, plugins and program. The
//! resulting [`Operation`] previews, updates, refreshes or destroys: its [`Runner`] returns a [`RunResult`], and sends every event on the way to the
//! caller's sink. [`check`] finds mistakes, [`install`] and [`add_package`] write lock files, and the methods of [`Workspace`] make, select and edit
//! stacks.
//!
//! Nothing here prints, asks a terminal, or reads the environment or the working directory: [`Environment`] provides all of that, with a [`Frontend`]
//! that answers questions. A failure is an [`Error`], of a kind that a caller can match on.
//!
//! [`plugin_test`] tests a plugin with real calls.
//!
//! [`Redaction`] keeps secrets out of all output; [`events`] and [`event_log`] are the JSON forms of events.
//!
//! Without the feature `projects` there are only the [`Runner`] and its dependencies, for callers that bring their own plugins and programs.

// An error is created once, when a command fails: its size costs nothing, and a box around it would be in every caller's way.
#![allow(clippy::result_large_err)]

pub mod difference;
mod error;
pub mod event_log;
pub mod events;
mod history;
pub mod json;
pub mod plugin_test;
#[cfg(feature = "projects")]
mod project;
mod recorder;
mod redaction;
mod remarks;
mod run;
mod services;

#[cfg(feature = "projects")]
pub use outrigger_bridge::NAME as BRIDGE;
pub use outrigger_engine::{Ending, Event, EventSink, PendingCreates, RunResult, StepOp, Targets};
#[cfg(feature = "projects")]
pub use outrigger_host::{KeeperCommand, keeper, return_freed_memory};
#[cfg(feature = "projects")]
pub use outrigger_package::pulumi::{BuiltIn, Installed, installed};
pub use outrigger_project::config::ListedValue;
pub use outrigger_secrets::{PASSPHRASE_KIND, Phrase, unsupported};
#[cfg(feature = "projects")]
pub use outrigger_transport::Origin;

pub use error::{Error, ErrorKind};
pub use history::Entry;
#[cfg(feature = "projects")]
pub use project::*;
pub use recorder::{Recorder, is_half, is_internal};
pub use redaction::{HIDDEN, Redaction};
pub use remarks::remarks;
pub use run::{Mood, OwnedKeys, Runner, Work};
pub use services::{Relay, SystemRandom};
