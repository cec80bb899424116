//! A configured provider.

use std::time::Duration;

use async_trait::async_trait;
use outrigger_value::PropertyMap;

use crate::{
    ApplyRequest, CallContext, CallError, CallRequest, CallResponse, CheckFailure, ConstructResponse, Goal, Invoke,
    Invoked, Monitor, Outcome, PlanRequest, Planned, ResourceIdentity, State, Ticket,
};

/// A request to check inputs.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Which resource.
    pub resource: ResourceIdentity,
    /// The inputs it had; `None` for a new one.
    pub olds: Option<PropertyMap>,
    /// The inputs that the program gives.
    pub news: PropertyMap,
    /// Randomness for names, the same for the same plan.
    pub random_seed: [u8; 32],
    /// Whether unknown values are kept (a preview) or cannot occur.
    pub preview: bool,
    /// What the engine wants a resource to be called for which the program gives no name.
    pub autonaming: Option<Autonaming>,
}

/// What a resource is to be called for which the program gives no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Autonaming {
    /// The name.
    pub proposed: String,
    /// How much it counts.
    pub mode: AutonamingMode,
}

/// How much a proposed name counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutonamingMode {
    /// The provider may change it to fit its rules.
    Propose,
    /// The provider has to take it as it is.
    Enforce,
    /// There must be no name but the program's.
    Disable,
}

/// Checked inputs.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The inputs to use.
    pub inputs: PropertyMap,
    /// What is wrong with them.
    pub failures: Vec<CheckFailure>,
}

/// A request to read a resource.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Which resource.
    pub resource: ResourceIdentity,
    /// Its id, and what is known of it. In a `get`, inputs and outputs are both what the program passed.
    pub state: State,
    /// The user's limit.
    pub timeout: Option<Duration>,
}

/// What was read.
#[derive(Clone, Debug)]
pub enum ReadResult {
    /// It exists. `inputs_known` says whether the provider gave inputs, or they are the old ones.
    Found {
        /// What exists.
        state: State,
        /// Whether the provider gave inputs.
        inputs_known: bool,
        /// Whether the provider knows that it is as the request's state says, though the inputs may be written in another way. A
        /// provider that does not know says no.
        unchanged: bool,
    },
    /// It does not exist.
    Gone,
}

/// A request to import a resource by id.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// Which resource.
    pub resource: ResourceIdentity,
    /// Its id in the provider.
    pub id: String,
    /// The user's limit.
    pub timeout: Option<Duration>,
}

/// What was imported. Terraform may answer several resources for one id.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The resource's type, in the protocol's words, and its state.
    pub resources: Vec<(String, State)>,
}

/// A configured provider instance.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Name and version, for messages.
    fn label(&self) -> String;

    /// Whether [`CheckRequest::autonaming`] is honoured.
    fn takes_autonaming(&self) -> bool {
        false
    }

    /// Whether the configuration was unknown, so that nothing can be asked yet.
    fn unconfigured(&self) -> bool {
        false
    }

    /// Whether it ends what it was ordered to do by itself when it is told to stop ([`crate::Plugin::cancel`]) or the user's limit is
    /// over. Then its answer is waited for: it says what exists by then.
    fn ends_orders(&self) -> bool {
        false
    }

    /// Checks and completes inputs.
    async fn check(&self, _cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        Ok(Checked { inputs: request.news, failures: Vec::new() })
    }

    /// Says what a change would do. Changes nothing.
    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError>;

    /// Does it. No deadline but the user's.
    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome;

    /// Reserved: asks again about an operation that is under way. No caller until a supervisor keeps tickets.
    async fn resume(&self, _cx: &CallContext, _resource: &ResourceIdentity, _ticket: Ticket) -> Outcome {
        Outcome::NotDone(CallError::unsupported("resume"))
    }

    /// Reads what exists.
    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError>;

    /// Reads what exists by id alone, with inputs.
    async fn import(&self, _cx: &CallContext, _request: ImportRequest) -> Result<Imported, CallError> {
        Err(CallError::unsupported("import"))
    }

    /// Calls a function.
    async fn invoke(&self, _cx: &CallContext, _request: Invoke) -> Result<Invoked, CallError> {
        Err(CallError::unsupported("invoke"))
    }

    /// Makes a component: registers it and its children through the monitor. When this answers, also with an error, every
    /// registration that it began has ended.
    async fn construct(
        &self,
        _cx: &CallContext,
        _goal: Goal,
        _monitor: &dyn Monitor,
    ) -> Result<ConstructResponse, CallError> {
        Err(CallError::unsupported("construct"))
    }

    /// Calls a method of a component, which may register resources too.
    async fn call(
        &self,
        _cx: &CallContext,
        _request: CallRequest,
        _monitor: &dyn Monitor,
    ) -> Result<CallResponse, CallError> {
        Err(CallError::unsupported("call"))
    }
}
