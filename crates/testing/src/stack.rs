//! A test's stack: a state, and the commands.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_engine::{Ending, Options, RunResult};
use outrigger_project::config::{Config, ConfigKey, Item};
use outrigger_project::packages::Packages;
use outrigger_provider::Plugins;
use outrigger_sdk::{Package, Properties, Resource as Kind};
use outrigger_secrets::Crypter;
use outrigger_state::{
    Backend, BackendOptions, Disk, LocalDisk, LocalMachine, MemoryDisk, Mode, Resource, SecretsProviderState, Session,
    Snapshot, StackName, SystemClock,
};
use outrigger_syntax::Document;
use outrigger_workspace::{Entry, Runner, Work};
use outrigger_yaml::program::Program;
use outrigger_yaml::{Settings, YamlProgram};
use tokio_util::sync::CancellationToken;

use crate::services::{Alone, Counting, Events, Kept};
use crate::{Failed, Finding, InProcess, Run};

/// The project and the stack of every test.
const NAME: &str = "test";

/// The file name of the program's text in findings.
const FILE: &str = "program";

/// The store of a stack's state.
#[derive(Clone, Debug)]
pub enum Store {
    /// In memory, for as long as the stack lives.
    Memory,
    /// In a directory, as `outrigger` does after a login to one. Only the stack that wrote the secrets can read them.
    Directory(PathBuf),
}

/// A stack under test. It starts without resources.
pub struct Stack {
    plugins: Arc<dyn Plugins>,
    backend: Backend,
    mode: Mode,
    name: StackName,
    secrets: Arc<Kept>,
    random: Arc<Counting>,
    /// By key, as set by `config set`.
    config: BTreeMap<ConfigKey, Item>,
    directory: PathBuf,
}

impl Stack {
    /// A stack whose programs can use the package. Its state is in memory.
    pub fn new(package: Package) -> Result<Self, Failed> {
        Self::with(Arc::new(InProcess::new([package])?), Store::Memory)
    }

    /// A stack whose programs can use these plugins: several packages of this process, or those of a host.
    pub fn with(plugins: Arc<dyn Plugins>, store: Store) -> Result<Self, Failed> {
        let (disk, mode): (Arc<dyn Disk>, Mode) = match store {
            Store::Memory => (Arc::new(MemoryDisk::new()), Mode::Inline),
            Store::Directory(path) => (Arc::new(LocalDisk::new(path)), Mode::Threaded),
        };
        let (backend, _) = Backend::on_disk(disk, BackendOptions::default())?;
        let name = StackName::new(NAME, NAME)?;
        let provider = SecretsProviderState { kind: NAME.to_owned(), state: serde_json::json!({}) };
        backend.create_stack(&name, Some(&provider), &machine(), &SystemClock::default())?;
        Ok(Self {
            plugins,
            backend,
            mode,
            name,
            secrets: Arc::default(),
            random: Arc::default(),
            config: BTreeMap::new(),
            directory: PathBuf::from("."),
        })
    }

    /// Sets a value of the configuration, as `config set KEY TEXT` does: `PACKAGE:NAME` is the package's.
    pub fn config(self, key: &str, text: &str) -> Result<Self, Failed> {
        self.set(key, Item::String(text.to_owned()))
    }

    /// Sets a secret value of the configuration, as `config set --secret KEY TEXT` does.
    pub fn secret_config(self, key: &str, text: &str) -> Result<Self, Failed> {
        let ciphertext = self.secrets.encrypt(text)?;
        self.set(key, Item::Secure(ciphertext))
    }

    fn set(mut self, key: &str, item: Item) -> Result<Self, Failed> {
        let key = ConfigKey::parse(key, NAME).map_err(|error| Diagnostic::error("config-key", error.to_string()))?;
        self.config.insert(key, item);
        Ok(self)
    }

    /// The directory at which relative paths of programs begin, instead of the working directory.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self }
    }

    /// Updates the stack to match a program: YAML text with `resources`, `variables` and `outputs`, as in a `Pulumi.yaml`.
    pub async fn up(&mut self, program: &str) -> Result<Run, Failed> {
        let config = self.decrypted()?;
        let program = self.program(program, &config)?;
        self.change(&config, Work::Up, Some(program)).await
    }

    /// Previews [`Stack::up`], and changes nothing.
    pub async fn preview(&self, program: &str) -> Result<Run, Failed> {
        let config = self.decrypted()?;
        let program = self.program(program, &config)?;
        let events = Arc::<Events>::default();
        let result = self.runner(&config, Work::Up, Some(program)).preview(|_| events.clone()).await?;
        judged(result, &events)
    }

    /// Reads every resource, and updates the state to match.
    pub async fn refresh(&mut self) -> Result<Run, Failed> {
        let config = self.decrypted()?;
        self.change(&config, Work::Refresh, None).await
    }

    /// Deletes everything.
    pub async fn destroy(&mut self) -> Result<Run, Failed> {
        let config = self.decrypted()?;
        self.change(&config, Work::Destroy, None).await
    }

    /// The state as it is stored.
    pub fn state(&self) -> Result<Snapshot, Failed> {
        Ok(Session::view(&self.backend, &self.name, &|_| Ok(self.keys()))?.base)
    }

    /// The text of the state, as `stack export` prints it, without secrets in clear.
    pub fn export(&self) -> Result<String, Failed> {
        Ok(self.backend.export_stack(&self.name)?)
    }

    /// The names of all resources, without the stack itself and providers, in the order of the state.
    pub fn names(&self) -> Result<Vec<String>, Failed> {
        let state = self.state()?;
        let own = state.resources.iter().filter(|resource| !resource.urn.is_stack() && !resource.is_provider());
        Ok(own.map(|resource| resource.urn.name().to_owned()).collect())
    }

    /// A resource of the state, by its name.
    pub fn resource(&self, name: &str) -> Result<Arc<Resource>, Failed> {
        let found = self.state()?.resources.into_iter().find(|entry| entry.urn.name() == name && !entry.delete);
        if let Some(found) = found {
            return Ok(found);
        }
        let names = self.names()?.join("`, `");
        let detail = if names.is_empty() { "It has none.".to_owned() } else { format!("It has `{names}`.") };
        let diagnostic = Diagnostic::error("state-urn-unknown", format!("the stack has no resource `{name}`"));
        Err(diagnostic.detail(detail).into())
    }

    /// The outputs of a resource, typed.
    pub fn outputs<R: Kind>(&self, name: &str) -> Result<R, Failed> {
        let resource = self.resource(name)?;
        R::decode(resource.outputs.clone()).map_err(|mismatch| unlike(name, "outputs", &mismatch))
    }

    /// The inputs of a resource, typed.
    pub fn inputs<R: Kind>(&self, name: &str) -> Result<R::Inputs, Failed> {
        let resource = self.resource(name)?;
        R::Inputs::decode(resource.inputs.clone()).map_err(|mismatch| unlike(name, "inputs", &mismatch))
    }

    fn keys(&self) -> Arc<dyn Crypter> {
        Arc::clone(&self.secrets) as Arc<dyn Crypter>
    }

    fn decrypted(&self) -> Result<Config, Failed> {
        Ok(Config::decrypt(&self.config, &*self.secrets)?)
    }

    fn program(&self, text: &str, config: &Config) -> Result<YamlProgram, Failed> {
        let document = Document::parse(FILE, text)?;
        let parsed = Program::parse(&document);
        let settings = Settings {
            project: NAME.to_owned(),
            stack: NAME.to_owned(),
            organization: String::new(),
            root_directory: self.directory.clone(),
            program_directory: self.directory.clone(),
            type_mismatch: Severity::Error,
        };
        let values = config.values().into_iter().collect();
        let plugins = Arc::clone(&self.plugins);
        Ok(YamlProgram::new(document, parsed, &values, Packages::default(), plugins, settings))
    }

    /// A run that changes the stack: holds the lock, and writes the state.
    async fn change(&self, config: &Config, work: Work, program: Option<YamlProgram>) -> Result<Run, Failed> {
        let events = Arc::<Events>::default();
        let result = self.runner(config, work, program).update(|_| events.clone()).await?;
        judged(result, &events)
    }

    fn runner(&self, config: &Config, work: Work, program: Option<YamlProgram>) -> Runner {
        let namespaces = config.entries().keys().map(|key| key.namespace.clone());
        let secrets = self.keys();
        Runner {
            work,
            backend: self.backend.clone(),
            stack: self.name.clone(),
            machine: machine(),
            clock: Arc::new(SystemClock::default()),
            mode: self.mode,
            keys: Arc::new(move |_| Ok(secrets.clone())),
            secrets_provider: None,
            program: program.map(|program| Box::new(program) as Box<dyn outrigger_provider::Program>),
            directory: self.directory.clone(),
            options: Options {
                project: NAME.to_owned(),
                stack: NAME.to_owned(),
                // The default of the command.
                parallel: std::thread::available_parallelism().map_or(4, NonZero::get) * 4,
                package_config: namespaces.map(|name| (name.clone(), config.package(&name))).collect(),
                ..Options::default()
            },
            plugins: Arc::clone(&self.plugins),
            relay: Arc::default(),
            may_delete_all: AtomicBool::new(true),
            random: self.random.clone(),
            stacks: Arc::new(Alone),
            redaction: Arc::default(),
            entry: Entry::default(),
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
        }
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stack").field("resources", &self.names().unwrap_or_default()).finish_non_exhaustive()
    }
}

/// The facts about this process for the lock.
fn machine() -> LocalMachine {
    LocalMachine::new(NAME, NAME)
}

fn judged(result: RunResult, events: &Events) -> Result<Run, Failed> {
    let run = Run::new(events.take(), result.outputs);
    if result.ending == Ending::Succeeded {
        return Ok(run);
    }
    let errors: Vec<Finding> = run.findings().iter().filter(|finding| finding.diagnostic.is_error()).cloned().collect();
    Err(Failed { findings: errors, run })
}

fn unlike(name: &str, what: &str, mismatch: &dyn fmt::Display) -> Failed {
    let summary = format!("the {what} of `{name}` are not what the struct wants");
    Diagnostic::error("state-not-understood", summary).detail(mismatch.to_string()).into()
}
