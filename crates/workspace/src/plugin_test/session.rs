//! The plugin under test, and every call to it: with a deadline, and in a new process after a crash.

use std::sync::Arc;
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckConfig, CheckFailure, CheckRequest, Configure, ErrorKind,
    ImportRequest, Outcome, PlanRequest, Planned, Plugin, Provider, ReadRequest, ReadResult, ResourceIdentity, State,
};
use outrigger_pulumi::{hash_assets, lacks_hashes};
use outrigger_schema::{Package, Property};
use outrigger_value::{PropertyMap, Urn, Value};
use tokio::time::timeout;

use super::life::is_refusal;
use super::{Options, Reason, Source, Started, Verdict, schema};

/// How long the answer to Cancel may take.
const CANCEL: Duration = Duration::from_secs(5);

/// The stack and the project of every resource of a test.
const PROJECT: &str = "plugin-test";

/// Why there is no answer to work with.
#[derive(Clone, Debug)]
pub(super) enum Missing {
    /// The call failed.
    Call(CallError),
    /// Check refused the inputs.
    Refused(Vec<CheckFailure>),
    /// The life ended before this step.
    Unreached,
}

/// The answer to one call of a life.
pub(super) type Step<T> = Result<T, Missing>;

/// The plugin under test.
pub(super) struct Session<'a> {
    source: &'a dyn Source,
    options: &'a Options,
    /// `None` after a crash, until the next call.
    started: Option<Box<dyn Started>>,
    provider: Option<Arc<dyn Provider>>,
    configuration: PropertyMap,
    package: String,
}

impl<'a> Session<'a> {
    pub(super) async fn start(source: &'a dyn Source, options: &'a Options) -> Result<Self, Diagnostic> {
        let started = Some(source.start().await?);
        let package = source.name().to_owned();
        Ok(Self { source, options, started, provider: None, configuration: PropertyMap::new(), package })
    }

    pub(super) fn options(&self) -> &'a Options {
        self.options
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.options.stop.is_cancelled()
    }

    /// The plugin's label, and the schema with the verdict about it.
    pub(super) async fn schema(&mut self) -> (String, Result<(Package, Verdict), Verdict>) {
        const HINT: &str = "Return the package's schema from GetSchema.";
        let asked = async {
            let plugin = self.plugin().await?;
            let package = self.started.as_ref().and_then(|started| started.package().cloned());
            let (cx, label) = (self.context(), plugin.label());
            let info = self.limited("GetPluginInfo", plugin.info(&cx)).await?;
            let bytes = self.limited("GetSchema", plugin.schema(&cx, package.as_ref())).await?;
            let (name, version) = package
                .map_or((self.source.name().to_owned(), info.version), |package| (package.name, package.version));
            Ok::<_, CallError>((label, bytes, name, version))
        };
        let (label, bytes, name, version) = match asked.await {
            Ok(asked) => asked,
            Err(error) => {
                self.lose(&error).await;
                let reason = Reason::new("GetSchema", self.told(&error), HINT);
                return (self.source.name().to_owned(), Err(Verdict::Failed(reason)));
            }
        };
        let checked = schema::check(bytes, &name, &version);
        (label, checked.map_err(|reason| Verdict::Failed(Reason::new("GetSchema", reason, HINT))))
    }

    /// Configures the plugin with the given configuration.
    pub(super) async fn configure(&mut self, package: &Package) -> Verdict {
        self.package = package.name().to_owned();
        self.configuration = self.options.config.clone();
        let token = format!("pulumi:providers:{}", self.package);
        if let Ok(Some(provider)) = package.resource(&token) {
            secret(&mut self.configuration, &provider.inputs);
        }
        if let Ok(config) = package.config() {
            secret(&mut self.configuration, &config);
        }
        self.options.redaction.learn_properties(&self.configuration);
        if !package.version().is_empty() {
            self.configuration.insert("version".to_owned(), package.version().into());
        }
        let error = match self.provider().await {
            Ok(_) => return Verdict::Passed,
            Err(error) => error,
        };
        self.lose(&error).await;
        let mut answer = self.told(&error);
        error.missing_keys.iter().for_each(|(key, about)| answer.push_str(&format!("\n`{key}` is missing: {about}")));
        let called = if error.call == "CheckConfig" { "CheckConfig" } else { "Configure" };
        if self.options.config.is_empty() && is_refusal(&error) {
            let hint = "Pass the configuration with `--config KEY=VALUE`; without it no resource can be tested.";
            return Verdict::Skipped(Reason::new(called, answer, hint));
        }
        Verdict::Failed(Reason::new(called, answer, "Correct the values of `--config`, or the plugin."))
    }

    /// Cancels running calls, and ends the plugin.
    pub(super) async fn end(mut self) -> Verdict {
        let failed = |answer: String, hint| Verdict::Failed(Reason::new("Cancel", answer, hint));
        let plugin = match self.plugin().await {
            Ok(plugin) => plugin,
            Err(error) => return failed(self.told(&error), "Let the plugin start again after it has ended."),
        };
        let cx = CallContext::background().within(CANCEL);
        let cancelled = match timeout(CANCEL, plugin.cancel(&cx)).await {
            Ok(Err(error)) if error.kind != ErrorKind::Unsupported => Err(self.told(&error)),
            Ok(_) => Ok(()),
            Err(_) => Err(format!("There was no answer within {} s.", CANCEL.as_secs())),
        };
        drop((plugin, self.provider.take()));
        let complaints = match self.started.take() {
            Some(started) => started.end().await,
            None => Vec::new(),
        };
        match cancelled {
            Err(answer) => failed(answer, "Answer Cancel at once, and then end the calls that are under way."),
            Ok(()) if complaints.is_empty() => Verdict::Passed,
            Ok(()) => {
                failed(complaints.join("\n"), "Exit on SIGINT, and end every process that the plugin has started.")
            }
        }
    }

    pub(super) async fn check(
        &mut self,
        urn: &Urn,
        olds: Option<&PropertyMap>,
        mut news: PropertyMap,
        preview: bool,
    ) -> Step<PropertyMap> {
        if lacks_hashes(&news) {
            let hashed = hash_assets(&mut news, std::path::Path::new("."));
            hashed.map_err(|error| vec![CheckFailure::new("", error.to_string())]).map_err(Missing::Refused)?;
        }
        let (resource, olds) = (ResourceIdentity::new(urn.clone()), olds.cloned());
        let request = CheckRequest { resource, olds, news, random_seed: [7; 32], preview, autonaming: None };
        let checked = self.call("Check", |provider, cx| async move { provider.check(&cx, request).await }).await?;
        if checked.failures.is_empty() { Ok(checked.inputs) } else { Err(Missing::Refused(checked.failures)) }
    }

    pub(super) async fn plan(
        &mut self,
        urn: &Urn,
        prior: Option<&State>,
        inputs: &PropertyMap,
        predict: bool,
    ) -> Step<Planned> {
        let request = PlanRequest {
            resource: ResourceIdentity::new(urn.clone()),
            prior: prior.cloned(),
            inputs: Some(inputs.clone()),
            ignore_changes: Vec::new(),
            predict,
            timeout: None,
        };
        let name = if prior.is_some() { "Diff" } else { "Create" };
        self.call(name, |provider, cx| async move { provider.plan(&cx, request).await }).await
    }

    pub(super) async fn read(&mut self, urn: &Urn, state: &State) -> Step<ReadResult> {
        let request = ReadRequest { resource: ResourceIdentity::new(urn.clone()), state: state.clone(), timeout: None };
        self.call("Read", |provider, cx| async move { provider.read(&cx, request).await }).await
    }

    pub(super) async fn import(&mut self, urn: &Urn, id: &str) -> Step<Option<State>> {
        let (resource, id) = (ResourceIdentity::new(urn.clone()), id.to_owned());
        let request = ImportRequest { resource, id, timeout: None };
        let imported = self.call("Read", |provider, cx| async move { provider.import(&cx, request).await }).await?;
        Ok(imported.resources.into_iter().next().map(|(_, state)| state))
    }

    /// Creates, updates or deletes. Also after a failure there may be a state: the one that the plugin reports.
    pub(super) async fn apply(
        &mut self,
        urn: &Urn,
        action: Action,
        prior: Option<&State>,
        inputs: &PropertyMap,
    ) -> (Option<State>, Step<()>) {
        let request = ApplyRequest {
            resource: ResourceIdentity::new(urn.clone()),
            action,
            prior: prior.cloned(),
            inputs: inputs.clone(),
            ignore_changes: Vec::new(),
            timeout: None,
        };
        let name = match action {
            Action::Create => "Create",
            Action::Update => "Update",
            Action::Delete => "Delete",
        };
        let label = self.source.name().to_owned();
        let answered = self
            .call(name, |provider, cx| async move {
                match provider.apply(&cx, request).await {
                    Outcome::Done(state) => Ok((Some(state), None)),
                    Outcome::Partial { state, reasons } => {
                        let message = format!("it exists, but is not ready: {}", reasons.join("\n"));
                        Ok((Some(state), Some(CallError::new(label, name, ErrorKind::NotDone, message))))
                    }
                    Outcome::Pending(_) => Err(CallError::unsupported(name)),
                    Outcome::NotDone(error) => Err(error),
                    Outcome::Unknown { error, last: None } => Err(error),
                    Outcome::Unknown { error, last } => Ok((last, Some(error))),
                }
            })
            .await;
        match answered {
            Ok((state, None)) => (state, Ok(())),
            Ok((state, Some(error))) => (state, Err(self.missing(error).await)),
            Err(missing) => (prior.cloned(), Err(missing)),
        }
    }

    /// Makes a call, in a new process if the last one is gone. A process that does not answer is ended.
    async fn call<T, F: Future<Output = Result<T, CallError>>>(
        &mut self,
        name: &'static str,
        make: impl FnOnce(Arc<dyn Provider>, CallContext) -> F,
    ) -> Step<T> {
        let answer = match self.provider().await {
            Ok(provider) => self.limited(name, make(provider, self.context())).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.missing(error).await),
        }
    }

    async fn missing(&mut self, mut error: CallError) -> Missing {
        self.lose(&error).await;
        error.message = self.told(&error);
        Missing::Call(error)
    }

    async fn limited<T>(
        &self,
        name: &'static str,
        answer: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let failed = |kind, message: String| Err(CallError::new(self.source.name(), name, kind, message));
        let deadline = self.options.deadline;
        tokio::select! {
            // The plugin's own end of the connection keeps the deadline, too, and has a better error.
            answer = timeout(deadline + Duration::from_secs(1), answer) => answer.unwrap_or_else(|_| {
                failed(ErrorKind::TimedOut, format!("there was no answer within {} s", deadline.as_secs()))
            }),
            () = self.options.abort.cancelled() => {
                failed(ErrorKind::Cancelled, "the call was cancelled: the test was interrupted twice".to_owned())
            }
        }
    }

    fn context(&self) -> CallContext {
        CallContext {
            cancel: self.options.abort.clone(),
            deadline: Some(self.options.deadline),
            log: Arc::clone(&self.options.output) as _,
        }
    }

    async fn plugin(&mut self) -> Result<Arc<dyn Plugin>, CallError> {
        if self.started.as_ref().is_some_and(|started| started.plugin().has_ended()) {
            self.give_up().await;
        }
        let started = match self.started.take() {
            Some(started) => started,
            None => self.source.start().await.map_err(|diagnostic| {
                CallError::new(self.source.name(), "start", ErrorKind::Crashed, diagnostic.to_string())
            })?,
        };
        Ok(Arc::clone(self.started.insert(started).plugin()))
    }

    async fn provider(&mut self) -> Result<Arc<dyn Provider>, CallError> {
        let plugin = self.plugin().await?;
        if let Some(provider) = &self.provider {
            return Ok(Arc::clone(provider));
        }
        let (cx, urn) = (self.context(), self.urn(&format!("pulumi:providers:{}", self.package), "default"));
        let request = CheckConfig { urn: urn.clone(), olds: PropertyMap::new(), news: self.configuration.clone() };
        let inputs = match self.limited("CheckConfig", plugin.check_config(&cx, request)).await {
            Ok(checked) if checked.failures.is_empty() => checked.inputs,
            Ok(checked) => {
                let reasons = refusals(&checked.failures);
                return Err(CallError::new(self.source.name(), "CheckConfig", ErrorKind::NotDone, reasons));
            }
            Err(error) if error.kind == ErrorKind::Unsupported => self.configuration.clone(),
            Err(error) => return Err(error),
        };
        let request = Configure { urn, id: self.options.suffix.clone(), inputs };
        let provider = self.limited("Configure", plugin.configure(&cx, request)).await?;
        Ok(Arc::clone(self.provider.insert(provider)))
    }

    /// The name of a resource of this test.
    pub(super) fn urn(&self, ty: &str, name: &str) -> Urn {
        Urn::new(PROJECT, PROJECT, None, ty, name)
    }

    /// After these errors the process cannot be relied on.
    async fn lose(&mut self, error: &CallError) {
        if matches!(error.kind, ErrorKind::Crashed | ErrorKind::TimedOut) {
            self.give_up().await;
        }
    }

    async fn give_up(&mut self) {
        self.provider = None;
        if let Some(started) = self.started.take() {
            // It has failed a check already.
            drop(started.end().await);
        }
    }

    /// The answer with the end of the plugin's stderr.
    fn told(&self, error: &CallError) -> String {
        let silent = matches!(error.kind, ErrorKind::Crashed | ErrorKind::TimedOut) && error.last_words.is_empty();
        let words = if silent { self.options.output.end() } else { error.last_words.clone() };
        if words.is_empty() || error.message.contains("stderr:\n") {
            return error.message.clone();
        }
        format!("{}\nThe end of the plugin's stderr:\n{}", error.message, words.join("\n"))
    }
}

/// Marks values as secret that are secret in the schema.
pub(super) fn secret(values: &mut PropertyMap, properties: &std::collections::BTreeMap<String, Property>) {
    for (name, value) in values.iter_mut() {
        if properties.get(name).is_some_and(|property| property.secret) {
            let plain = std::mem::replace(value, Value::Null);
            *value = Value::secret(plain);
        }
    }
}

/// The refused properties, one a line.
pub(super) fn refusals(failures: &[CheckFailure]) -> String {
    let line = |failure: &CheckFailure| match failure.path() {
        Some(path) if !path.0.is_empty() => format!("`{path}` was rejected: {}", failure.reason),
        _ => failure.reason.clone(),
    };
    failures.iter().map(line).collect::<Vec<_>>().join("\n")
}
