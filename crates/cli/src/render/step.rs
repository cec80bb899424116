//! Words and marks for steps.

use anstyle::{AnsiColor, Style};
use outrigger_engine::{StepOp, StepResult};
use outrigger_value::Urn;

use super::text::one_line;

/// How a kind of step is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// Two characters in front of the line, as in Pulumi.
    pub(crate) mark: &'static str,
    /// In a preview.
    pub(crate) planned: &'static str,
    /// While the step runs.
    pub(crate) doing: &'static str,
    /// When the step is done.
    pub(crate) done: &'static str,
    /// The colour of the mark.
    pub(crate) style: Style,
}

const fn color(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// The words for a kind of step.
pub(crate) fn words(op: StepOp) -> Words {
    let (mark, planned, doing, done, shade) = match op {
        StepOp::Same => ("  ", "unchanged", "keeping", "unchanged", AnsiColor::White),
        StepOp::Create => ("+ ", "create", "creating", "created", AnsiColor::Green),
        StepOp::Update => ("~ ", "update", "updating", "updated", AnsiColor::Yellow),
        StepOp::Delete => ("- ", "delete", "deleting", "deleted", AnsiColor::Red),
        StepOp::Replace => ("+-", "replace", "replacing", "replaced", AnsiColor::Magenta),
        StepOp::CreateReplacement => {
            ("++", "create replacement", "creating replacement", "created replacement", AnsiColor::Green)
        }
        StepOp::DeleteReplaced => ("--", "delete original", "deleting original", "deleted original", AnsiColor::Red),
        StepOp::Read => ("> ", "read", "reading", "read", AnsiColor::Cyan),
        StepOp::ReadReplacement => {
            (">>", "read replacement", "reading replacement", "read replacement", AnsiColor::Cyan)
        }
        StepOp::Refresh => ("~ ", "refresh", "refreshing", "refreshed", AnsiColor::Yellow),
        StepOp::Discard => ("< ", "discard", "discarding", "discarded", AnsiColor::Red),
        StepOp::DiscardReplaced => {
            ("<<", "discard original", "discarding original", "discarded original", AnsiColor::Red)
        }
        StepOp::RemovePendingReplace => (
            "- ",
            "remove from the state",
            "removing the deleted original from the state",
            "removed from the state",
            AnsiColor::Red,
        ),
        StepOp::Import => ("= ", "import", "importing", "imported", AnsiColor::Cyan),
        StepOp::ImportReplacement => {
            ("=>", "import replacement", "importing replacement", "imported replacement", AnsiColor::Cyan)
        }
    };
    Words { mark, planned, doing, done, style: color(shade) }
}

/// The result of a refresh.
pub(crate) fn found(op: StepOp) -> &'static str {
    match op {
        StepOp::Delete => "missing",
        StepOp::Update => "drifted",
        _ => "unchanged",
    }
}

/// How a failed step is shown.
pub(crate) fn trouble(result: StepResult) -> &'static str {
    match result {
        StepResult::Done => "done",
        StepResult::Failed => "failed",
        StepResult::NotStarted => "not started",
        StepResult::Unknown => "ended with an unknown result; it is saved as a pending operation",
    }
}

/// The type as it is shown: `random:index:RandomPet` for `random:index/randomPet:RandomPet`, as Pulumi shortens it.
pub(crate) fn short_type(ty: &str) -> String {
    let mut parts = ty.splitn(3, ':');
    let (Some(package), Some(module), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return ty.to_owned();
    };
    match module.rsplit_once('/') {
        Some((outer, inner)) if inner.eq_ignore_ascii_case(name) => format!("{package}:{outer}:{name}"),
        _ => ty.to_owned(),
    }
}

/// Name and type of a resource, on one line.
pub(crate) fn label(urn: &Urn) -> String {
    one_line(&format!("{} {}", urn.name(), short_type(urn.ty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_shortened_only_where_nothing_is_lost() {
        assert_eq!(short_type("random:index/randomPet:RandomPet"), "random:index:RandomPet");
        assert_eq!(short_type("aws:s3/bucket:Bucket"), "aws:s3:Bucket");
        assert_eq!(short_type("aws:s3/other:Bucket"), "aws:s3/other:Bucket");
        assert_eq!(short_type("pulumi:pulumi:Stack"), "pulumi:pulumi:Stack");
        assert_eq!(short_type("odd"), "odd");
    }
}
