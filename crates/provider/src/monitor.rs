//! The engine's interface for a driver or a component.

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_value::{PropertyDependencies, PropertyMap, Urn, Value};

use crate::{CallResponse, Goal, InvokeGoal, MethodGoal, ReadGoal};

/// The result of a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// Its name.
    pub urn: Urn,
    /// Its id: `None` for a component, unknown in a preview of a creation.
    pub id: Option<Value>,
    /// Its outputs. In a preview they may lack properties that only the provider will know.
    pub outputs: PropertyMap,
    /// The resources that each output came from, if not the resource itself; set for components.
    pub output_dependencies: PropertyDependencies,
}

/// The facts about a run that a component may know.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The project's name.
    pub project: String,
    /// The stack's name.
    pub stack: String,
    /// The organization's name; may be empty.
    pub organization: String,
    /// The stack's whole configuration by `namespace:name`, each value as text, secrets marked.
    pub config: PropertyMap,
    /// How many calls that change or read resources may run at once.
    pub parallel: usize,
    /// Whether nothing may be changed.
    pub preview: bool,
}

/// Why a goal has no result.
#[derive(Clone, Debug)]
pub enum RegisterError {
    /// It failed, and the engine has reported why. The driver skips its dependents and reports nothing more.
    Failed,
    /// It was not started, because an earlier goal failed or the run was cancelled.
    Skipped,
    /// The goal itself is wrong (a duplicate name, an unknown parent); the driver reports this, with its place.
    Invalid(Box<Diagnostic>),
}

/// The engine's interface for a driver or a component. Every method may be called concurrently.
#[async_trait]
pub trait Monitor: Send + Sync {
    /// The root stack's name. A program registers it first, as [`Goal::root`].
    fn stack(&self) -> &Urn;

    /// Facts about this run.
    fn run(&self) -> &RunInfo;

    /// Registers a resource and waits for its result.
    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError>;

    /// Reports that a resource of the program is not registered, because something that it needs is missing.
    fn not_registered(&self, _ty: &str, _name: &str, _parent: Option<&Urn>) {}

    /// Sets the outputs of a component or of the root stack. The stack's are written at the end.
    async fn register_outputs(&self, urn: &Urn, outputs: PropertyMap) -> Result<(), RegisterError>;

    /// Reads a resource.
    async fn read(&self, goal: ReadGoal) -> Result<Registered, RegisterError>;

    /// Calls a function. `Ok(None)`: the provider is not configured yet, so the result is unknown.
    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError>;

    /// Calls a method of a resource.
    async fn call(&self, goal: MethodGoal) -> Result<CallResponse, RegisterError>;

    /// Reports a diagnostic of the driver itself, such as an error at run time, in the order of events.
    fn report(&self, diagnostic: Diagnostic);
}
