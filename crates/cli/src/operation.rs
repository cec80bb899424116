//! `up`, `preview`, `refresh` and `destroy`: look, ask, do.
//!
//! A preview reads the state without a lock. The update that follows takes the lock and reads it again, because it may have
//! changed while the user thought; plugins stay up in between.

mod chronicle;
mod phase;
mod surroundings;

use std::path::PathBuf;

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, PendingCreates, RunResult, Targets};
use outrigger_state::UpdateKind;

use crate::arguments::{Confirming, Showing, StackChoice, Working};
use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::output::{data, talk};
use crate::render::summary::Mood;
use crate::terminal::Terminal;
use phase::Phases;
use surroundings::Surroundings;

/// What runs the futures of a command, on the thread that it is on.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Diagnostic> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Diagnostic::error("threads", "the threads that the command needs could not be started")
            .detail(error.to_string())
            .hint("Check the limit on the number of processes and threads (`ulimit -u`).")
    })
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Bring the stack to the program.
    Up,
    /// Bring the state to what exists.
    Refresh,
    /// Delete everything.
    Destroy,
}

/// How far it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Only look.
    Preview,
    /// Look, ask unless `yes`, and do it.
    Full {
        /// Do not ask.
        yes: bool,
        /// Do not look either.
        skip_preview: bool,
        /// For the history.
        message: String,
    },
}

impl Extent {
    /// As far as the flags say.
    pub(crate) fn of(confirming: Confirming, preview_only: bool) -> Self {
        let Confirming { yes, skip_preview, message } = confirming;
        if preview_only { Self::Preview } else { Self::Full { yes, skip_preview, message } }
    }
}

/// Everything that the command line says.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// What.
    pub(crate) work: Work,
    /// How far.
    pub(crate) extent: Extent,
    /// Which stack.
    pub(crate) stack: Option<String>,
    /// How many calls at once.
    pub(crate) parallel: Option<u32>,
    /// Only these; empty means all.
    pub(crate) targets: Targets,
    /// A failure stops only what depends on it.
    pub(crate) continue_on_error: bool,
    /// Read everything first.
    pub(crate) refresh: Option<bool>,
    /// Changes are an error.
    pub(crate) expect_no_changes: bool,
    /// What to do with unfinished creations.
    pub(crate) pending_creates: PendingCreates,
    /// Every changed property.
    pub(crate) diff: bool,
    /// What stays the same too.
    pub(crate) show_sames: bool,
    /// What is only read too.
    pub(crate) show_reads: bool,
    /// Events as JSON.
    pub(crate) json: bool,
    /// Where Pulumi's own log of the run goes.
    pub(crate) event_log: Option<PathBuf>,
    /// Secrets in clear.
    pub(crate) show_secrets: bool,
}

impl Request {
    /// A request with what every such command has, and nothing special.
    pub(crate) fn new(
        work: Work,
        extent: Extent,
        choice: StackChoice,
        working: &Working,
        showing: &Showing,
    ) -> Result<Self, Diagnostic> {
        Ok(Self {
            work,
            extent,
            stack: choice.stack,
            parallel: working.parallel,
            targets: working.targets()?,
            continue_on_error: false,
            refresh: None,
            expect_no_changes: false,
            pending_creates: PendingCreates::Keep,
            diff: showing.diff,
            show_sames: showing.show_sames,
            show_reads: showing.show_reads,
            json: showing.json,
            event_log: showing.event_log.clone(),
            show_secrets: showing.show_secrets,
        })
    }
}

impl Work {
    /// The name of the phase that changes things.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Up => "update",
            Self::Refresh => "refresh",
            Self::Destroy => "destroy",
        }
    }

    fn titles(self) -> (&'static str, &'static str) {
        match self {
            Self::Up => ("Previewing update", "Updating"),
            Self::Refresh => ("Previewing refresh", "Refreshing"),
            Self::Destroy => ("Previewing destroy", "Destroying"),
        }
    }

    fn kind(self) -> UpdateKind {
        match self {
            Self::Up => UpdateKind::Update,
            Self::Refresh => UpdateKind::Refresh,
            Self::Destroy => UpdateKind::Destroy,
        }
    }
}

/// Does it. The answer says whether anything changed or would change.
pub(crate) fn run(request: &Request, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
    if let Extent::Full { yes: false, skip_preview: false, .. } = request.extent
        && !terminal.is_interactive()
    {
        return Err(unconfirmed(request.work));
    }
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let surroundings = Surroundings::prepare(request, environment, terminal)?;
        let phases = Phases::new(request, &surroundings);
        let result = steps(request, &phases, terminal).await;
        surroundings.host.shutdown().await;
        result
    });
    // Whatever still waits on a blocking thread, such as a key that nobody needs any more, is not waited for.
    runtime.shutdown_background();
    result
}

async fn steps(request: &Request, phases: &Phases<'_>, terminal: Terminal) -> Result<(), Failure> {
    let (yes, skip_preview) = match &request.extent {
        Extent::Preview => (false, false),
        Extent::Full { yes, skip_preview, .. } => (*yes, *skip_preview),
    };
    if !skip_preview {
        let result = phases.preview().await?;
        if request.extent == Extent::Preview {
            judge(request, &result, Mood::Planned, phases)?;
            if request.work == Work::Up && result.summary.changes() && !request.json {
                talk("\nRun `outrigger up` to do this.");
            }
            return Ok(());
        }
        if result.ending != Ending::Succeeded {
            return judge(request, &result, Mood::Planned, phases);
        }
        if !request.json {
            data("")?;
        }
        if !yes && !confirmed(request, phases, terminal).await? {
            talk("Nothing was changed.");
            return Err(Failure::said(Exit::Cancelled));
        }
    }
    let result = phases.update().await?;
    judge(request, &result, Mood::Done, phases)
}

/// Asks, and shows every detail first if that is wanted. Waits for the person, who may also interrupt.
async fn confirmed(request: &Request, phases: &Phases<'_>, terminal: Terminal) -> Result<bool, Failure> {
    let details = phases.details().filter(|_| !request.diff);
    let choice = if details.is_some() { "[y/N, d for details]" } else { "[y/N]" };
    let question = format!("Do you want to perform this {}? {choice} ", request.work.name());
    loop {
        let prompt = question.clone();
        // On a thread of its own: signals are seen by this one, and an interrupt has to end the question.
        let answer = tokio::task::spawn_blocking(move || terminal.line(&prompt));
        let answer = tokio::select! {
            answer = answer => answer.ok().flatten().unwrap_or_default(),
            () = phases.stopped() => {
                talk("");
                return Ok(false);
            }
        };
        match (answer.trim().to_lowercase().as_str(), &details) {
            ("d" | "details", Some(details)) => data(&format!("\n{details}"))?,
            (answer, _) => return Ok(matches!(answer, "y" | "yes")),
        }
    }
}

/// The exit code of a run.
fn judge(request: &Request, result: &RunResult, mood: Mood, phases: &Phases<'_>) -> Result<(), Failure> {
    match result.ending {
        // As `pulumi`: one Ctrl-C makes it an ordinary failure, two a cancellation.
        Ending::Cancelled if phases.is_aborted() => Err(Failure::said(Exit::Cancelled)),
        Ending::Failed | Ending::Cancelled => Err(Failure::said(Exit::Failed)),
        Ending::Succeeded if request.expect_no_changes && result.summary.changes() => {
            let were = if mood == Mood::Planned { "there are some to make" } else { "some were made" };
            let diagnostic = Diagnostic::error("unexpected-changes", format!("no changes were expected, but {were}"))
                .hint("Look at the steps above; `--diff` shows every property that changes.");
            Err(Failure::new(Exit::Changes, diagnostic))
        }
        Ending::Succeeded => Ok(()),
    }
}

fn unconfirmed(work: Work) -> Failure {
    let only = if work == Work::Up { "`outrigger preview`" } else { "`--preview-only`" };
    let diagnostic = Diagnostic::error("not-confirmed", format!("this {} was not confirmed", work.name()))
        .detail("There is no terminal to ask on.")
        .hint(format!(
            "Give `--yes` to look and then do it, `--skip-preview` to do it at once, or use {only} to look only."
        ));
    Failure::new(Exit::Unconfirmed, diagnostic)
}
