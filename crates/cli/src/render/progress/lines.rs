//! Events as lines, for a pipe or a terminal that cannot be redrawn.

use std::collections::HashSet;
use std::time::Instant;

use outrigger_engine::{Event, Step, StepOp, StepResult};
use outrigger_provider::LogLevel;
use outrigger_workspace::difference::{Change, changes, drift, on_a_line};
use outrigger_workspace::{Mood, is_half, is_internal};

use super::Progress;
use crate::render::detail::in_full;
use crate::render::duration::short;
use crate::render::step::{found, label, trouble, words};

impl Progress {
    /// What is printed of an event, if anything. `since` is when a step that has ended began, `told` are the long notes that were shown.
    pub(super) fn text(&self, event: &Event, since: Option<Instant>, told: &mut HashSet<String>) -> Option<String> {
        match event {
            Event::StepStarted(step) => self.begun(step),
            Event::StepEnded { step, result, result_op } => self.ended(step, *result, *result_op, since),
            Event::CallStarted { .. } | Event::Outputs { .. } => None,
            Event::Diagnostic { diagnostic, .. } => {
                let mut shown = self.view.redaction.hide_in(diagnostic);
                shown.notes.iter_mut().for_each(|note| shorten(note, told));
                Some(self.view.redaction.hide(&self.view.renderer.render(&shown)).trim_end().to_owned())
            }
            // A status that the next one replaces needs a screen that can replace it.
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

    /// The line of a step that begins; a preview has none, because there it only says what would be.
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

    fn ended(&self, step: &Step, result: StepResult, result_op: StepOp, since: Option<Instant>) -> Option<String> {
        let planned = self.phase.mood == Mood::Planned;
        let done = result == StepResult::Done;
        // A replacement is one line in a preview and two steps when it happens.
        let quiet = match step.op {
            StepOp::Same => !self.view.same || is_internal(step),
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
        let took = since.map_or_else(String::new, |since| format!(" ({})", short(since.elapsed())));
        let (what, rest) = match (done, step.op) {
            (false, _) => (format!("{} {}", words.doing, trouble(result)), took),
            (true, StepOp::Refresh) => (found(result_op).to_owned(), self.drifted(step)),
            (true, _) if planned => (words.planned.to_owned(), self.changed(step)),
            (true, _) => (words.done.to_owned(), took),
        };
        Some(format!(" {style}{mark}{style:#} {} {what}{rest}", label(&step.urn)))
    }

    /// What changes, on the same line or below it.
    fn changed(&self, step: &Step) -> String {
        if self.view.diff {
            return self.below(step);
        }
        self.brief(step)
    }

    /// What changes, in a few words, with a space in front.
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

    /// Everything that changes, on lines of its own after the present one.
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

/// A plugin that dies takes every call with it that it was working on. Each is told, but the same stack trace only once.
fn shorten(note: &mut String, told: &mut HashSet<String>) {
    let Some((title, _)) = note.split_once('\n') else { return };
    let above = format!("{title} as above");
    if !told.insert(note.clone()) {
        *note = above;
    }
}
