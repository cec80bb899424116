//! `up`, `preview`, `refresh` and `destroy`: preview, confirm, apply.
//!
//! A preview reads the state without a lock. The update that follows takes the lock and reads the state again, because it may have changed while the
//! user was deciding; plugins stay up in between. A preview that finds nothing to write ends the command without a question.

use std::cell::OnceCell;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, EventSink, RunResult};
use outrigger_value::PropertyMap;
use outrigger_workspace::event_log::EventLog;
use outrigger_workspace::json::Secrets;
use outrigger_workspace::{Mood, Operation, Work, Workspace};

use crate::arguments::{Configuring, Confirming, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::interruption::Interruption;
use crate::logging;
use crate::output::{data, talk};
use crate::render::diagnostic::Renderer;
use crate::render::progress::{JsonForm, Phase, Progress, Shown, View};
use crate::terminal::Terminal;

/// The runtime for a command's futures, on the current thread.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Diagnostic> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Diagnostic::error("threads", "the threads that the command needs could not be started")
            .detail(error.to_string())
            .hint("Check the limits on processes and threads (`ulimit -u`) and on open files (`ulimit -n`).")
    })
}

/// Everything that the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The request to the library.
    pub(crate) asked: outrigger_workspace::Request,
    /// Apply without asking for confirmation.
    pub(crate) yes: bool,
    /// Skip the preview.
    pub(crate) skip_preview: bool,
    /// Changes are an error.
    pub(crate) expect_no_changes: bool,
    /// The file of the configuration, if it is not the stack's own.
    pub(crate) config_file: Option<PathBuf>,
    /// How it is shown.
    pub(crate) showing: Showing,
}

impl Request {
    /// A request with the options that every such command has, and no special ones. Without `confirming` it is only a preview.
    pub(crate) fn new(
        work: Work,
        confirming: Option<Confirming>,
        choice: StackChoice,
        configuring: &Configuring,
        working: &Working,
        showing: Showing,
    ) -> Result<Self, Diagnostic> {
        let asked = outrigger_workspace::Request {
            preview_only: confirming.is_none(),
            stack: choice.stack,
            parallel: working.parallel,
            targets: working.targets()?,
            config: configuring.given(),
            message: confirming.as_ref().map(|confirming| confirming.message.clone()).unwrap_or_default(),
            ..outrigger_workspace::Request::new(work)
        };
        Ok(Self {
            asked,
            yes: confirming.as_ref().is_some_and(|confirming| confirming.yes),
            skip_preview: confirming.is_some_and(|confirming| confirming.skip_preview),
            expect_no_changes: false,
            config_file: configuring.file.config_file.clone(),
            showing,
        })
    }
}

/// Runs the request. Fails also if there are changes where none are expected.
pub(crate) fn run(request: &Request, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
    let Request { asked, yes, skip_preview, .. } = request;
    if !asked.preview_only && !yes && !skip_preview && !terminal.is_interactive() {
        return Err(unconfirmed(asked.work));
    }
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let operation =
            Arc::new(Workspace::open(environment)?.with_config_file(request.config_file.as_deref()).prepare(asked)?);
        let phases = Phases::new(request, &operation, terminal);
        let result = steps(request, &phases, terminal).await;
        operation.close().await;
        result
    });
    // Does not wait for work that is still on a blocking thread, such as a key that is no longer needed.
    runtime.shutdown_background();
    result
}

async fn steps(request: &Request, phases: &Phases<'_>, terminal: Terminal) -> Result<(), Failure> {
    if !request.skip_preview {
        let result = phases.run(Mood::Planned).await?;
        if request.asked.preview_only {
            judge(request, &result, Mood::Planned, phases)?;
            if request.asked.work == Work::Up && result.changed && phases.view.json.is_none() {
                talk("\nRun `outrigger up` to apply these changes.");
            }
            return Ok(());
        }
        if result.ending != Ending::Succeeded {
            return judge(request, &result, Mood::Planned, phases);
        }
        phases.operation.runner.check_key().await?;
        if !result.changed {
            return judge(request, &result, Mood::Planned, phases);
        }
        if phases.view.json.is_none() {
            data("")?;
        }
        let deletes_all = result.deletes_all;
        if request.yes && deletes_all {
            return Err(deletes_all_unconfirmed());
        }
        if !request.yes && !confirmed(request, phases, deletes_all, terminal).await? {
            talk("Nothing was changed.");
            return Err(Failure::said(Exit::Cancelled));
        }
        phases.operation.runner.may_delete_all.fetch_or(deletes_all, Ordering::Relaxed);
    }
    let result = phases.run(Mood::Done).await?;
    judge(request, &result, Mood::Done, phases)
}

/// Runs phases, and shows them.
struct Phases<'a> {
    request: &'a Request,
    operation: &'a Operation,
    view: View,
    interruption: Interruption,
    /// The preview that was shown, if there was one.
    previewed: OnceCell<Arc<Progress>>,
}

impl<'a> Phases<'a> {
    /// Starts watching for Ctrl-C; must be called inside the runtime.
    fn new(request: &'a Request, operation: &'a Arc<Operation>, terminal: Terminal) -> Self {
        let Operation { workspace, texts, runner, .. } = &**operation;
        let kind = workspace.environment.text("TERM");
        let json = match request.showing {
            Showing { json: true, .. } => Some(JsonForm::Pulumi),
            Showing { json_events: true, .. } => Some(JsonForm::Events(Arc::default())),
            _ => None,
        };
        let view = View {
            live: json.is_none() && !logging::is_on_stderr() && terminal.is_redrawable(kind.as_deref()),
            json,
            diff: request.showing.diff,
            same: request.showing.show_sames,
            reads: request.showing.show_reads,
            secrets: Secrets::from_flag(request.showing.show_secrets),
            redaction: runner.redaction.clone(),
            renderer: Renderer { base: workspace.project.directory().to_owned(), texts: texts.clone() },
            shown: Shown::default(),
        };
        let interruption = Interruption::watch(Arc::clone(operation));
        Self { request, operation, view, interruption, previewed: OnceCell::new() }
    }

    /// Runs a phase, and shows it.
    async fn run(&self, mood: Mood) -> Result<RunResult, Failure> {
        let (operation, runner) = (self.operation, &self.operation.runner);
        let log = self.request.showing.event_log.as_ref().map(|path| {
            let path = operation.workspace.environment.directory.join(path);
            EventLog::create(&path, mood, &operation.config_texts)
        });
        let mut logs: Vec<EventLog> = log.transpose()?.into_iter().collect();
        if self.request.showing.json {
            let sames = self.request.showing.show_sames;
            logs.push(EventLog::printed(Box::new(io::stdout()), mood, sames, &operation.config_texts));
        }
        let shown = OnceCell::new();
        let begin = |outputs| shown.get_or_init(|| self.show(mood, outputs, logs)).clone() as Arc<dyn EventSink>;
        let result = match mood {
            Mood::Planned => runner.preview(begin).await?,
            Mood::Done => runner.update(begin).await?,
        };
        if let Some(progress) = shown.into_inner() {
            progress.end(&result);
            if mood == Mood::Planned {
                // A command has only one preview.
                let _ = self.previewed.set(progress);
            }
        }
        Ok(result)
    }

    fn show(&self, mood: Mood, outputs: PropertyMap, logs: Vec<EventLog>) -> Arc<Progress> {
        let work = self.request.asked.work;
        let (looking, doing) = titles(work);
        let (name, title) = match mood {
            Mood::Planned => ("preview", looking),
            Mood::Done => (work.name(), doing),
        };
        let stack = &self.operation.runner.stack;
        let (project, stack) = (self.operation.workspace.project.name.clone(), stack.stack().to_owned());
        let plan = self.previewed.get().map(|previewed| previewed.plan()).unwrap_or_default();
        let phase = Phase { name, title, mood, refresh: matches!(work, Work::Refresh), project, stack };
        let progress = Progress::start(self.view.clone(), phase, outputs, &plan, logs);
        self.interruption.follow(&progress);
        progress
    }
}

fn titles(work: Work) -> (&'static str, &'static str) {
    match work {
        Work::Up => ("Previewing update", "Updating"),
        Work::Refresh => ("Previewing refresh", "Refreshing"),
        Work::Destroy => ("Previewing destroy", "Destroying"),
    }
}

/// Asks for confirmation, and shows every detail first if the user wants it. The user may also interrupt. The name of the stack has to be typed if
/// the update deletes every resource.
async fn confirmed(
    request: &Request,
    phases: &Phases<'_>,
    deletes_all: bool,
    terminal: Terminal,
) -> Result<bool, Failure> {
    let details = phases.previewed.get().and_then(|previewed| previewed.details()).filter(|_| !request.showing.diff);
    let stack = phases.operation.runner.stack.stack();
    let question = if deletes_all {
        format!("This update deletes every resource of stack `{stack}`. Type `{stack}` to perform it: ")
    } else {
        let choice = if details.is_some() { "[y/N, d for details]" } else { "[y/N]" };
        format!("Do you want to perform this {}? {choice} ", request.asked.work.name())
    };
    loop {
        let prompt = question.clone();
        // On another thread: this one receives the signals, and an interrupt has to end the question.
        let answer = tokio::task::spawn_blocking(move || terminal.line(&prompt));
        let answer = tokio::select! {
            answer = answer => answer.ok().flatten().unwrap_or_default(),
            () = phases.operation.runner.stop.cancelled() => {
                talk("");
                return Ok(false);
            }
        };
        if deletes_all {
            return Ok(answer.trim() == stack);
        }
        match (answer.trim().to_lowercase().as_str(), &details) {
            ("d" | "details", Some(details)) => data(&format!("\n{details}"))?,
            (answer, _) => return Ok(matches!(answer, "y" | "yes")),
        }
    }
}

/// The exit code of a run.
fn judge(request: &Request, result: &RunResult, mood: Mood, phases: &Phases<'_>) -> Result<(), Failure> {
    match result.ending {
        // As in `pulumi`: one Ctrl-C makes it an ordinary failure, two a cancellation.
        Ending::Cancelled if phases.operation.runner.abort.is_cancelled() => Err(Failure::said(Exit::Cancelled)),
        Ending::Failed | Ending::Cancelled => Err(Failure::said(Exit::Failed)),
        Ending::Succeeded if request.expect_no_changes && result.summary.changes() => {
            let were = if mood == Mood::Planned { "there are some" } else { "some were made" };
            let diagnostic = Diagnostic::error("unexpected-changes", format!("no changes were expected, but {were}"))
                .hint("Check the steps above; `--diff` shows every property that changes.");
            Err(Failure::new(Exit::Changes, diagnostic))
        }
        Ending::Succeeded => {
            if !result.changed && phases.view.json.is_none() {
                talk("\nNo changes.");
            }
            Ok(())
        }
    }
}

fn deletes_all_unconfirmed() -> Failure {
    let diagnostic = Diagnostic::error("not-confirmed", "deleting every resource of the stack was not confirmed")
        .detail("`--yes` alone does not confirm it.")
        .hint("Check that the program is complete. To delete everything on purpose, add `--delete-all`.");
    Failure::new(Exit::Unconfirmed, diagnostic)
}

fn unconfirmed(work: Work) -> Failure {
    let only = if work == Work::Up { "`outrigger preview`" } else { "`--preview-only`" };
    let diagnostic = Diagnostic::error("not-confirmed", format!("this {} was not confirmed", work.name()))
        .detail("There is no terminal to ask for confirmation.")
        .hint(format!(
            "Pass `--yes` to preview and then apply, or `--skip-preview` to apply right away; {only} only previews."
        ));
    Failure::new(Exit::Unconfirmed, diagnostic)
}
