//! One run: the data that every step shares.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallContext, CallError, CheckFailure, ErrorKind, LogLevel, LogSink, RegisterError, Registered, RunInfo,
};
use outrigger_state::{EntryKey, Record, Resource, Snapshot};
use outrigger_value::{PropertyMap, Urn};
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

use crate::autonaming::Naming;
use crate::decisions::{Decisions, Milestone};
use crate::graph::Graph;
use crate::providers::Providers;
use crate::{Event, EventSink, Options, Services, Step, StepOp, StepResult};

pub(crate) struct Deployment {
    pub(crate) options: Options,
    pub(crate) stack: Urn,
    /// The answer to the root stack's registration.
    pub(crate) root: OnceCell<Result<Registered, RegisterError>>,
    pub(crate) run: RunInfo,
    pub(crate) services: Services,
    pub(crate) base: Snapshot,
    pub(crate) graph: Graph,
    pub(crate) naming: Naming,
    pub(crate) providers: Providers,
    pub(crate) stack_outputs: Mutex<Option<PropertyMap>>,
    decisions: Mutex<Decisions>,
    calls: Semaphore,
    /// Permits for calls that only check and compare, separate from those that change or read: the thousands of checks of a wide program
    /// would otherwise keep its creations waiting, and each would cost the creations a permit for the duration of the call.
    looks: Semaphore,
    /// Permits for operations: one for each call, and a few more, so that the next intents become durable while calls are running. An
    /// operation without a permit has not begun: after a crash, every operation that had begun needs checking by hand.
    intents: Semaphore,
    failed: AtomicBool,
    blemished: AtomicBool,
    journal_failed: AtomicBool,
    pub(crate) changed: AtomicBool,
    pub(crate) deletes_all: AtomicBool,
    /// One for each milestone that a task waits for; closed when it is reached or never will be.
    gates: Mutex<HashMap<Milestone, Arc<Semaphore>>>,
    /// The context of every call. The host sets deadlines.
    pub(crate) context: CallContext,
}

impl Deployment {
    pub(crate) fn new(options: Options, services: Services, base: Snapshot) -> Self {
        let context = CallContext {
            cancel: services.abort.clone(),
            deadline: None,
            log: Arc::new(EventLog(services.events.clone())),
        };
        let name = format!("{}-{}", options.project, options.stack);
        let run = RunInfo {
            project: options.project.clone(),
            stack: options.stack.clone(),
            organization: options.organization.clone(),
            config: options
                .package_config
                .iter()
                .flat_map(|(space, values)| {
                    values.iter().map(move |(name, value)| (format!("{space}:{name}"), value.clone()))
                })
                .collect(),
            parallel: options.parallel,
            preview: options.preview,
        };
        Self {
            run,
            stack: Urn::new(&options.stack, &options.project, None, "pulumi:pulumi:Stack", &name),
            root: OnceCell::new(),
            decisions: Mutex::new(Decisions::new(&options.project, &options.stack, &base)),
            graph: Graph::new(&base.resources, &base.pending),
            naming: Naming::default(),
            providers: Providers::default(),
            stack_outputs: Mutex::new(None),
            calls: Semaphore::new(options.parallel.max(1)),
            looks: Semaphore::new(options.parallel.max(1)),
            intents: Semaphore::new(options.parallel.max(1) + options.parallel / 4),
            failed: AtomicBool::new(false),
            blemished: AtomicBool::new(false),
            journal_failed: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            deletes_all: AtomicBool::new(false),
            gates: Mutex::default(),
            options,
            services,
            base,
            context,
        }
    }

    /// The same run after a refresh, or after checking what an interrupted run was deleting: decisions and the order of deletion start from
    /// the resources as read.
    ///
    /// Keys stay as they are, so a removed entry leaves a hole in the graph, filled by the removed entry itself. This is harmless: every
    /// user of the graph looks up in the table which entries still exist.
    pub(crate) fn rebased(self) -> Self {
        if !self.options.refresh && !self.has_pending_deletions() {
            return self;
        }
        let graph = {
            let decisions = self.decide();
            let current: Vec<_> = (0..)
                .map(EntryKey)
                .zip(&self.base.resources)
                .map(|(key, old)| decisions.table.get(key).unwrap_or(old).clone())
                .collect();
            Graph::new(&current, &self.base.pending)
        };
        Self { graph, ..self }
    }

    /// The decision maker; the lock is never held across an await. A panic inside a decision would be a bug, and no state it could leave is
    /// worse than another, so a poisoned lock is used anyway.
    pub(crate) fn decide(&self) -> MutexGuard<'_, Decisions> {
        self.decisions.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The current time as the state writes it: RFC 3339, in UTC.
    pub(crate) fn now(&self) -> String {
        self.services.clock.now().to_string()
    }

    /// Waits for a permit for a call. Only a closed semaphore fails, and this one is never closed.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, RegisterError> {
        let permit = self.calls.acquire().await.map_err(|_| RegisterError::Skipped)?;
        self.may_start()?;
        Ok(permit)
    }

    /// Waits for a permit for a call that only checks or compares.
    pub(crate) async fn look(&self) -> Result<SemaphorePermit<'_>, RegisterError> {
        let permit = self.looks.acquire().await.map_err(|_| RegisterError::Skipped)?;
        self.may_start()?;
        Ok(permit)
    }

    /// Waits until an operation may begin.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, RegisterError> {
        let permit = self.intents.acquire().await.map_err(|_| RegisterError::Skipped)?;
        self.may_start()?;
        Ok(permit)
    }

    fn gate(&self, milestone: Milestone) -> Arc<Semaphore> {
        let mut gates = self.gates.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        gates.entry(milestone).or_insert_with(|| Arc::new(Semaphore::new(0))).clone()
    }

    /// Releases every task that waits for this milestone, also after a failure: each then finds that the run has failed.
    pub(crate) fn reached(&self, milestone: Milestone) {
        self.gate(milestone).close();
    }

    /// Waits until this milestone is reached.
    pub(crate) async fn wait_for(&self, milestone: Milestone) -> Result<(), RegisterError> {
        // Closing is the signal: an acquire on a closed semaphore returns at once.
        let gate = self.gate(milestone);
        let _closed = gate.acquire().await;
        // A failure also reaches the milestone, and then nothing may build on it.
        if self.has_failed() { Err(RegisterError::Skipped) } else { self.may_start() }
    }

    /// Whether anything new may start.
    pub(crate) fn may_start(&self) -> Result<(), RegisterError> {
        let failed = self.has_failed() && !self.options.continue_on_error;
        let unwritable = self.journal_failed.load(Ordering::Relaxed);
        if failed || unwritable || self.services.stop.is_cancelled() { Err(RegisterError::Skipped) } else { Ok(()) }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn mark_failed(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Reports an error about a resource; the run has failed and nothing new starts.
    pub(crate) fn fail(&self, urn: &Urn, diagnostic: Diagnostic) -> RegisterError {
        self.mark_failed();
        self.report(Some(urn.clone()), diagnostic);
        RegisterError::Failed
    }

    pub(crate) fn report(&self, urn: Option<Urn>, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            self.mark_failed();
        }
        self.services.events.emit(Event::Diagnostic { urn, diagnostic: Box::new(diagnostic) });
    }

    /// Reports an error that fails the run at its end but stops nothing else.
    pub(crate) fn blemish(&self, urn: &Urn, diagnostic: Diagnostic) {
        self.blemished.store(true, Ordering::Relaxed);
        self.services.events.emit(Event::Diagnostic { urn: Some(urn.clone()), diagnostic: Box::new(diagnostic) });
    }

    pub(crate) fn is_blemished(&self) -> bool {
        self.blemished.load(Ordering::Relaxed)
    }

    pub(crate) fn info(&self, urn: &Urn, code: &'static str, text: String) {
        self.report(Some(urn.clone()), Diagnostic::info(code, text));
    }

    /// Makes a record durable. An error has been reported when this returns, and only once: every step that waits for the same flush gets
    /// the same error.
    pub(crate) async fn append(&self, urn: &Urn, record: Record) -> Result<(), RegisterError> {
        if record == Record::default() {
            return Ok(());
        }
        self.changed.store(true, Ordering::Relaxed);
        if self.options.preview {
            return Ok(());
        }
        self.services.journal.append(record).await.map_err(|diagnostic| {
            if self.journal_failed.swap(true, Ordering::Relaxed) {
                return RegisterError::Failed;
            }
            self.fail(urn, diagnostic)
        })
    }

    pub(crate) fn calling(&self, urn: &Urn) {
        self.services.events.emit(Event::CallStarted { urn: urn.clone() });
    }

    pub(crate) fn started(&self, step: Step) -> Arc<Step> {
        let step = Arc::new(step);
        self.services.events.emit(Event::StepStarted(step.clone()));
        step
    }

    /// Ends a step with the resource's new state, and counts it if it is done.
    pub(crate) fn ended(&self, step: &Step, new: Option<Arc<Resource>>, result: StepResult, result_op: StepOp) {
        if result == StepResult::Done {
            self.decide().summary.count(result_op);
        }
        let step = Arc::new(Step { new, ..step.clone() });
        self.services.events.emit(Event::StepEnded { step, result, result_op });
    }
}

struct EventLog(Arc<dyn EventSink>);

impl LogSink for EventLog {
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        self.0.emit(Event::Log { level, urn: urn.cloned(), message: message.to_owned(), ephemeral });
    }
}

/// The diagnostic for a failed call.
pub(crate) fn diagnose(error: CallError, doing: &str, urn: &Urn) -> Diagnostic {
    let summary = format!("could not {doing} `{}` ({})", urn.name(), urn.ty());
    let (code, detail) = match error.kind {
        ErrorKind::Crashed => {
            ("plugin-crashed", format!("plugin `{}` ended during {}: {}", error.plugin, error.call, error.message))
        }
        ErrorKind::TimedOut => (
            "plugin-timeout",
            format!("plugin `{}` did not answer {} in time: {}", error.plugin, error.call, error.message),
        ),
        ErrorKind::Cancelled => {
            ("plugin-cancelled", format!("the {} call to plugin `{}` was cancelled", error.call, error.plugin))
        }
        ErrorKind::Garbage => (
            "plugin-garbage",
            format!("plugin `{}` answered {} with an invalid message: {}", error.plugin, error.call, error.message),
        ),
        ErrorKind::Unsupported => {
            ("plugin-unsupported", format!("plugin `{}` does not support {}", error.plugin, error.call))
        }
        ErrorKind::NotDone | ErrorKind::Unknown => {
            ("plugin-error", format!("plugin `{}` answered {}: {}", error.plugin, error.call, error.message))
        }
    };
    let mut diagnostic = Diagnostic::error(code, summary).detail(detail);
    for (key, description) in &error.missing_keys {
        diagnostic = diagnostic.hint(format!("Set `{key}`: {}.", description.trim_end_matches('.')));
    }
    match error.kind {
        ErrorKind::Crashed => {
            diagnostic = diagnostic.hint(
                "Run the command again; if it fails again, use another version of the plugin, or report this to its authors.",
            );
        }
        ErrorKind::TimedOut => {
            diagnostic = diagnostic.hint(
                "Run the command again; if the resource needs longer, raise its `customTimeouts`; if it does not, report this \
                 to the plugin's authors.",
            );
        }
        ErrorKind::Garbage => {
            diagnostic = diagnostic.hint("Use another version of the plugin, or report this to its authors.");
        }
        _ => {}
    }
    if error.kind == ErrorKind::Unsupported {
        diagnostic = diagnostic.hint(match doing {
            "read" => {
                "Leave it out: name the other resources with `--target`, and change this one only with `outrigger up`."
            }
            _ => "Install a newer version of the plugin, or ask its authors.",
        });
    }
    if !error.last_words.is_empty() {
        diagnostic = diagnostic.note(format!("the end of the plugin's stderr:\n{}", error.last_words.join("\n")));
    }
    diagnostic
}

/// The diagnostics for inputs that a provider rejects: one for each property.
pub(crate) fn diagnose_check(failure: &CheckFailure, urn: &Urn) -> Diagnostic {
    let summary = match failure.property.as_str() {
        "" => format!("`{}` ({}) is not valid", urn.name(), urn.ty()),
        property => format!("property `{property}` of `{}` ({}) is not valid", urn.name(), urn.ty()),
    };
    Diagnostic::error("provider-check", summary).detail(failure.reason.clone())
}
