//! The two central traits: every protocol becomes a [`Plugin`] and a [`Provider`], and the engine knows nothing else.
//!
//! - [`Plugin`] is a running process that is not configured yet.
//! - [`Provider`] is a configured instance that plans and applies.
//! - [`Monitor`] is the engine, through which a driver's [`Program`] or a component registers [`Goal`]s.
//! - [`Plugins`] finds and starts plugins and knows their schemas; the host implements it.
//!
//! Every method that a protocol may lack has a default that returns [`ErrorKind::Unsupported`], so an implementation writes only the
//! methods that its protocol has. `ARCHITECTURE.md` has the table of every RPC of every protocol against these methods.

mod call;
mod component;
mod error;
mod goal;
mod monitor;
mod plan;
mod plugin;
mod program;
mod provider;
mod state;
mod unconfigured;
mod version;
mod withheld;

pub use call::{CallContext, LogLevel, LogSink, NoLog};
pub use component::{CallRequest, CallResponse, ConstructResponse, Invoke, Invoked};
pub use error::{CallError, CheckFailure, ErrorKind};
pub use goal::{
    Alias, AliasParent, Goal, InvokeGoal, MethodGoal, PackageReference, Places, PropertyPlaces, ReadGoal, Source,
};
pub use monitor::{Monitor, RegisterError, Registered, RunInfo};
pub use plan::{
    Action, ApplyRequest, DetailedDiff, Diff, DiffKind, Outcome, PlanRequest, Planned, PropertyDiff, Ticket, Verdict,
};
pub use plugin::{
    CheckConfig, CheckedConfig, Configure, DiffConfig, Parameterization, Parameterize, Plugin, PluginDescriptor,
    PluginInfo, Plugins,
};
pub use program::{Program, ProgramError};
pub use provider::{
    Autonaming, AutonamingMode, CheckRequest, Checked, ImportRequest, Imported, Provider, ReadRequest, ReadResult,
};
pub use state::{ResourceIdentity, State};
pub use unconfigured::Unconfigured;
pub use version::{PULUMI_VERSION, VersionRange, tolerant};
pub use withheld::{WITHHELD, without_secrets};
