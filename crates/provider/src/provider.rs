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
    /// The resource.
    pub resource: ResourceIdentity,
    /// The old inputs; `None` for a new resource.
    pub olds: Option<PropertyMap>,
    /// The inputs from the program.
    pub news: PropertyMap,
    /// Randomness for names, the same for the same plan.
    pub random_seed: [u8; 32],
    /// Whether unknown values are kept, as in a preview; otherwise they cannot occur.
    pub preview: bool,
    /// How to name a resource if the program gives no name.
    pub autonaming: Option<Autonaming>,
}

/// The name of a resource for which the program gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Autonaming {
    /// The name.
    pub proposed: String,
    /// How binding it is.
    pub mode: AutonamingMode,
}

/// How binding a proposed name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutonamingMode {
    /// The provider may change it to fit its rules.
    Propose,
    /// The provider must use it as it is.
    Enforce,
    /// The provider must not make up a name.
    Disable,
}

/// Checked inputs.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The inputs to use.
    pub inputs: PropertyMap,
    /// Problems with them.
    pub failures: Vec<CheckFailure>,
}

/// A request to read a resource.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The resource.
    pub resource: ResourceIdentity,
    /// Its id and known state. In a `get`, inputs and outputs are both the properties that the program passed.
    pub state: State,
    /// The user's timeout.
    pub timeout: Option<Duration>,
}

/// The result of a read.
#[derive(Clone, Debug)]
pub enum ReadResult {
    /// It exists. `inputs_known` is false if the inputs are the old ones and not the provider's.
    Found {
        /// The state as it exists.
        state: State,
        /// Whether the provider returned inputs.
        inputs_known: bool,
        /// Whether the provider knows that the resource matches the request's state, even if its inputs are written differently. False if
        /// it does not know.
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
    /// Its id, in the provider's form.
    pub id: String,
    /// The user's timeout.
    pub timeout: Option<Duration>,
}

/// The result of an import. Terraform may return several resources for one id.
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

    /// Whether the configuration was unknown, so that no call can be made yet.
    fn unconfigured(&self) -> bool {
        false
    }

    /// Whether the provider ends its running operations by itself when it is asked to stop ([`crate::Plugin::cancel`]) or the user's
    /// timeout passes. The engine then waits for its answer, which has the state reached so far.
    fn ends_orders(&self) -> bool {
        false
    }

    /// Checks and completes inputs.
    async fn check(&self, _cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        Ok(Checked { inputs: request.news, failures: Vec::new() })
    }

    /// Plans a change. Changes nothing.
    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError>;

    /// Applies a change. It has no deadline but the user's.
    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome;

    /// Reserved: asks again about a running operation. Unused until a supervisor keeps tickets.
    async fn resume(&self, _cx: &CallContext, _resource: &ResourceIdentity, _ticket: Ticket) -> Outcome {
        Outcome::NotDone(CallError::unsupported("resume"))
    }

    /// Reads a resource.
    async fn read(&self, cx: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError>;

    /// Reads a resource by its id alone, with inputs.
    async fn import(&self, _cx: &CallContext, _request: ImportRequest) -> Result<Imported, CallError> {
        Err(CallError::unsupported("import"))
    }

    /// Calls a function.
    async fn invoke(&self, _cx: &CallContext, _request: Invoke) -> Result<Invoked, CallError> {
        Err(CallError::unsupported("invoke"))
    }

    /// Constructs a component: registers it and its children through the monitor. When this returns, even with an error, every
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
