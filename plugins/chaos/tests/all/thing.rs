//! One resource, and every call that can be made about it.

use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CallRequest, CheckConfig, CheckRequest, DiffConfig, Goal, Invoke,
    Outcome, PlanRequest, Plugin, Provider, ReadRequest, ResourceIdentity, State,
};
use outrigger_value::{PropertyMap, Urn};

use crate::nobody::Nobody;
use crate::stage::{Stage, configure};

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum Reply {
    /// It was answered; the text shows the answer.
    Fine(String),
    /// It failed, and nothing happened.
    Failed(CallError),
    /// It failed, and it is not known whether it happened; the known part of the resource is included.
    Doubtful(CallError, Option<State>),
}

impl Reply {
    pub(crate) fn error(&self) -> Option<&CallError> {
        match self {
            Self::Fine(_) => None,
            Self::Failed(error) | Self::Doubtful(error, _) => Some(error),
        }
    }

    fn of<T: std::fmt::Debug>(answer: Result<T, CallError>) -> Self {
        match answer {
            Ok(answer) => Self::Fine(format!("{answer:?}")),
            Err(error) => Self::Failed(error),
        }
    }
}

/// The host's calls to a running plugin, in the order of a run.
pub(crate) const CALLS: [&str; 14] = [
    "GetSchema",
    "CheckConfig",
    "DiffConfig",
    "Configure",
    "Check",
    "Diff",
    "Create",
    "Update",
    "Delete",
    "Read",
    "Invoke",
    "Call",
    "Construct",
    "Cancel",
];

pub(crate) fn identity() -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("dev", "shop", None, "chaos:index:Thing", "it"))
}

pub(crate) fn properties(value: &str) -> PropertyMap {
    PropertyMap::from([("value".to_owned(), value.into())])
}

pub(crate) fn prior() -> State {
    State { id: "chaos-it".to_owned(), inputs: properties("a"), outputs: properties("a"), ..State::default() }
}

pub(crate) fn check() -> CheckRequest {
    let resource = identity();
    CheckRequest { resource, olds: None, news: properties("a"), random_seed: [0; 32], preview: false, autonaming: None }
}

pub(crate) fn order(action: Action) -> ApplyRequest {
    ApplyRequest {
        resource: identity(),
        action,
        prior: (action != Action::Create).then(prior),
        inputs: if action == Action::Delete { PropertyMap::new() } else { properties("b") },
        ignore_changes: vec![],
        timeout: None,
    }
}

/// Makes a call by its name in the protocol, after any calls that must precede it.
pub(crate) async fn make(stage: &Stage, cx: &CallContext, call: &str) -> Reply {
    let plugin = stage.plugin().await;
    match call {
        "GetSchema" | "CheckConfig" | "DiffConfig" | "Configure" | "Cancel" => {
            of_plugin(plugin.as_ref(), cx, call).await
        }
        _ => of_provider(configure(plugin.as_ref()).await.unwrap().as_ref(), cx, call).await,
    }
}

async fn of_plugin(plugin: &dyn Plugin, cx: &CallContext, call: &str) -> Reply {
    let urn = Urn::new("dev", "shop", None, "pulumi:providers:chaos", "default");
    match call {
        "GetSchema" => Reply::of(plugin.schema(cx, None).await.map(|text| text.len())),
        "CheckConfig" => {
            let request = CheckConfig { urn, olds: PropertyMap::new(), news: properties("a") };
            Reply::of(plugin.check_config(cx, request).await)
        }
        "DiffConfig" => {
            let request = DiffConfig {
                urn,
                id: "8a1c".to_owned(),
                old_inputs: properties("a"),
                old_outputs: properties("a"),
                news: properties("b"),
                ignore_changes: vec![],
            };
            Reply::of(plugin.diff_config(cx, request).await)
        }
        "Cancel" => Reply::of(plugin.cancel(cx).await),
        _ => {
            let request = outrigger_provider::Configure { urn, id: "8a1c".to_owned(), inputs: PropertyMap::new() };
            Reply::of(plugin.configure(cx, request).await.map(drop))
        }
    }
}

/// Makes a call to a configured plugin.
pub(crate) async fn of_provider(provider: &dyn Provider, cx: &CallContext, call: &str) -> Reply {
    let applied = |outcome: Outcome| match outcome {
        Outcome::Done(state) => Reply::Fine(format!("{state:?}")),
        Outcome::Partial { state, reasons } => Reply::Fine(format!("{reasons:?} {state:?}")),
        Outcome::NotDone(error) => Reply::Failed(error),
        Outcome::Unknown { error, last } => Reply::Doubtful(error, last),
        outcome => panic!("{call}: {outcome:?}"),
    };
    match call {
        "Check" => Reply::of(provider.check(cx, check()).await),
        "Diff" => {
            let request = PlanRequest {
                resource: identity(),
                prior: Some(prior()),
                inputs: Some(properties("b")),
                ignore_changes: vec![],
                predict: false,
                timeout: None,
            };
            Reply::of(provider.plan(cx, request).await)
        }
        "Create" => applied(provider.apply(cx, order(Action::Create)).await),
        "Update" => applied(provider.apply(cx, order(Action::Update)).await),
        "Delete" => applied(provider.apply(cx, order(Action::Delete)).await),
        "Read" => {
            let request = ReadRequest { resource: identity(), state: prior(), timeout: None };
            Reply::of(provider.read(cx, request).await)
        }
        "Invoke" => {
            let (token, arguments) = ("chaos:index:echo".to_owned(), properties("a"));
            Reply::of(provider.invoke(cx, Invoke { token, arguments, preview: false }).await)
        }
        "Call" => {
            let request = CallRequest {
                token: "chaos:index:Group/ask".to_owned(),
                arguments: properties("a"),
                argument_dependencies: Default::default(),
            };
            Reply::of(provider.call(cx, request, &Nobody::new()).await)
        }
        "Construct" => {
            let goal = Goal {
                ty: "chaos:index:Group".to_owned(),
                name: "it".to_owned(),
                remote: true,
                parent: Some(Urn::new("dev", "shop", None, "pulumi:pulumi:Stack", "shop-dev")),
                inputs: properties("a"),
                ..Goal::default()
            };
            Reply::of(provider.construct(cx, goal, &Nobody::new()).await)
        }
        call => panic!("there is no call {call}"),
    }
}
