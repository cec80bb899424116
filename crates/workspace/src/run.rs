//! Runs of the engine on one stack: a preview, which changes nothing, and an update, which holds the lock and writes the state.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, Event, EventSink, Options, OtherStacks, Pattern, Random, RunResult, Services};
use outrigger_provider::{Plugins, Program};
use outrigger_secrets::Crypter;
use outrigger_state::{
    Backend, Clock, Journal, LocalMachine, Mode, NoJournal, Opened, Record, SecretsProviderState, Session,
    SessionOptions, Snapshot, StackName, UpdateKind, Viewed,
};
use outrigger_value::{PropertyMap, Urn};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::Error;
use crate::history::Entry;
use crate::recorder::Recorder;
use crate::redaction::Redaction;
use crate::services::{Inputs, Relay};

/// Returns the crypter for a state's secrets provider, from any thread.
pub type OwnedKeys = Arc<dyn Fn(&SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> + Send + Sync>;

/// The kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Bring the stack to the program.
    Up,
    /// Update the state to match the resources as they are.
    Refresh,
    /// Delete everything.
    Destroy,
}

impl Work {
    /// The name of the phase that changes things.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "update",
            Self::Refresh => "refresh",
            Self::Destroy => "destroy",
        }
    }

    pub(crate) fn kind(self) -> UpdateKind {
        match self {
            Self::Up => UpdateKind::Update,
            Self::Refresh => UpdateKind::Refresh,
            Self::Destroy => UpdateKind::Destroy,
        }
    }
}

/// Whether a run changed things or only previewed the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// It would.
    Planned,
    /// It did.
    Done,
}

/// Everything that the runs of one command on one stack share. A caller without a project on disk fills it in by hand.
pub struct Runner {
    /// The kind of operation.
    pub work: Work,
    /// Where the state is.
    pub backend: Backend,
    /// The stack.
    pub stack: StackName,
    /// This machine, for the lock.
    pub machine: LocalMachine,
    /// The clock of the state.
    pub clock: Arc<dyn Clock>,
    /// Whether a separate thread writes the state.
    pub mode: Mode,
    /// The keys of the state.
    pub keys: OwnedKeys,
    /// How new secrets are encrypted; `None` keeps the provider in the state.
    pub secrets_provider: Option<SecretsProviderState>,
    /// The program; [`Work::Up`] without one destroys.
    pub program: Option<Box<dyn Program>>,
    /// The program's directory, where relative paths of assets start.
    pub directory: PathBuf,
    /// The options for the engine. The runner sets whether it is a preview.
    pub options: Options,
    /// The plugins.
    pub plugins: Arc<dyn Plugins>,
    /// Passes the plugins' log messages on to the current run.
    pub relay: Arc<Relay>,
    /// Whether an update may delete every resource of the stack. Set once the user agrees to it.
    pub may_delete_all: AtomicBool,
    /// Randomness. One source for the preview and the update after it, so that both plan the same ids for new providers.
    pub random: Arc<dyn Random>,
    /// Other stacks.
    pub stacks: Arc<dyn OtherStacks>,
    /// Learns the secrets that the runs meet.
    pub redaction: Arc<Redaction>,
    /// For the history.
    pub entry: Entry,
    /// Nothing new starts once it is cancelled.
    pub stop: CancellationToken,
    /// Calls under way are given up once it is cancelled.
    pub abort: CancellationToken,
}

impl Runner {
    /// Previews the operation. Takes no lock and writes nothing. `begin` gets the stack's outputs before the run, and returns the sink for its
    /// events.
    pub async fn preview(&self, begin: impl FnOnce(PropertyMap) -> Arc<dyn EventSink>) -> Result<RunResult, Error> {
        let (backend, stack, keys) = (self.backend.clone(), self.stack.clone(), self.keys.clone());
        // Reading the state, and deriving a key for it, go on while plugins start.
        let viewed = blocking(move || Session::view(&backend, &stack, &*keys));
        let Viewed { base, findings } = viewed.await?;
        self.admit(&base)?;
        // An update folds the journal of an interrupted run into the state, and gives the state the key of the stack's file.
        let unsettled = !findings.is_empty() || self.changes_key(&base);
        let recorder = self.begin(&base, findings, begin);
        let mut result = self.run(Arc::new(NoJournal), base, &recorder, true).await;
        result.changed |= unsettled;
        Ok(result)
    }

    /// Whether an update encrypts the secrets of the state with another key.
    fn changes_key(&self, base: &Snapshot) -> bool {
        let old = base.secrets_provider.as_ref().filter(|old| !old.kind.is_empty());
        self.secrets_provider.as_ref().zip(old).is_some_and(|(new, old)| new != old)
    }

    /// Locks the stack, runs, writes the state and the history. `begin` is as for a preview.
    pub async fn update(&self, begin: impl FnOnce(PropertyMap) -> Arc<dyn EventSink>) -> Result<RunResult, Error> {
        let (backend, stack, keys) = (self.backend.clone(), self.stack.clone(), self.keys.clone());
        let (machine, clock, mode) = (self.machine.clone(), self.clock.clone(), self.mode);
        let secrets_provider = self.secrets_provider.clone();
        let opened = blocking(move || {
            let options = SessionOptions { machine: &machine, clock, keys: &*keys, secrets_provider, mode };
            Session::open(&backend, &stack, options)
        });
        let Opened { session, base, findings } = opened.await?;
        let session = Arc::new(session);
        if let Err(refusal) = self.admit(&base) {
            session.release()?;
            return Err(refusal);
        }
        let started = self.clock.now();
        let recorder = self.begin(&base, findings, begin);
        let journal = Sealed {
            session: session.clone(),
            keys: self.keys.clone(),
            provider: self.secrets_provider.clone(),
            checked: OnceCell::new(),
        };
        let mut result = self.run(Arc::new(journal), base, &recorder, false).await;
        let info = self.entry.ended(self.work, &result, started, self.clock.now());
        if let Err(diagnostic) = blocking(move || session.finish(info)).await {
            recorder.report(diagnostic);
            result.ending = Ending::Failed;
        }
        Ok(result)
    }

    /// Fails if the passphrase does not fit the stack. Called before the user is asked to confirm.
    pub async fn check_key(&self) -> Result<(), Error> {
        Ok(check_key(&self.keys, self.secrets_provider.as_ref()).await?)
    }

    /// Whether this build may touch the state, and whether the targets are there.
    fn admit(&self, base: &Snapshot) -> Result<(), Error> {
        let obstacles = base.obstacles();
        if !obstacles.is_empty() {
            return Err(obstacles.into());
        }
        if self.work == Work::Up {
            // A target may be created by this run; see `run`.
            return Ok(());
        }
        let known: BTreeSet<&Urn> = base.resources.iter().map(|resource| &resource.urn).collect();
        let unknown: Vec<_> =
            self.options.targets.names().filter(|urn| !known.contains(urn)).map(unknown_target).collect();
        if unknown.is_empty() { Ok(()) } else { Err(unknown.into()) }
    }

    fn begin(
        &self,
        base: &Snapshot,
        findings: Vec<Diagnostic>,
        begin: impl FnOnce(PropertyMap) -> Arc<dyn EventSink>,
    ) -> Arc<Recorder> {
        let recorder = Arc::new(Recorder::new(begin(stack_outputs(base)), self.redaction.clone(), self.work));
        self.relay.follow(recorder.clone());
        for finding in findings {
            recorder.report(finding);
        }
        recorder
    }

    async fn run(
        &self,
        journal: Arc<dyn Journal>,
        base: Snapshot,
        recorder: &Arc<Recorder>,
        preview: bool,
    ) -> RunResult {
        let keep_last = !self.may_delete_all.load(Ordering::Relaxed);
        let options = Options { preview, keep_last, ..self.options.clone() };
        let services = Services {
            plugins: self.plugins.clone(),
            journal,
            clock: self.clock.clone(),
            random: self.random.clone(),
            stacks: self.stacks.clone(),
            inputs: Arc::new(Inputs { directory: self.directory.clone(), redaction: self.redaction.clone() }),
            events: recorder.clone(),
            stop: self.stop.clone(),
            abort: self.abort.clone(),
        };
        let mut result = match (self.work, &self.program) {
            (Work::Refresh, _) => outrigger_engine::refresh(options, services, base).await,
            (Work::Up, Some(program)) => outrigger_engine::up(options, services, base, &**program).await,
            (Work::Up | Work::Destroy, _) => outrigger_engine::destroy(options, services, base).await,
        };
        result.summary = recorder.summary();
        if self.stop.is_cancelled() {
            // A program that could not continue counts as failed, but it was the user who stopped it.
            result.ending = Ending::Cancelled;
        }
        for warning in self.plugins.warnings() {
            recorder.report(warning);
        }
        let targets = &self.options.targets;
        for pattern in targets.patterns().iter().filter(|pattern| !recorder.has_met_like(pattern)) {
            let diagnostic = unmatched_target(pattern);
            if diagnostic.is_error() && result.ending == Ending::Succeeded {
                result.ending = Ending::Failed;
            }
            recorder.report(diagnostic);
        }
        // Whether the program has a resource of that name is known only when it has run.
        if self.work == Work::Up && result.ending == Ending::Succeeded {
            for urn in targets.names().filter(|urn| !recorder.has_met(urn)) {
                recorder.emit(Event::Diagnostic { urn: Some(urn.clone()), diagnostic: Box::new(unknown_target(urn)) });
                result.ending = Ending::Failed;
            }
        }
        result
    }
}

/// The outputs of a stack, as its state has them.
fn stack_outputs(base: &Snapshot) -> PropertyMap {
    let root = base.resources.iter().find(|resource| resource.urn.is_stack() && !resource.delete);
    root.map(|root| root.outputs.clone()).unwrap_or_default()
}

/// Fails if the passphrase does not fit the stack.
async fn check_key(keys: &OwnedKeys, provider: Option<&SecretsProviderState>) -> Result<(), Diagnostic> {
    let (Some(provider), keys) = (provider.cloned(), Arc::clone(keys)) else { return Ok(()) };
    blocking(move || keys(&provider)?.encrypt("").map(drop)).await
}

/// A journal that checks the key before the first operation: a result may hold a secret, which could not be stored with a wrong passphrase.
struct Sealed {
    session: Arc<Session>,
    keys: OwnedKeys,
    provider: Option<SecretsProviderState>,
    checked: OnceCell<Result<(), Diagnostic>>,
}

#[async_trait]
impl Journal for Sealed {
    async fn append(&self, record: Record) -> Result<(), Diagnostic> {
        if !record.begin.is_empty() {
            self.checked.get_or_init(|| check_key(&self.keys, self.provider.as_ref())).await.clone()?;
        }
        self.session.append(record).await
    }
}

/// Does blocking work on a thread for such work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Diagnostic> + Send + 'static,
) -> Result<T, Diagnostic> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.unwrap_or_else(|error| {
        Err(Diagnostic::error("internal", "a part of the command ended unexpectedly")
            .detail(error.to_string())
            .hint("The results are in the journal; run the command again. Please report this."))
    })
}

/// A pattern may match nothing; a name is expected to name a resource.
fn unmatched_target(pattern: &Pattern) -> Diagnostic {
    let text = pattern.as_str();
    let diagnostic = match text.strip_prefix("**::").filter(|name| !name.contains('*')) {
        Some(name) => Diagnostic::error("target-unknown", format!("there is no resource `{name}`"))
            .detail("`--target` names it, but it is neither in the state nor in the program."),
        None => Diagnostic::warning("target-unmatched", format!("no resource matches `{text}`"))
            .detail("A pattern of `--target` matches whole URNs; `*` stops at a colon, `**` does not."),
    };
    diagnostic.hint("`outrigger state list` lists all URNs.")
}

fn unknown_target(urn: &Urn) -> Diagnostic {
    Diagnostic::error("target-unknown", format!("there is no resource {urn}"))
        .detail("`--target` names it, but it is neither in the state nor in the program.")
        .hint("`outrigger state list` lists all URNs.")
}
