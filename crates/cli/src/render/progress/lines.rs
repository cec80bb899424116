//! Events as lines, for a pipe or a terminal that cannot be redrawn.

use std::sync::Arc;
use std::time::Duration;

use outrigger_engine::{Event, Step, StepOp, StepResult};
use outrigger_provider::LogLevel;
use outrigger_workspace::difference::{Change, changes, drift, on_a_line};
use outrigger_workspace::{Mood, is_half, is_internal, remarks};

use super::{Progress, Shown};
use crate::render::detail::in_full;
use crate::render::duration::short;
use crate::render::step::{found, label, trouble, words};
use crate::render::text::harmless;

impl Progress {
    /// The lines for an event, if it has any. `took` is the length of a call that has ended, `called` are the steps whose provider is called now.
    pub(super) fn text(&self, event: &Event, took: Option<Duration>, called: &[Arc<Step>]) -> Option<String> {
        match event {
            Event::CallStarted { .. } => {
                let lines: Vec<String> = called.iter().filter_map(|step| self.begun(step)).collect();
                (!lines.is_empty()).then(|| lines.join("\n"))
            }
            Event::StepEnded { step, result, result_op } => self.ended(step, *result, *result_op, took),
            // Thousands of steps may never have started: the summary counts them.
            Event::StepStarted(_) | Event::NotStarted { .. } | Event::Outputs { .. } => None,
            Event::Diagnostic { diagnostic, .. } => {
                let mut shown = self.view.redaction.hide_in(diagnostic);
                // A preview and the update after it produce the same warnings.
                if !shown.is_error() && !self.view.shown.is_new(&shown.to_string()) {
                    return None;
                }
                shown.notes.iter_mut().for_each(|note| shorten(note, &self.view.shown));
                Some(self.view.redaction.hide(&self.view.renderer.render(&shown)).trim_end().to_owned())
            }
            // A status that the next one replaces needs a screen.
            Event::Log { level: LogLevel::Debug, .. } | Event::Log { ephemeral: true, .. } => None,
            Event::Log { level, urn, message, .. } => {
                let word = match level {
                    LogLevel::Warning => "warning: ",
                    LogLevel::Error => "error: ",
                    _ => "",
                };
                let about = urn.as_ref().map_or_else(String::new, |urn| format!("{}: ", label(urn)));
                let message = self.view.redaction.hide(message);
                (!message.trim().is_empty()).then(|| format!("    {about}{word}{}", message.trim_end()))
            }
        }
    }

    /// The line of a step whose provider is called; a preview has none, because nothing is called for real.
    fn begun(&self, step: &Step) -> Option<String> {
        let quiet = matches!(step.op, StepOp::Same | StepOp::Replace | StepOp::Refresh)
            || (step.op == StepOp::Read && !self.view.reads);
        if self.phase.mood == Mood::Planned || quiet || is_internal(step) {
            return None;
        }
        let words = words(step.op);
        let (mark, style) = (words.mark, words.style);
        Some(format!(" {style}{mark}{style:#} {} {}{}", label(&step.urn), words.doing, self.changed(step)))
    }

    fn ended(&self, step: &Step, result: StepResult, result_op: StepOp, took: Option<Duration>) -> Option<String> {
        let planned = self.phase.mood == Mood::Planned;
        let done = result == StepResult::Done;
        // A replacement is one line in a preview and two steps when it happens.
        let quiet = match step.op {
            StepOp::Same => is_internal(step) || !self.view.same && remarks(step).is_empty(),
            StepOp::Read => !self.view.reads,
            StepOp::Refresh => result_op == StepOp::Same,
            StepOp::Replace => !planned,
            op => is_internal(step) || (is_half(op) && planned),
        };
        if done && quiet {
            return None;
        }
        let op = if step.op == StepOp::Refresh { result_op } else { step.op };
        let words = words(op);
        let (mark, style) = (words.mark, words.style);
        let took = took.map_or_else(String::new, |took| format!(" ({})", short(took)));
        let (what, rest) = match (done, step.op) {
            (false, _) if result == StepResult::NotStarted => ("not started".to_owned(), String::new()),
            (false, _) => (format!("{} {}", words.doing, trouble(result)), took),
            (true, StepOp::Same) if !remarks(step).is_empty() => (String::new(), self.changed(step)),
            (true, StepOp::Refresh) => (found(result_op).to_owned(), self.drifted(step)),
            (true, _) if planned => (words.planned.to_owned(), self.changed(step)),
            (true, _) => (words.done.to_owned(), took),
        };
        let what = if what.is_empty() { what } else { format!(" {what}") };
        Some(format!(" {style}{mark}{style:#} {}{what}{rest}", label(&step.urn)))
    }

    /// The changes, on the same line or below it.
    fn changed(&self, step: &Step) -> String {
        let changed = if self.view.diff { self.below(step) } else { self.brief(step) };
        format!("{}{changed}", harmless(&remarks(step)))
    }

    /// A short list of the changes, with a space in front.
    pub(super) fn brief(&self, step: &Step) -> String {
        match step.op {
            StepOp::Update | StepOp::Replace | StepOp::CreateReplacement => noted(&changes(step)),
            _ => String::new(),
        }
    }

    fn drifted(&self, step: &Step) -> String {
        if !self.view.diff {
            return self.drifted_on_a_line(step);
        }
        self.below(step)
    }

    /// All changes, on separate lines below the current one.
    fn below(&self, step: &Step) -> String {
        match in_full(step, self.view.secrets).trim_end() {
            "" => String::new(),
            text => format!("\n{text}"),
        }
    }

    pub(super) fn drifted_on_a_line(&self, step: &Step) -> String {
        let (Some(old), Some(new)) = (&step.old, &step.new) else { return String::new() };
        noted(&drift(old, new))
    }
}

fn noted(changes: &[Change]) -> String {
    match on_a_line(changes) {
        names if names.is_empty() => String::new(),
        names => format!(" [diff: {names}]"),
    }
}

/// A plugin that dies fails every call that it was working on. Each call gets the error, but a stack trace is shown only once.
fn shorten(note: &mut String, shown: &Shown) {
    let Some((title, _)) = note.split_once('\n') else { return };
    let above = format!("{title} as above");
    if !shown.is_new(note) {
        *note = above;
    }
}
