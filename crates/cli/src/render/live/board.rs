//! The state of every resource of a phase: the model behind the live tree.
//!
//! Every event costs a few map operations, and a frame looks only at as many resources as the screen has lines, so ten thousand of them are no more
//! work to show than ten.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_engine::{Step, StepOp, StepResult};
use outrigger_state::Resource;
use outrigger_value::Urn;
use outrigger_workspace::{is_half, remarks};

use crate::render::text::one_line;

/// How many resources that have just ended are remembered for a screen that cannot show all.
const RECENT: usize = 500;

/// The status of a resource in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing happens to it; it is here for its children.
    Idle,
    /// The preview found something to do for it.
    Waiting,
    /// It waits for a free slot among the parallel calls.
    Queued,
    /// Its provider is working.
    Running {
        /// Its number among all steps that ever ran.
        order: u64,
        /// The time of its start.
        since: Instant,
    },
    /// Its step completed.
    Done,
    /// Its step failed.
    Failed,
    /// Its result is unknown.
    InDoubt,
    /// Its step never began.
    NotStarted,
}

impl Status {
    /// Whether nothing more is expected.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::InDoubt | Self::NotStarted)
    }
}

/// One resource.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) urn: Urn,
    pub(super) parent: Option<usize>,
    pub(super) op: StepOp,
    pub(super) status: Status,
    /// How long the last step took.
    pub(super) took: Option<Duration>,
    /// The provider's latest message about it.
    pub(super) message: Option<String>,
    /// A short list of the changes.
    pub(super) info: String,
    /// Why it is replaced, or other changes than those of its properties.
    pub(super) remark: String,
    /// The resources that must be done before it can begin.
    pub(super) needs: Vec<Urn>,
    /// The last step that changes something.
    pub(super) step: Option<Arc<Step>>,
    /// How many resources below it have something to do, and how many of them are done.
    pub(super) below: (usize, usize),
    begun: Option<Instant>,
}

impl Node {
    /// Whether it has a provider.
    pub(super) fn is_custom(&self) -> bool {
        let resource = self.step.as_ref().and_then(|step| step.new.as_ref().or(step.old.as_ref()));
        resource.is_some_and(|resource| resource.custom)
    }

    /// Whether it was only read.
    pub(super) fn is_read(&self) -> bool {
        self.op == StepOp::Read && self.status == Status::Done
    }
}

/// The step of a resource that a preview found.
#[derive(Clone, Debug)]
pub(crate) struct Intention {
    urn: Urn,
    parent: Option<Urn>,
    op: StepOp,
    needs: Vec<Urn>,
}

/// All resources of a phase.
#[derive(Debug, Default)]
pub(crate) struct Board {
    nodes: Vec<Node>,
    index: HashMap<Urn, usize>,
    /// The root stack.
    root: Option<usize>,
    next: u64,
    running: BTreeMap<u64, usize>,
    queued: BTreeSet<usize>,
    waiting: BTreeSet<usize>,
    failed: BTreeSet<usize>,
    not_started: BTreeSet<usize>,
    done: BTreeSet<usize>,
    recent: VecDeque<usize>,
    unchanged: BTreeSet<usize>,
}

impl Board {
    /// A board that expects the steps of a preview.
    pub(crate) fn expecting(plan: &[Intention]) -> Self {
        let mut board = Self::default();
        for intention in plan {
            let id = board.node(&intention.urn, intention.parent.as_ref());
            board.nodes[id].op = intention.op;
            board.nodes[id].needs.clone_from(&intention.needs);
            board.set(id, Status::Waiting);
        }
        board
    }

    /// The steps that this phase, a preview, found.
    pub(crate) fn plan(&self) -> Vec<Intention> {
        let going = |node: &Node| matches!(node.op, StepOp::Delete | StepOp::Discard);
        // A resource is deleted after those that need it.
        let mut dependents: HashMap<&Urn, Vec<Urn>> = HashMap::new();
        for node in self.done.iter().map(|id| &self.nodes[*id]).filter(|node| going(node)) {
            let parent = node.parent.map(|parent| &self.nodes[parent].urn);
            for needed in node.needs.iter().chain(parent) {
                dependents.entry(needed).or_default().push(node.urn.clone());
            }
        }
        let intend = |id: &usize| {
            let node = &self.nodes[*id];
            let needs =
                if going(node) { dependents.get(&node.urn).cloned().unwrap_or_default() } else { node.needs.clone() };
            let parent = node.parent.map(|parent| self.nodes[parent].urn.clone());
            Intention { urn: node.urn.clone(), parent, op: node.op, needs }
        };
        self.done.iter().map(intend).collect()
    }

    /// A step begins.
    pub(crate) fn started(&mut self, step: &Arc<Step>, info: String, now: Instant) {
        let id = self.of(step);
        let node = &mut self.nodes[id];
        node.begun = Some(now);
        if step.op == StepOp::Same {
            return;
        }
        node.op = step.op;
        if !info.is_empty() {
            node.info = info;
        }
        self.set(id, Status::Queued);
    }

    /// The provider is called.
    pub(crate) fn calling(&mut self, urn: &Urn, now: Instant) {
        let Some(id) = self.index.get(urn).copied() else { return };
        if self.nodes[id].status == Status::Queued {
            self.nodes[id].begun = Some(now);
            self.next += 1;
            self.set(id, Status::Running { order: self.next, since: now });
        }
    }

    /// A step ended; `op` is its outcome.
    pub(crate) fn ended(&mut self, step: &Arc<Step>, result: StepResult, op: StepOp, info: String, now: Instant) {
        let id = self.of(step);
        let node = &mut self.nodes[id];
        // An import is compared with the program afterwards. If the two agree, the import is the outcome.
        let import = matches!(node.op, StepOp::Import | StepOp::ImportReplacement);
        if op == StepOp::Same && result == StepResult::Done && import && node.status == Status::Done {
            return;
        }
        let remark = one_line(&remarks(step));
        node.took = node.begun.map(|begun| now.duration_since(begun));
        node.message = None;
        let status = match result {
            StepResult::Done if op == StepOp::Same && remark.is_empty() => Status::Idle,
            StepResult::Done => Status::Done,
            StepResult::Failed => Status::Failed,
            StepResult::Unknown => Status::InDoubt,
            StepResult::NotStarted => Status::NotStarted,
        };
        // Both halves together are a replacement.
        let other_half = node.step.as_ref().is_some_and(|before| is_half(before.op) && before.op != step.op);
        node.op = if is_half(op) && other_half { StepOp::Replace } else { op };
        if !info.is_empty() {
            node.info = info;
        }
        if !remark.is_empty() {
            node.remark = remark;
        }
        if status == Status::Idle {
            self.unchanged.insert(id);
        } else {
            self.unchanged.remove(&id);
            // The half that creates the new resource shows the changes.
            if node.step.is_none() || step.new.is_some() {
                node.step = Some(Arc::clone(step));
            }
        }
        self.set(id, status);
    }

    /// A resource will get no step.
    pub(crate) fn not_started(&mut self, urn: &Urn) {
        let id = match self.index.get(urn) {
            Some(id) => *id,
            // It was never registered, so its parent is not known either.
            None => {
                let root = self.root.map(|root| self.nodes[root].urn.clone());
                self.node(urn, root.as_ref())
            }
        };
        if !self.nodes[id].status.is_over() {
            self.set(id, Status::NotStarted);
        }
    }

    /// A provider's message about a resource, which the next one replaces.
    pub(crate) fn message(&mut self, urn: &Urn, message: &str) {
        if let Some(id) = self.index.get(urn) {
            let message = one_line(message);
            self.nodes[*id].message = (!message.is_empty()).then_some(message);
        }
    }

    pub(super) fn get(&self, id: usize) -> &Node {
        &self.nodes[id]
    }

    pub(super) fn find(&self, urn: &Urn) -> Option<&Node> {
        self.index.get(urn).map(|id| &self.nodes[*id])
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            running: self.running.len(),
            queued: self.queued.len(),
            waiting: self.waiting.len(),
            done: self.done.len(),
            failed: self.failed.len(),
            not_started: self.not_started.len(),
            unchanged: self.unchanged.len(),
        }
    }

    /// The running resources, the oldest first.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> {
        self.running.values().copied()
    }

    pub(super) fn queued(&self) -> impl Iterator<Item = usize> {
        self.queued.iter().copied()
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = usize> {
        self.waiting.iter().copied()
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = usize> {
        self.failed.iter().copied()
    }

    /// The resources that are done, the latest first; not all if there are many.
    pub(super) fn recent(&self) -> impl Iterator<Item = usize> {
        self.recent.iter().rev().copied().filter(|id| self.nodes[*id].status == Status::Done)
    }

    /// Everything that is done, failed or was not started, in the order of appearance.
    pub(super) fn settled(&self) -> impl Iterator<Item = usize> {
        let mut all: Vec<usize> = self.done.iter().chain(&self.failed).chain(&self.not_started).copied().collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// The unchanged resources.
    pub(super) fn unchanged(&self) -> impl Iterator<Item = usize> {
        self.unchanged.iter().copied()
    }

    fn of(&mut self, step: &Step) -> usize {
        let resource = step.new.as_deref().or(step.old.as_deref());
        let id = self.node(&step.urn, resource.and_then(|resource| resource.parent.as_ref()));
        if let Some(resource) = resource {
            self.nodes[id].needs = needs(resource);
        }
        id
    }

    fn node(&mut self, urn: &Urn, parent: Option<&Urn>) -> usize {
        let parent = parent.filter(|parent| *parent != urn).map(|parent| self.node(parent, None));
        if let Some(id) = self.index.get(urn).copied() {
            self.attach(id, parent);
            return id;
        }
        let id = self.nodes.len();
        if urn.is_stack() {
            self.root = Some(id);
        }
        self.index.insert(urn.clone(), id);
        self.nodes.push(Node {
            urn: urn.clone(),
            parent,
            op: StepOp::Same,
            status: Status::Idle,
            took: None,
            message: None,
            info: String::new(),
            remark: String::new(),
            needs: Vec::new(),
            step: None,
            below: (0, 0),
            begun: None,
        });
        id
    }

    /// Puts a resource under its parent; a child may have been seen before its parent.
    fn attach(&mut self, id: usize, parent: Option<usize>) {
        let Some(parent) = parent.filter(|_| self.nodes[id].parent.is_none()) else { return };
        if self.above(parent).any(|above| above == id) {
            return;
        }
        self.nodes[id].parent = Some(parent);
        let Node { status, below, .. } = &self.nodes[id];
        let own = counts(*status);
        let all = (below.0 + own.0, below.1 + own.1);
        self.add_below(parent, (0, 0), all);
    }

    /// A resource and everything above it.
    pub(super) fn above(&self, id: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(id), |id| self.nodes[*id].parent)
    }

    fn add_below(&mut self, id: usize, was: (usize, usize), is: (usize, usize)) {
        let mut next = Some(id);
        while let Some(id) = next {
            let below = &mut self.nodes[id].below;
            *below = (below.0 + is.0 - was.0, below.1 + is.1 - was.1);
            next = self.nodes[id].parent;
        }
    }

    fn set(&mut self, id: usize, status: Status) {
        let before = std::mem::replace(&mut self.nodes[id].status, status);
        match before {
            Status::Idle => {}
            Status::Waiting => drop(self.waiting.remove(&id)),
            Status::Queued => drop(self.queued.remove(&id)),
            Status::Running { order, .. } => drop(self.running.remove(&order)),
            Status::Done => drop(self.done.remove(&id)),
            Status::Failed | Status::InDoubt => drop(self.failed.remove(&id)),
            Status::NotStarted => drop(self.not_started.remove(&id)),
        }
        match status {
            Status::Idle => {}
            Status::Waiting => drop(self.waiting.insert(id)),
            Status::Queued => drop(self.queued.insert(id)),
            Status::Running { order, .. } => drop(self.running.insert(order, id)),
            Status::Done => {
                self.done.insert(id);
                if self.recent.len() == RECENT {
                    self.recent.pop_front();
                }
                self.recent.push_back(id);
            }
            Status::Failed | Status::InDoubt => drop(self.failed.insert(id)),
            Status::NotStarted => drop(self.not_started.insert(id)),
        }
        if let Some(parent) = self.nodes[id].parent {
            self.add_below(parent, counts(before), counts(status));
        }
    }
}

/// The numbers that a resource adds to the counts above it.
fn counts(status: Status) -> (usize, usize) {
    (usize::from(status != Status::Idle), usize::from(status.is_over()))
}

/// How many resources have which status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) running: usize,
    pub(super) queued: usize,
    pub(super) waiting: usize,
    pub(super) done: usize,
    pub(super) failed: usize,
    pub(super) not_started: usize,
    pub(super) unchanged: usize,
}

fn needs(resource: &Resource) -> Vec<Urn> {
    resource.dependencies.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urn(name: &str) -> Urn {
        Urn::new("dev", "shop", None, "a:b:C", name)
    }

    fn step(op: StepOp, name: &str, needs: &[&str]) -> Arc<Step> {
        let mut resource = Resource::new(urn(name), true);
        resource.dependencies = needs.iter().map(|name| urn(name)).collect();
        let resource = Some(Arc::new(resource));
        let (old, new) = if op == StepOp::Delete { (resource, None) } else { (None, resource) };
        Arc::new(Step { op, urn: urn(name), old, new, diff: None })
    }

    fn done(board: &mut Board, step: &Arc<Step>) {
        board.started(step, String::new(), Instant::now());
        board.ended(step, StepResult::Done, step.op, String::new(), Instant::now());
    }

    #[test]
    fn a_plan_says_what_waits_for_what() {
        let mut preview = Board::default();
        for (name, needs) in [("a", &[][..]), ("b", &["a"]), ("c", &["b"])] {
            done(&mut preview, &step(StepOp::Create, name, needs));
        }
        let mut board = Board::expecting(&preview.plan());
        assert_eq!(board.tally(), Tally { waiting: 3, ..Tally::default() });
        assert_eq!(board.find(&urn("b")).unwrap().needs, [urn("a")]);
        let a = step(StepOp::Create, "a", &[]);
        board.started(&a, String::new(), Instant::now());
        assert_eq!(board.tally(), Tally { waiting: 2, queued: 1, ..Tally::default() });
        board.calling(&urn("a"), Instant::now());
        assert_eq!(board.tally(), Tally { waiting: 2, running: 1, ..Tally::default() });
        board.ended(&a, StepResult::Unknown, StepOp::Create, String::new(), Instant::now());
        assert_eq!(board.tally(), Tally { waiting: 2, failed: 1, ..Tally::default() });
    }

    #[test]
    fn what_is_needed_goes_last() {
        let mut preview = Board::default();
        done(&mut preview, &step(StepOp::Delete, "b", &["a"]));
        done(&mut preview, &step(StepOp::Delete, "a", &[]));
        let board = Board::expecting(&preview.plan());
        assert_eq!(board.find(&urn("a")).unwrap().needs, [urn("b")]);
        assert!(board.find(&urn("b")).unwrap().needs.is_empty());
    }

    #[test]
    fn a_parent_may_come_after_its_children() {
        let mut board = Board::default();
        let child = |name: &str, parent: &str| {
            let mut resource = Resource::new(urn(name), true);
            resource.parent = Some(urn(parent));
            Arc::new(Step { op: StepOp::Create, urn: urn(name), old: None, new: Some(Arc::new(resource)), diff: None })
        };
        done(&mut board, &child("leaf", "middle"));
        done(&mut board, &child("middle", "root"));
        assert_eq!(board.find(&urn("root")).unwrap().below, (2, 2));
        done(&mut board, &child("root", "leaf"));
        assert_eq!(board.find(&urn("root")).unwrap().parent, None, "a circle");
    }

    #[test]
    fn two_halves_are_a_replacement() {
        let mut board = Board::default();
        done(&mut board, &step(StepOp::CreateReplacement, "a", &[]));
        assert_eq!(board.find(&urn("a")).unwrap().op, StepOp::CreateReplacement);
        done(&mut board, &step(StepOp::DeleteReplaced, "a", &[]));
        assert_eq!(board.find(&urn("a")).unwrap().op, StepOp::Replace);
        assert_eq!(board.tally().done, 1);
    }
}
