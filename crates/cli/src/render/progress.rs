//! A run as it happens: a live tree on a terminal, otherwise a line when a step begins and another when it ends.

mod lines;
mod stopped;
mod under_way;

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, Event, EventSink, RunResult, Step, StepOp, StepResult};
use outrigger_value::{PropertyMap, Urn};
use outrigger_workspace::event_log::EventLog;
use outrigger_workspace::events::{self, EventStream};
use outrigger_workspace::json::Secrets;
use outrigger_workspace::{Mood, Redaction, is_internal};
use serde_json::json;

use super::detail::in_full;
use super::diagnostic::Renderer;
use super::live::{Board, Intention, Live};
use super::step::{label, words};
use super::summary::{self, Trouble};
use stopped::Stopped;
use under_way::UnderWay;

/// How the user wants to see a run.
#[derive(Clone)]
pub(crate) struct View {
    /// JSON instead of lines.
    pub(crate) json: Option<JsonForm>,
    /// A tree that is redrawn in place instead of lines.
    pub(crate) live: bool,
    /// Show every changed property.
    pub(crate) diff: bool,
    /// Show unchanged resources too.
    pub(crate) same: bool,
    /// Show resources that are only read too.
    pub(crate) reads: bool,
    /// Whether secrets are shown.
    pub(crate) secrets: Secrets,
    /// The secrets to hide in all output.
    pub(crate) redaction: Arc<Redaction>,
    /// How diagnostics are shown.
    pub(crate) renderer: Renderer,
    /// The warnings and the long notes that any phase of the command has shown.
    pub(crate) shown: Shown,
}

/// The form in which another program reads a run.
#[derive(Clone)]
pub(crate) enum JsonForm {
    /// Pulumi's: the phase's log writes it.
    Pulumi,
    /// Our own events.
    Events(Arc<EventStream>),
}

/// Texts that need not be shown twice.
#[derive(Clone, Default)]
pub(crate) struct Shown(Arc<Mutex<HashSet<String>>>);

impl Shown {
    /// Whether a text is new. It is remembered.
    fn is_new(&self, text: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned())
    }
}

/// One phase of a command.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    /// `preview`, `update`, `refresh` or `destroy`.
    pub(crate) name: &'static str,
    /// The headline: `Updating`.
    pub(crate) title: &'static str,
    /// Whether the phase changes anything.
    pub(crate) mood: Mood,
    /// Whether it reads the resources and changes only the state.
    pub(crate) refresh: bool,
    /// The project.
    pub(crate) project: String,
    /// The stack.
    pub(crate) stack: String,
}

/// Shows one phase.
pub(crate) struct Progress {
    view: View,
    phase: Phase,
    state: Mutex<State>,
}

enum Display {
    /// Lines, or JSON, one after another.
    Lines(Box<dyn Write + Send>),
    /// A tree that is redrawn in place.
    Live(Live),
}

struct State {
    display: Display,
    begun: Instant,
    under_way: UnderWay,
    old_outputs: PropertyMap,
    troubles: Vec<Trouble>,
    not_started: Vec<Urn>,
    /// Operations that ended because the user asked to stop; `None` before that.
    stopped: Option<Stopped>,
    logs: Vec<EventLog>,
}

impl Progress {
    /// Shows a phase on standard output. `outputs` are the stack's before it, `plan` is the result of a preview.
    pub(crate) fn start(
        view: View,
        phase: Phase,
        outputs: PropertyMap,
        plan: &[Intention],
        logs: Vec<EventLog>,
    ) -> Arc<Self> {
        if !view.live {
            return Self::on(Display::Lines(Box::new(anstream::stdout())), view, phase, outputs, logs);
        }
        let colored = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let out = Box::new(io::stdout());
        let live = Live::start(out, colored, phase.title, phase.mood, Board::expecting(plan));
        Self::on(Display::Live(live), view, phase, outputs, logs)
    }

    fn on(display: Display, view: View, phase: Phase, outputs: PropertyMap, logs: Vec<EventLog>) -> Arc<Self> {
        let state = State {
            display,
            begun: Instant::now(),
            under_way: UnderWay::default(),
            old_outputs: outputs,
            troubles: Vec::new(),
            not_started: Vec::new(),
            stopped: None,
            logs,
        };
        let progress = Self { view, phase, state: Mutex::new(state) };
        let Phase { name, title, project, stack, .. } = &progress.phase;
        match &progress.view.json {
            Some(JsonForm::Pulumi) => {}
            Some(JsonForm::Events(stream)) => {
                let body = json!({"project": project, "stack": stack, "preview": progress.phase.mood == Mood::Planned});
                progress.state().line(&stream.line(name, "run-started", body));
            }
            None => progress.state().line(&format!("{title} ({stack}):")),
        }
        Arc::new(progress)
    }

    /// The running operations.
    pub(crate) fn running(&self) -> Vec<String> {
        self.state().under_way.called().map(|step| format!("{} {}", words(step.op).doing, label(&step.urn))).collect()
    }

    /// The user asked to stop. Returns whether the screen shows it; otherwise the caller has to.
    pub(crate) fn stop(&self) -> bool {
        let mut state = self.state();
        state.stopped.get_or_insert_default();
        match &state.display {
            Display::Lines(_) => false,
            Display::Live(live) => {
                live.stop();
                true
            }
        }
    }

    /// The steps that this phase, a preview on a screen, found.
    pub(crate) fn plan(&self) -> Vec<Intention> {
        match &self.state().display {
            Display::Lines(_) => Vec::new(),
            Display::Live(live) => live.plan(),
        }
    }

    /// Every changed property, for a user who asks for details.
    pub(crate) fn details(&self) -> Option<String> {
        match &self.state().display {
            Display::Lines(_) => None,
            Display::Live(live) => Some(live.settled(false, true, Some(&|step| in_full(step, self.view.secrets)))),
        }
    }

    /// Shows a diagnostic of the command itself, in its place among the events.
    fn report(&self, diagnostic: Diagnostic) {
        self.emit(Event::Diagnostic { urn: None, diagnostic: Box::new(diagnostic) });
    }

    /// Shows how the phase ended.
    pub(crate) fn end(&self, result: &RunResult) {
        let unlogged = {
            let mut state = self.state();
            let took = state.begun.elapsed();
            let mut logs = std::mem::take(&mut state.logs);
            logs.iter_mut().filter_map(|log| log.end(result, took)).collect::<Vec<_>>()
        };
        unlogged.into_iter().for_each(|warning| self.report(warning));
        let mut state = self.state();
        let took = state.begun.elapsed();
        let secrets = self.view.secrets;
        match &self.view.json {
            Some(JsonForm::Pulumi) => return,
            Some(JsonForm::Events(stream)) => {
                let body = events::ended(result, secrets, took);
                return state.line(&stream.line(self.phase.name, "run-ended", body));
            }
            None => {}
        }
        let mut text = "\n".to_owned();
        if let Some(stopped) = &state.stopped {
            text.push_str(&stopped.line());
        }
        if self.phase.name != "destroy" {
            text.push_str(&summary::outputs(&state.old_outputs, &result.outputs, secrets));
        }
        text.push_str(&summary::counts(&result.summary, &state.not_started, self.phase.refresh, self.phase.mood, took));
        if result.ending != Ending::Succeeded {
            text.push_str(&summary::troubles(&state.troubles));
            text.push_str(&summary::next(result.ending, self.phase.mood, self.phase.name, &state.troubles));
        }
        match &mut state.display {
            Display::Lines(_) => state.text(&text),
            Display::Live(live) => {
                let below = |step: &Step| in_full(step, self.view.secrets);
                let below: Option<&dyn Fn(&Step) -> String> = if self.view.diff { Some(&below) } else { None };
                let tree = live.settled(self.view.same, self.view.reads, below);
                live.end(&format!("{tree}{text}"));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event to the tree. Returns whether it is printed as well.
    fn board(&self, live: &Live, event: &Event) -> bool {
        let now = Instant::now();
        match event {
            Event::StepStarted(step) | Event::StepEnded { step, .. } if is_internal(step) => {}
            Event::StepStarted(step) => {
                let info = self.brief(step);
                live.update(|board| board.started(step, info, now));
            }
            Event::StepEnded { step, result, result_op } => {
                let info = if step.op == StepOp::Refresh { self.drifted_on_a_line(step) } else { self.brief(step) };
                live.update(|board| board.ended(step, *result, *result_op, info, now));
            }
            Event::CallStarted { urn } => live.update(|board| board.calling(urn, now)),
            Event::Log { urn: Some(urn), message, ephemeral: true, .. } => {
                let message = self.view.redaction.hide(message);
                live.update(|board| board.message(urn, &message));
            }
            Event::NotStarted { urn } => live.update(|board| board.not_started(urn)),
            Event::Outputs { .. } => {}
            Event::Log { .. } | Event::Diagnostic { .. } => return true,
        }
        false
    }
}

impl EventSink for Progress {
    fn emit(&self, event: Event) {
        let mut state = self.state();
        let Noted { took, called, hidden } = state.note(&event, &self.view.redaction);
        state.logs.iter_mut().for_each(|log| log.write(&event, &self.view.redaction));
        match &self.view.json {
            Some(JsonForm::Pulumi) => return,
            Some(JsonForm::Events(stream)) => {
                let (kind, body) = events::event(&event, &self.view.redaction, self.view.secrets, took);
                return state.line(&stream.line(self.phase.name, kind, body));
            }
            None => {}
        }
        let shown = match &state.display {
            _ if hidden => false,
            Display::Lines(_) => true,
            Display::Live(live) => self.board(live, &event),
        };
        if let Some(line) = shown.then(|| self.text(&event, took, &called)).flatten() {
            state.line(&line);
        }
    }
}

/// The times and steps that belong to an event.
#[derive(Default)]
struct Noted {
    /// How long the call of a step that ended took.
    took: Option<Duration>,
    /// The steps whose provider is called now.
    called: Vec<Arc<Step>>,
    /// An earlier event had the same text.
    hidden: bool,
}

impl State {
    /// Records an event.
    fn note(&mut self, event: &Event, redaction: &Redaction) -> Noted {
        match event {
            Event::StepStarted(step) => self.under_way.started(step),
            Event::CallStarted { urn } => return Noted { called: self.under_way.calling(urn), ..Noted::default() },
            Event::StepEnded { step, result, .. } => {
                match result {
                    StepResult::Unknown => self.troubles.push(Trouble::InDoubt(Arc::clone(step))),
                    StepResult::NotStarted => self.not_started.push(step.urn.clone()),
                    _ => {}
                }
                return Noted { took: self.under_way.ended(step), ..Noted::default() };
            }
            Event::NotStarted { urn } => self.not_started.push(urn.clone()),
            Event::Diagnostic { urn, diagnostic } if diagnostic.is_error() => {
                if let (Some(stopped), Some(urn)) = (&mut self.stopped, urn)
                    && stopped.takes(urn, diagnostic)
                {
                    return Noted { hidden: true, ..Noted::default() };
                }
                let summary = redaction.hide(&diagnostic.summary);
                self.troubles.push(Trouble::Error { summary, code: diagnostic.code });
            }
            _ => {}
        }
        Noted::default()
    }

    fn line(&mut self, line: &str) {
        match &mut self.display {
            // A diagnostic has several lines; an empty one separates it from the tree.
            Display::Live(live) if line.contains('\n') => live.print(&format!("{line}\n")),
            Display::Live(live) => live.print(line),
            Display::Lines(_) => self.text(&format!("{line}\n")),
        }
    }

    /// An update goes on even if the reader, such as `head`, closed the pipe.
    fn text(&mut self, text: &str) {
        if let Display::Lines(out) = &mut self.display {
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_provider::LogLevel;
    use outrigger_state::Resource;
    use outrigger_value::Urn;
    use outrigger_value::Value;
    use outrigger_workspace::{Recorder, Work};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn shown(mood: Mood, diff: bool, events: Vec<Event>) -> String {
        let out = Shared::default();
        let redaction = Arc::<Redaction>::default();
        let view = View {
            json: None,
            live: false,
            diff,
            same: false,
            reads: false,
            secrets: Secrets::Hidden,
            redaction: redaction.clone(),
            renderer: Renderer::default(),
            shown: Shown::default(),
        };
        let phase = Phase {
            name: "update",
            title: "Updating",
            mood,
            refresh: false,
            project: "shop".into(),
            stack: "dev".into(),
        };
        let progress = Progress::on(Display::Lines(Box::new(out.clone())), view, phase, PropertyMap::new(), Vec::new());
        let recorder = Recorder::new(progress, redaction, Work::Up);
        for event in events {
            recorder.emit(event);
        }
        let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    fn step(op: StepOp) -> Arc<Step> {
        let urn = Urn::new("dev", "shop", None, "random:index/randomPet:RandomPet", "pet");
        let resource = |length: f64| {
            let mut resource = Resource::new(urn.clone(), true);
            resource.inputs.insert("length".to_owned(), length.into());
            resource.inputs.insert("key".to_owned(), Value::secret("canary".into()));
            Some(Arc::new(resource))
        };
        let old = match op {
            StepOp::Create => None,
            StepOp::Same => resource(3.0),
            _ => resource(2.0),
        };
        Arc::new(Step { op, urn: urn.clone(), old, new: resource(3.0), diff: None })
    }

    fn ended(op: StepOp, result: StepResult) -> Event {
        Event::StepEnded { step: step(op), result, result_op: op }
    }

    #[test]
    fn a_preview_says_what_would_be() {
        let events = vec![
            Event::StepStarted(step(StepOp::Create)),
            ended(StepOp::Create, StepResult::Done),
            ended(StepOp::Same, StepResult::Done),
            ended(StepOp::Replace, StepResult::Done),
            ended(StepOp::CreateReplacement, StepResult::Done),
        ];
        let text = shown(Mood::Planned, false, events);
        let expected = "Updating (dev):\n +  pet random:index:RandomPet create\n +- pet random:index:RandomPet replace [diff: ~length]\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn differences_hide_secrets() {
        let text = shown(Mood::Planned, true, vec![ended(StepOp::Create, StepResult::Done)]);
        assert!(text.contains("        + key: [secret]\n        + length: 3\n"), "{text}");
    }

    #[test]
    fn a_plugins_words_do_not_give_secrets_away() {
        let diagnostic = Diagnostic::error("plugin-error", "could not create").detail("bad password canary");
        let events = vec![
            Event::StepStarted(step(StepOp::Create)),
            Event::Diagnostic { urn: None, diagnostic: Box::new(diagnostic) },
            Event::Log { level: LogLevel::Info, urn: None, message: "using canary".into(), ephemeral: false },
            ended(StepOp::Create, StepResult::Failed),
        ];
        let text = shown(Mood::Done, false, events);
        assert!(!text.contains("canary"), "{text}");
        assert!(text.contains("bad password [secret]") && text.contains("creating failed"), "{text}");
    }
    #[test]
    fn last_words_are_told_once() {
        let died = |name: &str, words: &str| {
            let diagnostic = Diagnostic::error("plugin-crashed", format!("could not create `{name}`")).note(words);
            Event::Diagnostic { urn: None, diagnostic: Box::new(diagnostic) }
        };
        let (panic, other) =
            ("the end of the plugin's stderr:\npanic: oh\nmain.go:7", "the end of the plugin's stderr:\npanic: ah");
        let text =
            shown(Mood::Done, false, vec![died("a", panic), died("b", panic), died("c", other), died("d", "short")]);
        assert_eq!(text.matches("main.go:7").count(), 1, "{text}");
        assert!(text.contains("could not create `b`\n  = note: the end of the plugin's stderr: as above\n"), "{text}");
        assert!(text.contains("panic: ah") && text.contains("= note: short"), "{text}");
    }
}
