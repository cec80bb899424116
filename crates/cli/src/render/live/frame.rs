//! One frame of the live tree: which resources fit on a screen of that size, and how they look.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use outrigger_engine::StepOp;
use outrigger_workspace::{Mood, is_half};

use super::board::{Board, Node, Status, Tally};
use crate::render::duration::{running, short};
use crate::render::step::{Words, found, short_type, words};
use crate::render::text::{Line, one_line, width};

/// A step that takes longer is called slow.
const SLOW: Duration = Duration::from_secs(10);

/// Below this width only the last part of a type is shown.
const NARROW: usize = 90;

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const BAD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const LATE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// The content of a frame besides the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) mood: Mood,
    /// The title of the phase: `Updating`.
    pub(super) title: &'static str,
    pub(super) begun: Instant,
    pub(super) now: Instant,
    /// The user asked to stop.
    pub(super) stopping: bool,
    /// The phase is over, and the tree is a record of it.
    pub(super) over: bool,
    /// Every property that changes is shown below its resource.
    pub(super) listed: bool,
}

impl Frame {
    /// The lines, none wider than the screen, and fewer than it has.
    pub(super) fn lines(&self, board: &Board) -> Vec<String> {
        // A column is kept free, so that no line wraps; a row, so that nothing scrolls.
        let room = self.columns.saturating_sub(1).max(10);
        let foot = self.foot(board, room);
        let budget = self.rows.saturating_sub(foot.len() + 1);
        let chosen = choose(board, budget);
        let mut lines = self.tree(board, &chosen, room, room);
        lines.extend(foot);
        lines
    }

    /// The tree of everything that happened, for the record, in its full length.
    pub(super) fn settled(&self, board: &Board, chosen: &BTreeSet<usize>, below: &dyn Fn(&Node) -> String) -> String {
        let rows = rows(board, chosen);
        // Final output may wrap: nothing is cut off.
        let lines = Self { over: true, ..*self }.tree(board, chosen, self.columns.max(40), usize::MAX);
        let mut out = String::new();
        for (line, (id, _)) in lines.into_iter().zip(rows) {
            out.push_str(&line);
            out.push('\n');
            out.push_str(&below(board.get(id)));
        }
        out
    }

    /// The rows of the tree: labels in their part of `columns`, whole rows in `room`.
    fn tree(&self, board: &Board, chosen: &BTreeSet<usize>, columns: usize, room: usize) -> Vec<String> {
        let rows = rows(board, chosen);
        let label = |(id, branch): &(usize, String)| {
            let node = board.get(*id);
            (branch.clone(), one_line(node.urn.name()), self.type_of(node))
        };
        let labels: Vec<(String, String, String)> = rows.iter().map(label).collect();
        let widest = labels.iter().map(|(branch, name, ty)| width(branch) + width(name) + width(ty) + 1).max();
        // The marks and a space before the label, two spaces after it; the rest is for the step.
        let column = (widest.unwrap_or_default() + 6).min(columns * 3 / 5);
        rows.iter()
            .zip(labels)
            .map(|((id, _), (branch, name, ty))| {
                let node = board.get(*id);
                let words = words(self.shown_op(node));
                let mut line = Line::new(room);
                line.push(" ");
                line.styled(words.style, if node.status == Status::Idle { "  " } else { words.mark });
                line.push(" ");
                // The label has limited room, so that a long name leaves enough for the step.
                let mut label = Line::new(column.saturating_sub(6));
                label.styled(DIM, &branch);
                label.styled(BOLD, &name);
                label.push(" ");
                label.styled(DIM, &ty);
                line.append(label);
                line.fill(column);
                self.happening(board, node, &words, &mut line);
                line.end()
            })
            .collect()
    }

    fn type_of(&self, node: &Node) -> String {
        let ty = one_line(&short_type(node.urn.ty()));
        match self.columns < NARROW {
            true => ty.rsplit(':').next().unwrap_or_default().to_owned(),
            false => ty,
        }
    }

    fn shown_op(&self, node: &Node) -> StepOp {
        if self.mood == Mood::Planned && is_half(node.op) { StepOp::Replace } else { node.op }
    }

    fn happening(&self, board: &Board, node: &Node, words: &Words, line: &mut Line) {
        let took = |line: &mut Line| {
            // A component takes no time itself.
            if let Some(took) = node.took.filter(|_| self.mood == Mood::Done && node.is_custom()) {
                line.styled(DIM, &format!(" {}", short(took)));
            }
        };
        match node.status {
            Status::Idle => {
                if node.below.0 > 0 && !self.over {
                    line.styled(DIM, &format!("{} of {} done", node.below.1, node.below.0));
                }
            }
            Status::Waiting => line.styled(DIM, &self.waits(board, node)),
            Status::Queued if self.mood == Mood::Planned => line.styled(DIM, "planning"),
            Status::Queued => line.styled(DIM, "queued"),
            Status::Running { since, .. } => {
                let passed = self.now.saturating_duration_since(since);
                let doing = if self.mood == Mood::Planned { "planning" } else { words.doing };
                line.styled(words.style, doing);
                line.push(&format!(" {}", running(passed)));
                if passed >= SLOW {
                    line.styled(LATE, " slow");
                }
                match &node.message {
                    Some(message) => line.styled(DIM, &format!("  {message}")),
                    None => line.styled(DIM, &node.info),
                }
            }
            Status::Done => {
                if node.op == StepOp::Same {
                    return line.push(&node.remark);
                }
                let what = match (self.mood, node.step.as_ref().map(|step| step.op)) {
                    (_, Some(StepOp::Refresh)) => found(node.op),
                    (Mood::Planned, _) => words.planned,
                    (Mood::Done, _) => words.done,
                };
                line.styled(words.style, what);
                if !node.remark.is_empty() {
                    line.push(if node.remark.starts_with(',') { "" } else { " " });
                    line.push(&node.remark);
                }
                took(line);
                // If every property is listed below, the names are not repeated here.
                if !(self.over && self.listed) {
                    line.push(&node.info);
                }
            }
            Status::Failed => {
                // The mark in front says which operation it was.
                line.styled(BAD, "failed");
                took(line);
            }
            Status::NotStarted => line.styled(DIM, "not started"),
            Status::InDoubt => {
                line.styled(BAD, &format!("{} ended with an unknown result", words.doing));
                took(line);
            }
        }
    }

    fn waits(&self, board: &Board, node: &Node) -> String {
        const SHOWN: usize = 2;
        if self.stopping {
            return "not started".to_owned();
        }
        let open = |urn: &&outrigger_value::Urn| {
            board.find(urn).is_some_and(|needed| !needed.status.is_over() && needed.status != Status::Idle)
        };
        let names: Vec<String> = node.needs.iter().filter(open).map(|urn| one_line(urn.name())).collect();
        match names.len() {
            0 => "waiting".to_owned(),
            1..=SHOWN => format!("waits for {}", names.join(", ")),
            count => format!("waits for {} and {} more", names[..SHOWN].join(", "), count - SHOWN),
        }
    }

    fn foot(&self, board: &Board, room: usize) -> Vec<String> {
        let Tally { running: at_work, queued, waiting, done, failed, not_started, unchanged } = board.tally();
        let mut line = Line::new(room);
        line.styled(BOLD, self.title);
        line.push(&format!(" {}", running(self.now.saturating_duration_since(self.begun))));
        let mut part = |count: usize, word: &str, style: Style| {
            if count > 0 {
                line.styled(DIM, " · ");
                line.styled(style, &format!("{count} {word}"));
            }
        };
        part(failed, "failed", BAD);
        part(not_started, "not started", DIM);
        part(at_work, "running", Style::new());
        part(queued, if self.mood == Mood::Planned { "planning" } else { "queued" }, Style::new());
        part(waiting, if self.stopping { "not started" } else { "waiting" }, Style::new());
        part(done, if self.mood == Mood::Planned { "to do" } else { "done" }, Style::new());
        part(unchanged, "unchanged", DIM);
        let mut lines = vec![line.end()];
        if self.stopping {
            lines.push(self.stop(board, room));
            let mut line = Line::new(room);
            line.styled(DIM, "Interrupt again to end now; operations without a result are then saved as pending.");
            lines.push(line.end());
        }
        if self.rows < 8 {
            // On a very small screen the resources matter more.
            lines.truncate(if self.stopping { 2 } else { 1 });
        }
        lines
    }

    /// The operations that the stop waits for.
    fn stop(&self, board: &Board, room: usize) -> String {
        let mut line = Line::new(room);
        line.styled(LATE, "Stopping");
        let mut at_work = board.running().map(|id| board.get(id));
        match at_work.next() {
            None => line.push(": nothing is under way."),
            Some(first) => {
                line.push(&format!(": waiting for {} {}", words(first.op).doing, one_line(first.urn.name())));
                let more = at_work.count();
                if more > 0 {
                    line.push(&format!(" and {more} more"));
                }
            }
        }
        line.end()
    }
}

/// The resources that a screen with so many rows shows, with those above them. The work depends on the rows, not on the resources.
fn choose(board: &Board, budget: usize) -> BTreeSet<usize> {
    let Tally { running, queued, waiting, done, failed, .. } = board.tally();
    let mut chosen = Chosen { board, set: BTreeSet::new(), budget };
    if running + queued + waiting + done + failed <= budget {
        let all = board.failed().chain(board.running()).chain(board.queued()).chain(board.waiting());
        chosen.take(all.chain(board.recent()), budget);
        return chosen.set;
    }
    chosen.take(board.failed(), budget.div_ceil(4) + 1);
    chosen.take(board.running(), budget);
    // The next steps and the latest results share the rest.
    let rest = chosen.left();
    chosen.take(board.recent(), rest.div_ceil(2));
    chosen.take(board.queued().chain(board.waiting()), budget);
    chosen.take(board.recent(), budget);
    chosen.set
}

struct Chosen<'a> {
    board: &'a Board,
    set: BTreeSet<usize>,
    budget: usize,
}

impl Chosen<'_> {
    fn left(&self) -> usize {
        self.budget.saturating_sub(self.set.len())
    }

    /// Adds at most `most` rows, whole branches only.
    fn take(&mut self, ids: impl Iterator<Item = usize>, most: usize) {
        let end = (self.set.len() + most).min(self.budget);
        for id in ids {
            let missing: Vec<usize> = self.board.above(id).filter(|id| !self.set.contains(id)).collect();
            if self.set.len() + missing.len() > end {
                break;
            }
            self.set.extend(missing);
        }
    }
}

/// The chosen resources as a tree: each with the branch in front of it.
fn rows(board: &Board, chosen: &BTreeSet<usize>) -> Vec<(usize, String)> {
    let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for id in chosen {
        children.entry(board.get(*id).parent.filter(|parent| chosen.contains(parent))).or_default().push(*id);
    }
    let mut rows = Vec::new();
    // An explicit stack instead of recursion: a hostile state may nest deeper than the call stack allows.
    let mut open: Vec<(usize, String, String)> = Vec::new();
    let push = |open: &mut Vec<(usize, String, String)>, parent: Option<usize>, prefix: &str| {
        let Some(own) = children.get(&parent) else { return };
        for (index, id) in own.iter().enumerate().rev() {
            let (branch, below) = match (parent, index + 1 == own.len()) {
                (None, _) => ("", ""),
                (_, true) => ("└─ ", "   "),
                (_, false) => ("├─ ", "│  "),
            };
            open.push((*id, format!("{prefix}{branch}"), format!("{prefix}{below}")));
        }
    };
    push(&mut open, None, "");
    while let Some((id, branch, prefix)) = open.pop() {
        rows.push((id, branch));
        push(&mut open, Some(id), &prefix);
    }
    rows
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
