//! Stores on a simulated machine, and the tests' runs on them.

use std::sync::Arc;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_value::{ProviderReference, Urn, Value};
use serde_json::{Value as Json, json};

use crate::testing::{FakeClock, FakeMachine, Mirror, block_on};
use crate::*;

pub(crate) struct World {
    pub(crate) disk: MemoryDisk,
    /// How far the lists of the object store lag; without it the store is on the disk.
    lag: Option<usize>,
    store: Backend,
    pub(crate) clock: Arc<FakeClock>,
}

pub(crate) fn stack() -> StackName {
    StackName::new("shop", "dev").unwrap()
}

pub(crate) fn provider() -> SecretsProviderState {
    SecretsProviderState { kind: "passphrase".into(), state: json!({"salt": "s"}) }
}

pub(crate) fn keys(_: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
    Ok(Arc::new(Mirror))
}

pub(crate) fn info() -> UpdateInfo {
    UpdateInfo {
        kind: UpdateKind::Update,
        started: Timestamp::UNIX_EPOCH,
        ended: Timestamp::UNIX_EPOCH,
        message: String::new(),
        environment: Default::default(),
        config: json!({}),
        succeeded: true,
        resource_changes: Default::default(),
    }
}

pub(crate) fn urn(name: &str) -> Urn {
    Urn::new("dev", "shop", None, "a:b:C", name)
}

pub(crate) fn provider_urn() -> Urn {
    Urn::new("dev", "shop", None, "pulumi:providers:a", "default")
}

pub(crate) fn resource(name: &str, id: Option<&str>) -> Arc<Resource> {
    let mut resource = Resource::new(urn(name), true);
    resource.id = id.map(str::to_owned);
    resource.provider = Some(ProviderReference { urn: provider_urn(), id: "p1".into() });
    resource.inputs.insert("password".into(), Value::secret("canary".into()));
    Arc::new(resource)
}

pub(crate) fn provider_resource() -> Arc<Resource> {
    let mut resource = Resource::new(provider_urn(), true);
    resource.id = Some("p1".into());
    Arc::new(resource)
}

pub(crate) fn put(key: u64, resource: Arc<Resource>) -> Record {
    Record { put: vec![(EntryKey(key), resource)], ..Record::default() }
}

pub(crate) fn begin(id: u64, name: &str) -> Record {
    let operation = PendingOperation { kind: OperationKind::Creating, resource: resource(name, None) };
    Record { begin: vec![(OperationId(id), operation)], ..Record::default() }
}

pub(crate) fn done(id: u64, key: u64, name: &str) -> Record {
    Record { end: vec![OperationId(id)], ..put(key, resource(name, Some(name))) }
}

impl World {
    /// Runs a test on each kind of store: files, and object stores whose lists are current or lag.
    pub(crate) fn each(test: impl Fn(Self)) {
        [None, Some(0), Some(5)].into_iter().for_each(|lag| test(Self::new(lag)));
    }

    pub(crate) fn new(lag: Option<usize>) -> Self {
        let world = Self::at(MemoryDisk::new(), lag);
        world
            .backend()
            .create_stack(&stack(), Some(&provider()), &FakeMachine::default(), world.clock.as_ref())
            .unwrap();
        world
    }

    /// Another world of the same kind.
    pub(crate) fn fresh(&self) -> Self {
        Self::new(self.lag)
    }

    pub(crate) fn copy(&self) -> Self {
        Self::at(self.disk.copy(), self.lag)
    }

    fn at(disk: MemoryDisk, lag: Option<usize>) -> Self {
        let (local, options) = (Arc::new(disk.clone()), BackendOptions::default());
        let opened = match lag {
            Some(lag) => Backend::with(Arc::new(MemoryObjects::new(&disk, lag)), local, options),
            None => Backend::on_disk(local, options),
        };
        Self { disk, lag, store: opened.unwrap().0, clock: Arc::new(FakeClock::default()) }
    }

    pub(crate) fn is_remote(&self) -> bool {
        self.lag.is_some()
    }

    pub(crate) fn backend(&self) -> Backend {
        self.store.clone()
    }

    pub(crate) fn open_as(&self, machine: &FakeMachine) -> Result<Opened, Diagnostic> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as _;
        let options = SessionOptions { machine, clock, keys: &keys, secrets_provider: None, mode: Mode::Inline };
        Session::open(&self.backend(), &stack(), options)
    }

    pub(crate) fn open(&self) -> Opened {
        self.open_as(&FakeMachine::default()).unwrap()
    }

    /// The machine of the next command: the process of the last one is gone.
    pub(crate) fn after_death() -> FakeMachine {
        let machine = FakeMachine::default().with_pid(8);
        machine.end(7);
        machine
    }

    pub(crate) fn checkpoint(&self) -> Json {
        let bytes = self.disk.read(".pulumi/stacks/shop/dev.json").unwrap().unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Ids of the resources and names of pending creations in the checkpoint.
    pub(crate) fn contents(&self) -> (Vec<String>, Vec<String>) {
        let latest = &self.checkpoint()["checkpoint"]["latest"];
        let list = |key: &str| latest[key].as_array().cloned().unwrap_or_default();
        let ids = list("resources").iter().map(|entry| entry["id"].as_str().unwrap_or_default().to_owned()).collect();
        let text = |entry: &Json| entry["resource"]["urn"].as_str().unwrap().parse::<Urn>().unwrap().name().to_owned();
        (ids, list("pending_operations").iter().map(text).collect())
    }

    pub(crate) fn no_clear_secret(&self) {
        for path in self.disk.paths() {
            let bytes = self.disk.read(&path).unwrap().unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains("canary"), "{path}");
        }
    }
}

pub(crate) fn append(session: &Session, record: Record) -> Result<(), Diagnostic> {
    block_on(session.append(record))
}

/// The records of a run that creates two resources. Returns how many were acknowledged.
pub(crate) fn run(session: &Session) -> usize {
    let records = [put(0, provider_resource()), begin(0, "one"), done(0, 1, "one"), begin(1, "two"), done(1, 2, "two")];
    records.into_iter().take_while(|record| append(session, record.clone()).is_ok()).count()
}
