//! The storage of a stack's state between runs: the real session and recovery, on an in-memory disk that loses power, or in an in-memory
//! object store whose lists lag and whose answers get lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_state::{
    Backend, BackendOptions, Clock as _, Disk, Fault as DiskFault, Journal, MemoryDisk, MemoryObjects, Mode, Opened,
    Resource, SecretsProviderState, Session, SessionOptions, Snapshot, StackName, Unsynced, UpdateInfo, UpdateKind,
    cancel,
};

use super::disk::LyingDisk;
use super::fault::Fault;
use super::machine::{FakeClock, FakeMachine, Mirror};
use super::random::Random;
use super::shadow::Shadow;
use super::world::{CANARY, World};

const CHECKPOINT: &str = ".pulumi/stacks/shop/dev.json";

/// The store of one stack.
pub(crate) struct Store {
    world: Arc<World>,
    random: Random,
    disk: MemoryDisk,
    backend: Backend,
    stack: StackName,
    machine: FakeMachine,
    clock: Arc<FakeClock>,
    session: Option<Arc<Session>>,
    /// The checkpoint that another program wrote during a run.
    foreign: Option<Vec<u8>>,
    full: bool,
    /// The object store may fail to answer in this run.
    unreliable: bool,
}

impl Store {
    /// `lag` is how far the lists of an object store lag behind; without it the store is on disk.
    pub(crate) fn new(random: Random, world: Arc<World>, lag: Option<usize>) -> Result<Self, Diagnostic> {
        let disk = MemoryDisk::new();
        let through: Arc<dyn Disk> = match world.fault {
            Some(Fault::LyingSync) => Arc::new(LyingDisk(disk.clone())),
            _ => Arc::new(disk.clone()),
        };
        let options = BackendOptions { disable_backups: true, ..BackendOptions::default() };
        let (backend, _) = match lag {
            Some(lag) => Backend::with(Arc::new(MemoryObjects::new(&disk, lag)), through, options)?,
            None => Backend::on_disk(through, options)?,
        };
        let stack = StackName::new("shop", "dev")?;
        let machine = FakeMachine::new(world.fault == Some(Fault::BrokenLock));
        let clock = Arc::new(FakeClock::default());
        backend.create_stack(&stack, Some(&provider()), &machine, clock.as_ref())?;
        // The stack was made long ago, so nothing of it is unsynced.
        disk.restart(Unsynced::Kept);
        Ok(Self {
            world,
            random,
            disk,
            backend,
            stack,
            machine,
            clock,
            session: None,
            foreign: None,
            full: false,
            unreliable: false,
        })
    }

    /// Opens the stack for a run; an interrupted run's journal is recovered and must match the durable records.
    pub(crate) fn open(&mut self, preview: bool) -> Option<(Snapshot, Arc<dyn Journal>)> {
        let mut opened = if preview { self.view() } else { self.hold() };
        if opened.is_err() && self.unreliable && !self.is_down() {
            // Tries once more, as the user does.
            self.world.lock().note("-- the store did not answer");
            self.machine.end_process();
            self.disk.heal();
            opened = if preview { self.view() } else { self.hold() };
        }
        let base = match opened {
            Ok(base) => base,
            Err(_) if self.is_down() => return None,
            Err(diagnostic) => {
                self.world.lock().violated("recovery", format!("the stack cannot be opened: {diagnostic:?}"));
                return None;
            }
        };
        let base = self.check_recovered(base)?;
        let journal: Arc<dyn Journal> = match &self.session {
            Some(session) => session.clone(),
            None => Arc::new(Nowhere),
        };
        Some((base, journal))
    }

    fn view(&mut self) -> Result<Snapshot, Diagnostic> {
        self.session = None;
        Ok(Session::view(&self.backend, &self.stack, &keys)?.base)
    }

    fn hold(&mut self) -> Result<Snapshot, Diagnostic> {
        self.machine.next_process();
        let Opened { session, base, .. } = self.acquire(&self.machine)?;
        self.session = Some(Arc::new(session));
        Ok(base)
    }

    fn acquire(&self, machine: &FakeMachine) -> Result<Opened, Diagnostic> {
        let options = SessionOptions {
            machine,
            clock: self.clock.clone(),
            keys: &keys,
            secrets_provider: None,
            mode: Mode::Inline,
        };
        Session::open(&self.backend, &self.stack, options)
    }

    /// Compares the recovered state with the oracle's.
    fn check_recovered(&mut self, base: Snapshot) -> Option<Snapshot> {
        let foreign = self.foreign.take().is_some();
        let mut world = self.world.lock();
        let mut base = base;
        if foreign {
            if world.fault_is(Fault::BlindReplay) {
                let mut blind = Shadow::new(&world.foreign_base);
                let records = std::mem::take(&mut world.records);
                records.iter().for_each(|record| blind.apply(record));
                match blind.ordered() {
                    Ok(blind) => base = blind,
                    Err(rule) => {
                        world.violated("integrity", rule);
                        return None;
                    }
                }
            }
        } else {
            let found = Shadow::new(&base);
            let last = world.in_flight.take();
            if !found.is_like(&world.shadow)
                && let Some(record) = last
            {
                // The power failed after the record was on the disk and before the caller had the answer.
                world.durable(&record);
            }
            if !found.is_like(&world.shadow) {
                let refused = std::mem::take(&mut world.refused);
                refused.iter().for_each(|record| world.durable(record));
            }
            if !found.is_like(&world.shadow) {
                let difference = found.difference(&world.shadow);
                world.violated("recovery", format!("what came back is not what was durable: {difference}"));
                return None;
            }
        }
        world.records.clear();
        world.refused.clear();
        world.in_flight = None;
        world.shadow = Shadow::new(&base);
        if let Err(rule) = world.shadow.ordered() {
            world.violated("integrity", rule);
            return None;
        }
        Some(base)
    }

    /// Plans a loss of power at some write of the coming run.
    pub(crate) fn plan_crash(&mut self) {
        let at = self.disk.operations() + self.random.below(60) as u64;
        self.disk.fail_at(at, DiskFault::Crash);
    }

    /// Plans a put of the coming run that fails or whose answer gets lost.
    pub(crate) fn plan_loss(&mut self, random: &mut Random) {
        let at = self.disk.operations() + random.below(60) as u64;
        let loss = [DiskFault::LostPut, DiskFault::LostAnswer];
        self.disk.fail_at(at, random.pick(&loss).copied().unwrap_or(DiskFault::LostAnswer));
        self.unreliable = true;
    }

    /// The disk is full until the run is over.
    pub(crate) fn fill(&mut self) {
        self.world.lock().note("-- the disk is full");
        self.disk.fail_at(0, DiskFault::Full);
        self.full = true;
    }

    /// Whether the power has failed.
    pub(crate) fn is_down(&self) -> bool {
        self.disk.is_down()
    }

    /// Another process tries to run at the same time, which must fail.
    pub(crate) fn intrude(&self) {
        let other = self.machine.other_process();
        // A session that has lost the lock has nothing to defend.
        if self.session.is_some() && self.foreign.is_none() && self.acquire(&other).is_ok() {
            self.world.lock().violated("lock", "two runs hold one stack");
        }
    }

    /// Another process takes the lock away, as `pulumi cancel` does, and writes a state of its own.
    pub(crate) fn steal(&mut self) -> Result<(), Diagnostic> {
        if self.session.is_none() || self.is_down() {
            return Ok(());
        }
        cancel(&self.backend, &self.stack)?;
        let bytes = self.disk.read(CHECKPOINT).ok().flatten().unwrap_or_default();
        let Ok(mut json) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(()) };
        let name = format!("urn:pulumi:dev::shop::sim:i:Foreign::foreign{}", self.random.next());
        let entry = serde_json::json!({"urn": name, "type": "sim:i:Foreign", "custom": false});
        let resources = &mut json["checkpoint"]["latest"]["resources"];
        match resources.as_array_mut() {
            Some(list) => list.insert(0, entry),
            None => *resources = serde_json::json!([entry]),
        }
        let bytes = json.to_string().into_bytes();
        self.disk.put(CHECKPOINT, &bytes);
        let base = Session::view(&self.backend, &self.stack, &keys).map(|viewed| viewed.base);
        self.foreign = Some(bytes);
        let mut world = self.world.lock();
        world.note("-- someone takes the lock away and writes the state");
        world.be_taken_over(base.unwrap_or_default());
        Ok(())
    }

    /// Ends a run, normally or by a loss of power.
    pub(crate) fn close(&mut self, ended: bool) {
        let ended = ended && !self.is_down();
        let session = self.session.take();
        if let Some(session) = session.filter(|_| ended) {
            let finished = session.finish(self.info());
            match (finished, &self.foreign) {
                (Err(diagnostic), None) if self.unreliable || self.full && diagnostic.code == "disk-full" => {
                    self.world.lock().note(format!("-- not written: {}", diagnostic.summary));
                }
                (Err(diagnostic), None) if !self.is_down() => {
                    self.world.lock().violated("finish", format!("the state was not written: {diagnostic:?}"));
                }
                (Ok(()), Some(_)) => self.world.lock().violated("lock", "a run without its lock has finished"),
                _ => {}
            }
        }
        if let Some(written) = &self.foreign
            && self.disk.read(CHECKPOINT).ok().flatten().as_ref() != Some(written)
            && !self.is_down()
        {
            self.world.lock().violated("lock", "a run without its lock has written the checkpoint");
        }
        self.machine.end_process();
        if !ended {
            let unsynced = [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn];
            self.disk.restart(self.random.pick(&unsynced).copied().unwrap_or(Unsynced::Lost));
            if self.world.fault == Some(Fault::ShortRecovery) {
                self.cut_journals();
            }
        }
        self.disk.heal();
        (self.full, self.unreliable) = (false, false);
        self.look_for_secrets();
    }

    fn cut_journals(&self) {
        for path in self.disk.paths().into_iter().filter(|path| path.ends_with(".journal")) {
            if let Ok(Some(bytes)) = self.disk.read(&path) {
                self.disk.put(&path, bytes.get(..bytes.len().saturating_sub(8)).unwrap_or_default());
            }
        }
    }

    /// Checks that no secret is stored in clear.
    fn look_for_secrets(&self) {
        for path in self.disk.paths() {
            let bytes = self.disk.read(&path).ok().flatten().unwrap_or_default();
            if bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()) {
                self.world.lock().violated("secret", format!("{path} holds a secret in clear"));
            }
        }
    }

    fn info(&self) -> UpdateInfo {
        UpdateInfo {
            kind: UpdateKind::Update,
            started: self.clock.now(),
            ended: self.clock.now(),
            message: String::new(),
            environment: BTreeMap::new(),
            config: serde_json::Value::Null,
            succeeded: true,
            resource_changes: BTreeMap::new(),
        }
    }

    /// Lifts every protection, as `pulumi state unprotect --all` does.
    pub(crate) fn unprotect(&mut self) {
        let Some((_, journal)) = self.open(false) else { return };
        let record = {
            let world = self.world.lock();
            let lifted = |(key, entry): (&_, &Arc<Resource>)| {
                (*key, Arc::new(Resource { protect: false, ..Resource::clone(entry) }))
            };
            outrigger_state::Record { put: world.shadow.entries.iter().map(lifted).collect(), ..Default::default() }
        };
        self.world.lock().shadow.apply(&record);
        // Synchronous: the work is done at the first poll.
        let _answer = futures::FutureExt::now_or_never(journal.append(record));
        drop(journal);
        self.close(true);
    }
}

fn provider() -> SecretsProviderState {
    SecretsProviderState { kind: "mirror".to_owned(), state: serde_json::json!({"salt": "none"}) }
}

fn keys(_: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
    Ok(Arc::new(Mirror))
}

/// The journal of a preview.
struct Nowhere;

#[async_trait::async_trait]
impl Journal for Nowhere {
    async fn append(&self, _: outrigger_state::Record) -> Result<(), Diagnostic> {
        Ok(())
    }
}
