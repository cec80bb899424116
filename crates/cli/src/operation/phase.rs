//! The two phases of a run: the preview, which only looks, and the one that changes things.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, Event, EventSink, Options, Pattern, RunResult, Services};
use outrigger_state::{Journal, Mode, NoJournal, Opened, Record, Session, SessionOptions, Snapshot, Viewed};
use outrigger_value::Urn;
use tokio::sync::OnceCell;

use super::chronicle::chronicle;
use super::surroundings::Surroundings;
use super::{Request, Work};
use crate::encryption::Keyring;
use crate::failure::Failure;
use crate::interruption::Interruption;
use crate::render::event_log::EventLog;
use crate::render::progress::{Phase, Progress};
use crate::render::summary::Mood;
use crate::services::{Inputs, Neighbours, WallClock};

/// Runs phases.
pub(super) struct Phases<'a> {
    request: &'a Request,
    surroundings: &'a Surroundings,
    interruption: Interruption,
    /// The preview that was shown, if there was one.
    previewed: OnceCell<Arc<Progress>>,
}

impl<'a> Phases<'a> {
    /// Watches for Ctrl-C from here on; must be called inside the runtime.
    pub(super) fn new(request: &'a Request, surroundings: &'a Surroundings) -> Self {
        let interruption = Interruption::watch(surroundings.run.clone());
        Self { request, surroundings, interruption, previewed: OnceCell::new() }
    }

    /// Whether the user asked twice to end it.
    pub(super) fn is_aborted(&self) -> bool {
        self.interruption.abort.is_cancelled()
    }

    /// Returns when the user asks to stop.
    pub(super) async fn stopped(&self) {
        self.interruption.stop.cancelled().await;
    }

    /// Says what would happen. Takes no lock and writes nothing.
    pub(super) async fn preview(&self) -> Result<RunResult, Failure> {
        let surroundings = self.surroundings;
        let log = self.log(Mood::Planned)?;
        let (backend, stack) = (surroundings.workspace.store.backend.clone(), surroundings.stack.clone());
        let keyring = surroundings.keyring.clone();
        // Reading the state, and deriving a key for it, go on while plugins start.
        let viewed = blocking(move || Session::view(&backend, &stack, &|provider| keyring.crypter(provider)));
        let Viewed { base, findings } = viewed.await?;
        self.admit(&base)?;
        let progress = self.show(Mood::Planned, &base, findings, log);
        let result = self.run(Arc::new(NoJournal), base, &progress, true).await;
        progress.end(&result);
        // There is one preview a command.
        let _ = self.previewed.set(progress);
        Ok(result)
    }

    /// Every property that the preview found to change, if it can tell.
    pub(super) fn details(&self) -> Option<String> {
        self.previewed.get()?.details()
    }

    /// Does it: locks the stack, runs, writes the state and the history.
    pub(super) async fn update(&self) -> Result<RunResult, Failure> {
        let surroundings = self.surroundings;
        let log = self.log(Mood::Done)?;
        let store = &surroundings.workspace.store;
        let (backend, stack) = (store.backend.clone(), surroundings.stack.clone());
        let (keyring, provider) = (surroundings.keyring.clone(), surroundings.provider.clone());
        let (machine, clock) = (store.machine.clone(), store.clock.clone());
        let opened = blocking(move || {
            let options = SessionOptions {
                machine: &machine,
                clock,
                keys: &|provider| keyring.crypter(provider),
                secrets_provider: provider,
                mode: Mode::Threaded,
            };
            Session::open(&backend, &stack, options)
        });
        let Opened { session, base, findings } = opened.await?;
        let session = Arc::new(session);
        if let Err(refusal) = self.admit(&base) {
            session.release()?;
            return Err(refusal);
        }
        let started = jiff::Timestamp::now();
        let progress = self.show(Mood::Done, &base, findings, log);
        let journal = Arc::new(Sealed {
            session: session.clone(),
            surroundings: Key::of(surroundings),
            checked: OnceCell::new(),
        });
        let mut result = self.run(journal, base, &progress, false).await;
        let info = chronicle(self.request, surroundings, &result, started);
        if let Err(diagnostic) = blocking(move || session.finish(info)).await {
            progress.report(diagnostic);
            result.ending = Ending::Failed;
        }
        progress.end(&result);
        Ok(result)
    }

    /// Whether this build may touch the state, and whether the targets are there.
    fn admit(&self, base: &Snapshot) -> Result<(), Failure> {
        let obstacles = base.obstacles();
        if !obstacles.is_empty() {
            return Err(obstacles.into());
        }
        if self.request.work == Work::Up {
            // A target may be made by this run; see `run`.
            return Ok(());
        }
        let known: BTreeSet<&Urn> = base.resources.iter().map(|resource| &resource.urn).collect();
        let unknown: Vec<_> =
            self.request.targets.names().filter(|urn| !known.contains(urn)).map(unknown_target).collect();
        if unknown.is_empty() { Ok(()) } else { Err(unknown.into()) }
    }

    /// Pulumi's own log of a phase, if it is wanted.
    fn log(&self, mood: Mood) -> Result<Option<EventLog>, Diagnostic> {
        let Some(path) = &self.request.event_log else { return Ok(None) };
        EventLog::create(&self.surroundings.directory.join(path), mood, &self.surroundings.config_texts).map(Some)
    }

    fn show(&self, mood: Mood, base: &Snapshot, findings: Vec<Diagnostic>, log: Option<EventLog>) -> Arc<Progress> {
        let surroundings = self.surroundings;
        let (looking, doing) = self.request.work.titles();
        let (name, title) = match mood {
            Mood::Planned => ("preview", looking),
            Mood::Done => (self.request.work.name(), doing),
        };
        let (project, stack) = (surroundings.workspace.project.name.clone(), surroundings.stack.stack().to_owned());
        let root = base.resources.iter().find(|resource| resource.urn.is_stack() && !resource.delete);
        let outputs = root.map(|root| root.outputs.clone()).unwrap_or_default();
        let phase = Phase { name, title, mood, project, stack };
        let plan = self.previewed.get().map(|previewed| previewed.plan()).unwrap_or_default();
        let progress = Progress::start(surroundings.view.clone(), phase, outputs, &plan, log);
        self.interruption.follow(&progress);
        surroundings.relay.follow(&progress);
        for finding in findings {
            progress.report(finding);
        }
        progress
    }

    async fn run(
        &self,
        journal: Arc<dyn Journal>,
        base: Snapshot,
        progress: &Arc<Progress>,
        preview: bool,
    ) -> RunResult {
        let (request, surroundings) = (self.request, self.surroundings);
        let project = &surroundings.workspace.project;
        let options = Options {
            project: project.name.clone(),
            stack: surroundings.stack.stack().to_owned(),
            organization: crate::source::ORGANIZATION.to_owned(),
            preview,
            parallel: surroundings.parallel,
            targets: request.targets.clone(),
            continue_on_error: request.continue_on_error,
            refresh: request.refresh.unwrap_or(project.refresh_always),
            package_config: surroundings.package_config.clone(),
            package_places: surroundings.package_places.clone(),
            pending_creates: request.pending_creates.clone(),
        };
        let redaction = surroundings.view.redaction.clone();
        let services = Services {
            plugins: surroundings.run.clone(),
            journal,
            clock: Arc::new(WallClock),
            random: surroundings.random.clone(),
            stacks: Arc::new(Neighbours {
                backend: surroundings.workspace.store.backend.clone(),
                project: project.name.clone(),
                keyring: surroundings.keyring.clone(),
                redaction: redaction.clone(),
            }),
            inputs: Arc::new(Inputs { directory: project.program_directory(), redaction }),
            events: progress.clone(),
            stop: self.interruption.stop.clone(),
            abort: self.interruption.abort.clone(),
        };
        let mut result = match (request.work, &surroundings.program) {
            (Work::Refresh, _) => outrigger_engine::refresh(options, services, base).await,
            (Work::Up, Some(program)) => outrigger_engine::up(options, services, base, program).await,
            (Work::Up | Work::Destroy, _) => outrigger_engine::destroy(options, services, base).await,
        };
        result.summary = progress.summary();
        if self.interruption.stop.is_cancelled() {
            // A program that could not go on counts as failed, but it was the user who stopped it.
            result.ending = Ending::Cancelled;
        }
        for warning in surroundings.run.warnings() {
            progress.report(warning);
        }
        for pattern in request.targets.patterns().iter().filter(|pattern| !progress.has_met_like(pattern)) {
            progress.report(unmatched_target(pattern));
        }
        // Whether the program has a resource of that name is known only when it has run.
        if request.work == Work::Up && result.ending == Ending::Succeeded {
            for urn in request.targets.names().filter(|urn| !progress.has_met(urn)) {
                progress.emit(Event::Diagnostic { urn: Some(urn.clone()), diagnostic: Box::new(unknown_target(urn)) });
                result.ending = Ending::Failed;
            }
        }
        result
    }
}

/// A journal that looks at the key before the first operation whose result is going to hold a secret: with a wrong passphrase
/// that result could not be written down.
struct Sealed {
    session: Arc<Session>,
    surroundings: Key,
    checked: OnceCell<Result<(), Diagnostic>>,
}

struct Key {
    keyring: Arc<Keyring>,
    provider: Option<outrigger_state::SecretsProviderState>,
}

impl Key {
    fn of(surroundings: &Surroundings) -> Self {
        Self { keyring: surroundings.keyring.clone(), provider: surroundings.provider.clone() }
    }

    async fn check(&self) -> Result<(), Diagnostic> {
        let Some(provider) = self.provider.clone() else { return Ok(()) };
        let keyring = self.keyring.clone();
        blocking(move || keyring.crypter(&provider)?.encrypt("").map(drop)).await
    }
}

#[async_trait]
impl Journal for Sealed {
    async fn append(&self, record: Record) -> Result<(), Diagnostic> {
        let secret = record.begin.iter().any(|(_, operation)| !operation.resource.additional_secret_outputs.is_empty());
        if secret {
            self.checked.get_or_init(|| self.surroundings.check()).await.clone()?;
        }
        self.session.append(record).await
    }
}

/// Does blocking work on a thread for such work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Diagnostic> + Send + 'static,
) -> Result<T, Diagnostic> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(Diagnostic::error("internal", "a part of the command ended unexpectedly")
            .detail(error.to_string())
            .hint("What was done is in the journal; run the command again. Please report this."))
    })
}

fn unmatched_target(pattern: &Pattern) -> Diagnostic {
    Diagnostic::warning("target-unmatched", format!("no resource is named like `{}`", pattern.as_str()))
        .detail("`--target` matches whole URNs; `*` stops at a colon, `**` does not.")
        .hint("`outrigger stack --show-urns` lists the names of all resources.")
}

fn unknown_target(urn: &Urn) -> Diagnostic {
    Diagnostic::error("target-unknown", format!("there is no resource {urn}"))
        .detail("`--target` names it, but it is neither in the state nor in the program.")
        .hint("`outrigger stack --show-urns` lists the names of all resources.")
}
