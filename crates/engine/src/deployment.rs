//! One run: what every step shares.

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
    /// Places for calls that only look, beside those that change or read: a wide program's thousands of checks would otherwise keep
    /// its creations waiting, and each would cost the creations a place for as long as its answer is under way.
    looks: Semaphore,
    /// Places for operations: one for each call, and a few more, so that the next intents become durable while calls are under
    /// way. What waits for a place has not begun: after a crash a person has to look for everything that had.
    intents: Semaphore,
    failed: AtomicBool,
    blemished: AtomicBool,
    journal_failed: AtomicBool,
    pub(crate) changed: AtomicBool,
    pub(crate) deletes_all: AtomicBool,
    /// One for each milestone that somebody waits for; closed when it is reached, or never will be.
    gates: Mutex<HashMap<Milestone, Arc<Semaphore>>>,
    /// The surroundings of every call. The host sets deadlines.
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

    /// The same run after a refresh, or after a look at what an interrupted run was deleting: what was read is what the decisions and the order of deletion start from.
    ///
    /// Keys stay as they are, so a removed entry leaves a hole: the graph is made of what is left, with the holes filled by
    /// the removed entries. Nothing comes of them: whoever uses the graph looks up in the table what is there.
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

    /// The decision maker. Never held over a wait. A panic inside a decision would be a bug; the state it leaves is as good as
    /// any, so the lock is taken all the same.
    pub(crate) fn decide(&self) -> MutexGuard<'_, Decisions> {
        self.decisions.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The time of day as the state has it: RFC 3339, in UTC.
    pub(crate) fn now(&self) -> String {
        self.services.clock.now().to_string()
    }

    /// Waits for a place among the calls under way; only closed semaphores fail, and this one is never closed.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, RegisterError> {
        let permit = self.calls.acquire().await.map_err(|_| RegisterError::Skipped)?;
        self.may_start()?;
        Ok(permit)
    }

    /// Waits for a place among the calls that only look.
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

    /// Lets everyone go on who waits for this, also after a failure: they see by themselves that the run has failed.
    pub(crate) fn reached(&self, milestone: Milestone) {
        self.gate(milestone).close();
    }

    /// Waits until this has happened.
    pub(crate) async fn wait_for(&self, milestone: Milestone) -> Result<(), RegisterError> {
        // Closing is the signal: an acquire on a closed semaphore returns at once.
        let gate = self.gate(milestone);
        let _closed = gate.acquire().await;
        // It is reached also when it failed, and then nothing may build on it.
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

    /// Reports an error that fails the run in the end but stops nothing else.
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

    /// Makes a record durable. An error has been reported when this returns, and once only: every step that waits for the same
    /// flush meets the same error.
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

    /// Ends a step, with what is there now; counts it if it is done.
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

/// A failed call, as the user reads it.
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
            ("plugin-cancelled", format!("the {} call to plugin `{}` was given up", error.call, error.plugin))
        }
        ErrorKind::Garbage => (
            "plugin-garbage",
            format!(
                "plugin `{}` answered {} with something that cannot be understood: {}",
                error.plugin, error.call, error.message
            ),
        ),
        ErrorKind::Unsupported => {
            ("plugin-unsupported", format!("plugin `{}` does not have {}", error.plugin, error.call))
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
                "Run the command again; if it fails again, use another version of the plugin, or show this to its authors.",
            );
        }
        ErrorKind::TimedOut => {
            diagnostic = diagnostic.hint(
                "Run the command again; if the resource needs longer, raise its `customTimeouts`; if it does not, show this to the \
                 plugin's authors.",
            );
        }
        ErrorKind::Garbage => {
            diagnostic = diagnostic.hint("Use another version of the plugin, or show this to its authors.");
        }
        _ => {}
    }
    if error.kind == ErrorKind::Unsupported {
        diagnostic = diagnostic.hint(match doing {
            "read" => {
                "Leave it out: name the other resources with `--target`, and change this one by `outrigger up` only."
            }
            _ => "Install a newer version of the plugin, or ask its authors.",
        });
    }
    if !error.last_words.is_empty() {
        diagnostic = diagnostic.note(format!("the end of the plugin's stderr:\n{}", error.last_words.join("\n")));
    }
    diagnostic
}

/// A provider that refuses inputs, as the user reads it: one finding for each property.
pub(crate) fn diagnose_check(failure: &CheckFailure, urn: &Urn) -> Diagnostic {
    let summary = match failure.property.as_str() {
        "" => format!("`{}` ({}) is not valid", urn.name(), urn.ty()),
        property => format!("property `{property}` of `{}` ({}) is not valid", urn.name(), urn.ty()),
    };
    Diagnostic::error("provider-check", summary).detail(failure.reason.clone())
}
