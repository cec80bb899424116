//! The `pulumi` package, which needs no plugin: stack references and stashes.

use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckConfig, CheckFailure, CheckRequest, Checked, CheckedConfig,
    Configure, Diff, DiffConfig, ErrorKind, Invoke, Invoked, Outcome, PlanRequest, Planned, Plugin, PluginInfo,
    Provider, ReadRequest, ReadResult, State, Verdict,
};
use outrigger_value::{PropertyMap, Value};

use crate::Services;

/// The package's name.
pub(crate) const PACKAGE: &str = "pulumi";
const STACK_REFERENCE: &str = "pulumi:pulumi:StackReference";
const STASH: &str = "pulumi:index:Stash";

pub(crate) struct Builtin(Services);

impl Builtin {
    pub(crate) fn new(services: Services) -> Arc<Self> {
        Arc::new(Self(services))
    }

    fn refuse(call: &str, message: impl Into<String>) -> CallError {
        CallError::new(PACKAGE, call, ErrorKind::NotDone, message)
    }

    /// The outputs of a stack, with the names of the secret ones.
    async fn stack_outputs(&self, arguments: &PropertyMap) -> Result<PropertyMap, CallError> {
        let name = match arguments.get("name").map(Value::bare) {
            Some(Value::String(name)) => name.clone(),
            _ => return Err(Self::refuse("StackReference", "property `name` must be a string")),
        };
        let outputs = self
            .0
            .stacks
            .outputs(&name)
            .await
            .map_err(|diagnostic| Self::refuse("StackReference", diagnostic.to_string()))?;
        let secret =
            outputs.iter().filter(|(_, value)| value.contains_secret()).map(|(key, _)| key.as_str().into()).collect();
        Ok(PropertyMap::from([
            ("name".to_owned(), name.into()),
            ("outputs".to_owned(), Value::Map(outputs)),
            ("secretOutputNames".to_owned(), Value::List(secret)),
        ]))
    }
}

#[async_trait]
impl Plugin for Builtin {
    fn label(&self) -> String {
        PACKAGE.to_owned()
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo::default())
    }

    async fn check_config(&self, _: &CallContext, _: CheckConfig) -> Result<CheckedConfig, CallError> {
        Ok(CheckedConfig::default())
    }

    async fn diff_config(&self, _: &CallContext, _: DiffConfig) -> Result<Diff, CallError> {
        Ok(Diff { changed: Some(false), ..Diff::default() })
    }

    async fn configure(&self, _: &CallContext, _: Configure) -> Result<Arc<dyn Provider>, CallError> {
        Ok(Self::new(self.0.clone()))
    }
}

#[async_trait]
impl Provider for Builtin {
    fn label(&self) -> String {
        PACKAGE.to_owned()
    }

    async fn check(&self, _: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        let wanted = match request.resource.ty() {
            STACK_REFERENCE => "name",
            STASH => "input",
            other => {
                return Err(Self::refuse(
                    "Check",
                    format!("there is no resource type `{other}` in the package `pulumi`"),
                ));
            }
        };
        let fail = |property: &str, reason: String| CheckFailure::new(property, reason);
        let mut failures: Vec<_> = request
            .news
            .keys()
            .filter(|key| *key != wanted)
            .map(|key| fail(key, format!("unknown property `{key}`")))
            .collect();
        if !request.news.contains_key(wanted) {
            failures.push(fail(wanted, format!("property `{wanted}` is missing")));
        }
        Ok(Checked { inputs: request.news, failures })
    }

    async fn plan(&self, _: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        let planned = |verdict, diff, predicted| Planned { verdict, diff, predicted };
        let Some(inputs) = request.inputs else { return Ok(planned(Verdict::Delete, Diff::default(), None)) };
        let stash = request.resource.ty() == STASH;
        let Some(prior) = request.prior else {
            let predicted = if !request.predict {
                None
            } else if stash {
                Some(stash_outputs(&inputs, inputs.get("input")))
            } else {
                Some(self.stack_outputs(&inputs).await?)
            };
            return Ok(planned(Verdict::Create, Diff::default(), predicted));
        };
        let key = if stash { "input" } else { "name" };
        if prior.inputs.get(key) == inputs.get(key) {
            return Ok(planned(Verdict::Same, Diff { changed: Some(false), ..Diff::default() }, None));
        }
        let diff = Diff {
            changed: Some(true),
            changed_keys: vec![key.to_owned()],
            replace_keys: if stash { Vec::new() } else { vec![key.to_owned()] },
            ..Diff::default()
        };
        let predicted = Some(stash_outputs(&inputs, prior.outputs.get("output"))).filter(|_| stash);
        Ok(planned(if stash { Verdict::Update } else { Verdict::Replace }, diff, predicted))
    }

    async fn apply(&self, _: &CallContext, request: ApplyRequest) -> Outcome {
        let ApplyRequest { resource, action, prior, inputs, .. } = request;
        let stash = resource.ty() == STASH;
        let outputs = match (action, &prior) {
            (Action::Delete, _) => return Outcome::Done(State::default()),
            (Action::Create, _) if stash => stash_outputs(&inputs, inputs.get("input")),
            (Action::Update, Some(prior)) if stash => stash_outputs(&inputs, prior.outputs.get("output")),
            _ => match self.stack_outputs(&inputs).await {
                Ok(outputs) => outputs,
                Err(error) => return Outcome::NotDone(error),
            },
        };
        let id = prior.map_or_else(|| self.0.random.uuid(), |prior| prior.id);
        Outcome::Done(State { id, inputs, outputs, ..State::default() })
    }

    async fn read(&self, _: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        let mut state = request.state;
        if request.resource.ty() == STACK_REFERENCE {
            state.outputs = self.stack_outputs(&state.inputs).await?;
        }
        Ok(ReadResult::Found { state, inputs_known: true, unchanged: false })
    }

    async fn invoke(&self, _: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        match request.token.as_str() {
            "pulumi:pulumi:readStackOutputs" => {
                Ok(Invoked { result: self.stack_outputs(&request.arguments).await?, failures: Vec::new() })
            }
            other => Err(Self::refuse("Invoke", format!("there is no function `{other}` in the package `pulumi`"))),
        }
    }
}

/// A stash keeps the first input that it received as its output.
fn stash_outputs(inputs: &PropertyMap, output: Option<&Value>) -> PropertyMap {
    PropertyMap::from([
        ("input".to_owned(), inputs.get("input").cloned().unwrap_or(Value::Null)),
        ("output".to_owned(), output.cloned().unwrap_or(Value::Null)),
    ])
}
