//! What a driver asks of the engine, in the shape of Pulumi's `ResourceMonitor`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use outrigger_diagnostic::{Diagnostic, Place};
use outrigger_provider::PluginDescriptor;
use outrigger_state::CustomTimeouts;
use outrigger_value::{PropertyMap, ProviderReference, Urn, Value};

/// Where in the user's files a goal stands, for messages and for `sourcePosition`.
pub type Source = Option<Place>;

/// A package that a goal's provider comes from, when the driver knows more than the type's first part.
pub type PackageReference = PluginDescriptor;

/// A resource as the program wants it.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// The full type token.
    pub ty: String,
    /// The logical name.
    pub name: String,
    /// Whether a provider manages it.
    pub custom: bool,
    /// Its parent; `None` means the root stack, which the engine registers itself.
    pub parent: Option<Urn>,
    /// The program's inputs.
    pub inputs: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Everything that it depends on, sorted.
    pub dependencies: Vec<Urn>,
    /// The same by property; every property has an entry.
    pub property_dependencies: BTreeMap<String, Vec<Urn>>,
    /// `None` inherits from the parent.
    pub protect: Option<bool>,
    /// Property paths.
    pub ignore_changes: Vec<String>,
    /// Property paths, those that the schema brings included.
    pub replace_on_changes: Vec<String>,
    /// Property paths.
    pub hide_diffs: Vec<String>,
    /// Output names, those that the schema marks included.
    pub additional_secret_outputs: Vec<String>,
    /// Names that it had, those that the schema brings included.
    pub aliases: Vec<Alias>,
    /// Adopt the resource with this id.
    pub import_id: Option<String>,
    /// The user's limits.
    pub custom_timeouts: CustomTimeouts,
    /// Overrides the provider's word.
    pub delete_before_replace: Option<bool>,
    /// `None` inherits from the parent.
    pub retain_on_delete: Option<bool>,
    /// Deleting that resource deletes this one too.
    pub deleted_with: Option<Urn>,
    /// Replaced together with these.
    pub replace_with: Vec<Urn>,
    /// A change of this value forces a replacement.
    pub replacement_trigger: Option<Value>,
    /// The package, for the default provider; `None` takes the type's first part and no version.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
}

/// A name that a resource had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alias {
    /// The whole name.
    Urn(Urn),
    /// Parts of it; what is not given is as it is now.
    Spec {
        /// The name.
        name: Option<String>,
        /// The type.
        ty: Option<String>,
        /// The stack.
        stack: Option<String>,
        /// The project.
        project: Option<String>,
        /// The parent.
        parent: AliasParent,
    },
}

/// The parent in an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasParent {
    /// As it is now.
    Same,
    /// It had none (or the root stack).
    None,
    /// That one.
    Urn(Urn),
}

/// A resource to be read, not managed.
#[derive(Clone, Debug, Default)]
pub struct ReadGoal {
    /// The full type token.
    pub ty: String,
    /// The logical name.
    pub name: String,
    /// Its parent; `None` means the root stack.
    pub parent: Option<Urn>,
    /// Its id; unknown in a preview gives unknown outputs.
    pub id: Option<Value>,
    /// What the program says of its state.
    pub properties: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Everything that it depends on.
    pub dependencies: Vec<Urn>,
    /// Output names.
    pub additional_secret_outputs: Vec<String>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
}

/// A function to be called.
#[derive(Clone, Debug, Default)]
pub struct InvokeGoal {
    /// The full token.
    pub token: String,
    /// Known, plain arguments.
    pub arguments: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
}

/// What became of a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// Its name.
    pub urn: Urn,
    /// Its id: `None` for a component, unknown in a preview of a creation.
    pub id: Option<Value>,
    /// Its outputs. In a preview they may lack properties that only the provider will know.
    pub outputs: PropertyMap,
}

/// Why a goal has no result.
#[derive(Clone, Debug)]
pub enum RegisterError {
    /// It failed; the engine has reported why. The driver skips what depends on it and says nothing more.
    Failed,
    /// Something before it failed or the run was cancelled, so it was not started.
    Skipped,
    /// The goal itself is wrong (a duplicate name, an unknown parent); the driver reports this, with its place.
    Invalid(Box<Diagnostic>),
}

/// The engine, as a driver sees it. Every method may be called concurrently.
#[async_trait]
pub trait Monitor: Send + Sync {
    /// The root stack's name; it is registered before the program starts.
    fn stack(&self) -> &Urn;

    /// Whether this is a preview.
    fn preview(&self) -> bool;

    /// Registers a resource and waits for its result.
    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError>;

    /// Sets the outputs of a component or of the root stack. The stack's are written at the end.
    async fn register_outputs(&self, urn: &Urn, outputs: PropertyMap) -> Result<(), RegisterError>;

    /// Reads a resource.
    async fn read(&self, goal: ReadGoal) -> Result<Registered, RegisterError>;

    /// Calls a function. `Ok(None)`: the provider is not configured yet, so the result is unknown.
    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError>;

    /// Reports a finding of the driver itself, such as an error at run time, in the order of events.
    fn report(&self, diagnostic: Diagnostic);
}

/// A program that registers resources.
#[async_trait]
pub trait Program: Send + Sync {
    /// The packages that the program names, with versions where it gives them: the default providers' versions, and what can
    /// be started before anything is registered.
    fn required_packages(&self) -> Vec<PackageReference>;

    /// Runs to its end. Everything that it reports has gone through [`Monitor::report`].
    async fn run(&self, monitor: &dyn Monitor) -> Result<(), ProgramError>;
}

/// The program did not reach its end; why has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramError;
