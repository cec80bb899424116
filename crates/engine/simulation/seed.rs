//! One seed: the life of a stack over a few commands, some of them interrupted, with the rules checked after each.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Ending, Options, PendingCreates, RunResult, StepOp, destroy, refresh, up};
use outrigger_state::{OperationKind, Resource, Snapshot};
use outrigger_value::{PropertyMap, Urn};

use super::fault::Fault;
use super::item::Items;
use super::ledger::Ledger;
use super::program::FakeProgram;
use super::random::Random;
use super::schedule::Ended;
use super::services::services;
use super::store::Store;
use super::world::{Trouble, World};

/// A broken rule.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) seed: u64,
    pub(crate) rules: Vec<String>,
    pub(crate) trace: Vec<String>,
}

/// The outcome of a seed, for comparing two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) trace: Vec<String>,
    pub(crate) runs: usize,
}

/// A command to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Preview,
    Up { refresh: bool },
    Refresh,
    Destroy { refresh: bool },
}

/// The disturbances of a run, each at the step of that number.
#[derive(Clone, Copy, Debug, Default)]
struct Disturbance {
    stop: Option<u64>,
    abort: Option<u64>,
    kill: Option<u64>,
    /// The power fails at a write instead.
    crash: bool,
    /// Another process tries to run.
    intrude: Option<u64>,
    /// Another process takes the lock and writes the state.
    steal: Option<u64>,
    /// The disk is full.
    fill: Option<u64>,
}

/// Runs one seed. `size` limits the programs, for examining a finding.
pub(crate) fn run_seed(seed: u64, fault: Option<Fault>, size: usize) -> Result<Life, Finding> {
    let mut random = Random::new(seed);
    let mut stack = match Stack::new(&mut random, seed, fault, size) {
        Ok(stack) => stack,
        Err(diagnostic) => {
            return Err(Finding { seed, rules: vec![format!("store: {diagnostic:?}")], trace: Vec::new() });
        }
    };
    let lived = catch_unwind(AssertUnwindSafe(|| stack.live(&mut random)));
    let mut world = stack.world.lock();
    if let Err(panic) = lived {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic");
        world.violated("panic", text);
    }
    let trace = std::mem::take(&mut world.trace);
    let rules = std::mem::take(&mut world.violations);
    if rules.is_empty() { Ok(Life { trace, runs: stack.runs }) } else { Err(Finding { seed, rules, trace }) }
}

struct Stack {
    world: Arc<World>,
    store: Store,
    items: Items,
    foreign: Vec<String>,
    runs: usize,
    /// Whether the programs register the root stack; those of every eighth seed do not.
    rooted: bool,
    /// The randomness of disturbances added later, so that old seeds keep their lives.
    later: Random,
    /// The fate of requests to an object store, if the state is in one.
    elsewhere: Option<Random>,
}

impl Stack {
    fn new(random: &mut Random, seed: u64, fault: Option<Fault>, size: usize) -> Result<Self, Diagnostic> {
        let world = World::new(random, fault);
        let foreign: Vec<String> = {
            let mut inner = world.lock();
            let urn = Urn::new("elsewhere", "elsewhere", None, "alpha:i:Plain", "foreign");
            (0..2)
                .map(|_| {
                    let id = inner.cloud.create(&urn, &PropertyMap::new(), false);
                    inner.cloud.foreign.insert(id.clone());
                    id
                })
                .collect()
        };
        let count = 2 + random.below(size);
        let items = Items::random(random, count, &foreign);
        let mut elsewhere = Random::new(seed ^ 0x0b1e_c700);
        let lag = elsewhere.percent(40).then(|| elsewhere.below(6));
        let store = Store::new(random.fork(), world.clone(), lag)?;
        let elsewhere = lag.map(|_| elsewhere);
        Ok(Self { world, store, items, foreign, runs: 0, rooted: seed % 8 != 1, later: Random::new(!seed), elsewhere })
    }

    fn clean(&self) -> bool {
        self.world.lock().violations.is_empty()
    }

    /// Runs a few commands, then proves that the stack can still be completed.
    fn live(&mut self, random: &mut Random) {
        for round in 0..2 + random.below(3) {
            if round > 0 {
                for _ in 0..random.below(4) {
                    self.items.change(random, &self.foreign);
                }
                self.happen(random);
            }
            let command = match random.below(20) {
                0 | 1 => Command::Preview,
                2..=4 => Command::Up { refresh: true },
                5 | 6 => Command::Refresh,
                7 | 8 if round > 0 => Command::Destroy { refresh: random.percent(30) },
                _ => Command::Up { refresh: false },
            };
            let trouble = match random.below(4) {
                0 => Trouble { refuses: 4, silent: 3, partial: 4, pending: 10 },
                1 => Trouble { refuses: 0, silent: 8, partial: 0, pending: 0 },
                _ => Trouble { pending: 5, ..Trouble::default() },
            };
            let mut moment = |chance: usize| random.percent(chance).then(|| random.below(250) as u64);
            let disturbance = Disturbance {
                stop: moment(8),
                abort: moment(5),
                kill: moment(25),
                intrude: moment(5),
                steal: moment(5),
                crash: moment(10).is_some(),
                fill: self.later.percent(6).then(|| self.later.below(250) as u64),
            };
            let targets = if random.percent(8) { self.some_targets(random) } else { BTreeSet::new() };
            if let Some(random) = self.elsewhere.as_mut().filter(|_| !disturbance.crash)
                && random.percent(30)
            {
                self.store.plan_loss(random);
            }
            self.command(command, trouble, disturbance, targets, PendingCreates::Keep);
            if !self.clean() {
                return;
            }
        }
        self.settle();
    }

    /// Changes the cloud from outside, between the runs.
    fn happen(&mut self, random: &mut Random) {
        let mut world = self.world.lock();
        let managed = |id: &&String| !world.cloud.foreign.contains(*id) && world.shadow.by_id(id).is_some();
        let ids: Vec<String> = world.cloud.objects.keys().filter(managed).cloned().collect();
        let Some(id) = random.pick(&ids).cloned() else { return };
        match random.below(12) {
            0 => {
                world.note(format!("someone deletes {id}"));
                world.cloud.delete(&id);
                world.cloud.excused.insert(id);
            }
            1 => {
                world.note(format!("someone changes {id}"));
                if let Some(object) = world.cloud.objects.get_mut(&id) {
                    object.inputs.insert("size".to_owned(), "elsewhere".into());
                }
                world.cloud.drifted.insert(id);
            }
            _ => {}
        }
    }

    fn some_targets(&self, random: &mut Random) -> BTreeSet<Urn> {
        let world = self.world.lock();
        let names: Vec<Urn> = world.shadow.entries.values().map(|entry| entry.urn.clone()).collect();
        (0..1 + random.below(3)).filter_map(|_| random.pick(&names).cloned()).collect()
    }

    /// Runs one command and checks every rule that holds after it.
    fn command(
        &mut self,
        command: Command,
        trouble: Trouble,
        disturbance: Disturbance,
        targets: BTreeSet<Urn>,
        pending_creates: PendingCreates,
    ) -> Option<RunResult> {
        self.runs += 1;
        let preview = command == Command::Preview;
        let targeted = !targets.is_empty();
        if disturbance.crash {
            self.store.plan_crash();
        }
        let (base, journal) = match self.store.open(preview) {
            Some(opened) => opened,
            // The power failed before anything began; the next run finds the same state.
            None if self.store.is_down() => {
                self.store.close(false);
                return None;
            }
            None => return None,
        };
        self.world.lock().check_agreement();
        let program = FakeProgram::new(self.world.clone(), self.items.items.clone(), self.rooted);
        {
            let mut world = self.world.lock();
            world.note(format!("== {command:?} {disturbance:?} targets {targets:?}"));
            for item in &program.items {
                world.note(format!("   {}", item.describe()));
            }
            world.trouble = trouble;
            world.preview = preview;
            world.lenient_order = targeted;
            world.program_runs = false;
            world.unprotected = if matches!(command, Command::Destroy { .. } | Command::Refresh) {
                BTreeSet::new()
            } else {
                // A resource that asks for protection keeps it, whatever the parent says.
                let names = self
                    .items
                    .items
                    .iter()
                    .filter(|item| item.protect != Some(true))
                    .flat_map(|item| item.old_names.iter().chain([&item.name]));
                names.flat_map(|name| possible_names(&base, name)).collect()
            };
        }
        let options = Options {
            project: "shop".to_owned(),
            stack: "dev".to_owned(),
            preview,
            parallel: 1 + self.world.lock().random.below(8),
            targets: targets.into_iter().collect(),
            refresh: matches!(command, Command::Up { refresh: true } | Command::Destroy { refresh: true }),
            pending_creates,
            continue_on_error: self.later.percent(20),
            ..Options::default()
        };
        let before = self.world.lock().cloud.objects.clone();
        let services = services(&self.world, Ledger::new(self.world.clone(), journal));
        let (stop, abort) = (services.stop.clone(), services.abort.clone());
        let base = self.misled(base);
        let future: BoxFuture<'_, RunResult> = match command {
            Command::Preview | Command::Up { .. } => up(options, services, base, &program).boxed(),
            Command::Refresh => refresh(options, services, base).boxed(),
            Command::Destroy { .. } => destroy(options, services, base).boxed(),
        };
        let store = &mut self.store;
        let ended = self.world.schedule.run(future, |step| {
            if disturbance.intrude == Some(step) {
                store.intrude();
            }
            if disturbance.steal == Some(step) && store.steal().is_err() {
                return false;
            }
            if disturbance.fill == Some(step) {
                store.fill();
            }
            if disturbance.stop == Some(step) || disturbance.abort == Some(step) {
                stop.cancel();
            }
            if disturbance.abort == Some(step) {
                abort.cancel();
            }
            disturbance.kill != Some(step) && !store.is_down()
        });
        let result = match ended {
            Ended::With(result) => Some(result),
            Ended::Killed => None,
            Ended::Hung => {
                self.world.lock().violated("ends", "nothing can go on and the run is not over");
                return None;
            }
            Ended::Endless => {
                self.world.lock().violated("ends", "the run goes round in circles");
                return None;
            }
        };
        let ending = result.as_ref().map(|result| result.ending);
        self.world.lock().note(format!("== ended {ending:?}"));
        self.store.close(result.is_some());
        let mut world = self.world.lock();
        world.check_agreement();
        if preview && world.cloud.objects != before {
            world.violated("preview", "the cloud has changed");
        }
        if ending == Some(Ending::Succeeded) && !targeted {
            match command {
                Command::Up { refresh } => {
                    world.check_goals(&program.goals());
                    if refresh {
                        world.check_refreshed();
                    }
                }
                Command::Refresh => world.check_refreshed(),
                Command::Destroy { .. } => world.check_empty(),
                Command::Preview => {}
            }
        }
        result
    }

    /// Without faults, everything completes: up succeeds, is then up to date, and can be destroyed.
    fn settle(&mut self) {
        for item in &mut self.items.items {
            item.protect = None;
        }
        self.store.unprotect();
        if !self.clean() {
            return;
        }
        self.clean_up();
        let calm = |stack: &mut Self, command| {
            stack.command(command, Trouble::default(), Disturbance::default(), BTreeSet::new(), PendingCreates::Clear)
        };
        for (command, wanted) in [
            (Command::Up { refresh: true }, "up"),
            (Command::Preview, "preview"),
            (Command::Destroy { refresh: false }, "destroy"),
        ] {
            let result = calm(self, command);
            if !self.clean() {
                return;
            }
            let mut world = self.world.lock();
            let Some(result) = result else { return };
            if result.ending != Ending::Succeeded {
                return world.violated("settles", format!("a calm {wanted} ended with {:?}", result.ending));
            }
            let open = world.shadow.operations.len();
            if open > 0 {
                return world.violated("settles", format!("{open} operations are still open after a calm {wanted}"));
            }
            let same = |op: &StepOp| matches!(op, StepOp::Same | StepOp::Read | StepOp::Refresh);
            if command == Command::Preview && !result.summary.counts.keys().all(same) {
                return world.violated("settles", format!("a second up would do {:?}", result.summary.counts));
            }
            if command == Command::Preview && result.changed {
                return world.violated("settles", "a second up would write the state");
            }
        }
    }

    /// Deletes the resources of unfinished creations, as the user does before clearing them.
    fn clean_up(&mut self) {
        let mut world = self.world.lock();
        let orphans: Vec<String> = world
            .cloud
            .objects
            .iter()
            .filter(|(id, object)| {
                !world.cloud.foreign.contains(*id)
                    && !world.cloud.released.contains(*id)
                    && world.shadow.by_id(id).is_none_or(|entry| entry.pending_replacement)
                    && world.shadow.intends(OperationKind::Creating, &object.urn)
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in orphans {
            world.cloud.objects.remove(&id);
        }
    }

    /// A base that hides dependencies, for the fault that deletes in the wrong order.
    fn misled(&self, base: Snapshot) -> Snapshot {
        if self.world.fault != Some(Fault::ForwardDeletes) {
            return base;
        }
        let forget = |resource: &Arc<Resource>| {
            Arc::new(Resource {
                dependencies: Vec::new(),
                property_dependencies: Default::default(),
                ..Resource::clone(resource)
            })
        };
        Snapshot { resources: base.resources.iter().map(forget).collect(), ..base }
    }
}

/// The URNs in a state with this name.
fn possible_names(base: &Snapshot, name: &str) -> Vec<Urn> {
    base.resources.iter().filter(|entry| entry.urn.name() == name).map(|entry| entry.urn.clone()).collect()
}
