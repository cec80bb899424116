//! A provider whose configuration is not known yet, in a preview.

use async_trait::async_trait;
use outrigger_value::PropertyMap;

use crate::{
    ApplyRequest, CallContext, CallError, CallRequest, CallResponse, ConstructResponse, Diff, ErrorKind, Goal,
    ImportRequest, Imported, Invoke, Invoked, LogLevel, Monitor, Outcome, PlanRequest, Planned, Provider, ReadRequest,
    ReadResult, State, Verdict,
};

const UNCONFIGURED: &str = "The configuration of this resource's provider is not known yet, so this preview may not show \
                            all changes that the update will make.";

const NOT_KNOWN: &str = "the provider's configuration is not known yet";

/// Stands in for the provider: no plugin is called before all of its configuration is known, because one that fills the gaps
/// with its own defaults would answer for another account or region. Gives the same answers as Pulumi's engine in this case.
pub struct Unconfigured {
    label: String,
}

impl Unconfigured {
    /// A provider of the plugin with this label.
    pub fn new(label: String) -> Self {
        Self { label }
    }

    fn refused(&self, call: &str, what: &str) -> CallError {
        CallError::new(self.label.clone(), call, ErrorKind::NotDone, format!("{NOT_KNOWN}, so {what}"))
    }
}

#[async_trait]
impl Provider for Unconfigured {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn unconfigured(&self) -> bool {
        true
    }

    /// An existing resource will change, in an unknown way.
    async fn plan(&self, cx: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        let (verdict, diff) = match (request.prior, request.inputs) {
            (_, None) => (Verdict::Delete, Diff::default()),
            (None, Some(_)) => (Verdict::Create, Diff::default()),
            (Some(_), Some(_)) => {
                cx.log.log(LogLevel::Warning, Some(&request.resource.urn), UNCONFIGURED, false);
                (Verdict::Update, Diff { changed: Some(true), ..Diff::default() })
            }
        };
        let predicted = (request.predict && verdict != Verdict::Delete).then(PropertyMap::new);
        Ok(Planned { verdict, diff, predicted })
    }

    async fn apply(&self, _: &CallContext, _: ApplyRequest) -> Outcome {
        Outcome::NotDone(self.refused("Configure", "nothing can be changed"))
    }

    /// An existing resource stays as it is, with unknown outputs.
    async fn read(&self, _: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        let state = State { outputs: PropertyMap::new(), ..request.state };
        Ok(ReadResult::Found { state, inputs_known: false, unchanged: false })
    }

    async fn import(&self, _: &CallContext, _: ImportRequest) -> Result<Imported, CallError> {
        Err(self.refused("Read", "nothing can be imported"))
    }

    async fn invoke(&self, _: &CallContext, _: Invoke) -> Result<Invoked, CallError> {
        Ok(Invoked::default())
    }

    async fn construct(&self, _: &CallContext, _: Goal, _: &dyn Monitor) -> Result<ConstructResponse, CallError> {
        Err(self.refused("Construct", "the component cannot be created"))
    }

    async fn call(&self, _: &CallContext, _: CallRequest, _: &dyn Monitor) -> Result<CallResponse, CallError> {
        Ok(CallResponse::default())
    }
}
