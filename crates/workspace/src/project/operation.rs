//! A run of a project, prepared: its stack, keys, configuration, plugins and program.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Options, PendingCreates, Targets};
use outrigger_host::{Host, Run};
use outrigger_project::Project;
use outrigger_project::config::{Config, ConfigKey, ConfigText, Item, apply, merge};
use outrigger_project::stack_config::StackConfig;
use outrigger_provider::{PluginDescriptor, Program};
use outrigger_secrets::{Crypter, Locked};
use outrigger_state::Mode;
use outrigger_yaml::check_project;
use tokio_util::sync::CancellationToken;

use super::other_stacks::Neighbours;
use super::plugins::{PluginSettings, keeper};
use super::source::{ORGANIZATION, Source};
use super::{Environment, Workspace, keys};
use crate::history::Entry;
use crate::redaction::HIDDEN;
use crate::services::{Relay, SystemRandom};
use crate::{Error, Runner, Work};

/// A request for an operation.
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind of operation.
    pub work: Work,
    /// It is never done, only previewed: no passphrase is needed.
    pub preview_only: bool,
    /// Which stack; otherwise PULUMI_STACK or the selected one.
    pub stack: Option<String>,
    /// The maximum number of concurrent calls; otherwise PULUMI_PARALLEL or four for each processor.
    pub parallel: Option<u32>,
    /// Only these; empty means all.
    pub targets: Targets,
    /// A failure stops only the resources that depend on it.
    pub continue_on_error: bool,
    /// An update may delete every resource of the stack.
    pub delete_all: bool,
    /// Read everything first; otherwise the project's default.
    pub refresh: Option<bool>,
    /// How pending creations are handled.
    pub pending_creates: PendingCreates,
    /// Configuration values to set first, in the stack's file.
    pub config: GivenConfig,
    /// For the history.
    pub message: String,
}

/// Configuration values in clear.
#[derive(Clone, Debug, Default)]
pub struct GivenConfig {
    /// Keys and values.
    pub pairs: Vec<(String, String)>,
    /// Whether the keys are paths into structured values.
    pub paths: bool,
}

impl Request {
    /// A request for the selected stack, with nothing special.
    pub fn new(work: Work) -> Self {
        Self {
            work,
            preview_only: false,
            stack: None,
            parallel: None,
            targets: Targets::default(),
            continue_on_error: false,
            delete_all: false,
            refresh: None,
            pending_creates: PendingCreates::Keep,
            config: GivenConfig::default(),
            message: String::new(),
        }
    }
}

/// A prepared run. A preview and an update may follow each other; plugins stay up in between.
pub struct Operation {
    /// Previews and updates.
    pub runner: Runner,
    /// The project.
    pub workspace: Workspace,
    /// The program's texts that are in no file, by the name that places give them.
    pub texts: BTreeMap<String, String>,
    /// The configuration's texts, with secrets masked.
    pub config_texts: BTreeMap<String, String>,
    host: Host,
    run: Arc<Run>,
}

impl Operation {
    /// The user wants to stop: asks all plugins to cancel, which may cut their work short.
    pub async fn cancel_plugins(&self) {
        self.run.cancel().await;
    }

    /// Ends all plugins.
    pub async fn close(&self) {
        self.host.shutdown().await;
    }
}

impl Workspace {
    /// Prepares a run, and begins to start plugins; must be called inside the runtime.
    pub fn prepare(mut self, request: &Request) -> Result<Operation, Error> {
        if request.work == Work::Up {
            check_project(&self.project)?;
        }
        if !request.config.pairs.is_empty() {
            let mut configuration = self.configuration(request.stack.as_deref())?;
            configuration.give(&request.config)?;
            self = configuration.into_workspace();
        }
        let (environment, project) = (&self.environment, &self.project);
        let stack = self.existing_stack(request.stack.as_deref())?;
        let mut stack_config = self.stack_config(&stack)?;
        stack_config.check_environment()?;
        let compiler = project.compiler();
        let mut source = match (request.work, compiler) {
            (Work::Up, None) => Some(Source::read(project)?),
            // A compiler reads the configuration, which has to be decrypted first.
            (Work::Up, Some(_)) | (Work::Refresh | Work::Destroy, _) => None,
        };
        let mut provider = self.secrets_provider(&stack, &stack_config)?;
        let keyring = self.keyring(provider.as_ref())?;
        let keys = keys::keys(&keyring);
        if !request.preview_only {
            // Results may hold secrets that cannot be foreseen; without a key they could not be stored.
            keys::require(&keyring)?;
            if provider.is_none() {
                let created = provider.insert(keys::create(&keyring)?);
                self.salt(&stack, &mut stack_config, created)?;
            }
        }
        let crypter = match &provider {
            Some(provider) => {
                // A run that changes something checks the key before it does.
                if stack_config.has_secrets() || !request.preview_only {
                    keyring.prefetch(keys::salt(provider));
                }
                keys(provider)?
            }
            None => Arc::new(Locked),
        };
        let merged = || merge(project, &stack_config, stack.stack(), crypter.as_ref());
        let mut config = None;
        if let (Work::Up, Some(compiler)) = (request.work, compiler) {
            let decrypted = config.insert(merged()?);
            let given = Some((stack.stack(), &*decrypted));
            source = Some(Source::compile(compiler, project, given, environment)?);
        }
        let redaction = environment.redaction.clone();
        let relay = Arc::new(Relay::default());
        let needed = source.as_ref().map(Source::required).unwrap_or_default();
        let plugin_config = plugin_config(project, &stack_config, crypter.as_ref(), &needed)?;
        let mut settings = PluginSettings::of_project(environment, project, plugin_config)?;
        settings.host.keeper = keeper(environment, Some((&self.store, &stack)));
        let (host, run) = settings.start(relay.clone())?;
        let run = Arc::new(run);
        run.prefetch(&needed);

        let (given, _) = apply(project, &stack_config)?;
        let config = match (config, request.work) {
            (Some(config), _) => config,
            (None, Work::Up) => merged()?,
            // As in Pulumi: an operation without a program needs no configuration that only the program needs.
            (None, Work::Refresh | Work::Destroy) => Config::decrypt(&given.items, crypter.as_ref())?,
        };
        config.secret_texts().for_each(|text| redaction.learn(text));
        let texts = source.as_ref().map(|source| source.texts.clone()).unwrap_or_default();
        let program = source.map(|source| {
            let values = config.values().into_iter().collect();
            Box::new(source.program(project, stack.stack(), &values, run.clone(), environment)) as Box<dyn Program>
        });
        let masked = |entry: &ConfigText| if entry.secret { HIDDEN.to_owned() } else { entry.text.clone() };
        let config_texts = config.entries().iter().map(|(key, entry)| (key.to_string(), masked(entry))).collect();
        let namespaces = config.entries().keys().map(|key| key.namespace.clone());
        let package_config = namespaces.map(|name| (name.clone(), config.package(&name))).collect();
        let options = Options {
            project: project.name.clone(),
            stack: stack.stack().to_owned(),
            organization: ORGANIZATION.to_owned(),
            preview: false,
            parallel: parallel(request, environment)?,
            targets: request.targets.clone(),
            continue_on_error: request.continue_on_error,
            refresh: request.refresh.unwrap_or(project.refresh_always),
            package_config,
            package_places: given.package_places(),
            pending_creates: request.pending_creates.clone(),
            keep_last: false,
        };
        let stacks = Neighbours {
            backend: self.store.backend.clone(),
            project: project.name.clone(),
            keys: keys.clone(),
            redaction: redaction.clone(),
        };
        let runner = Runner {
            work: request.work,
            backend: self.store.backend.clone(),
            stack,
            machine: self.store.machine.clone(),
            clock: self.store.clock.clone(),
            mode: Mode::Threaded,
            keys,
            secrets_provider: provider,
            program,
            directory: project.program_directory(),
            options,
            plugins: run.clone(),
            relay,
            may_delete_all: AtomicBool::new(request.delete_all),
            random: Arc::new(SystemRandom::default()),
            stacks: Arc::new(stacks),
            redaction,
            entry: Entry::new(request.message.clone(), project, &stack_config),
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
        };
        Ok(Operation { workspace: self, texts, config_texts, runner, host, run })
    }
}

/// The configuration that plugins get in `PULUMI_CONFIG`. Plugins start before the program's own secrets are decrypted, so only the namespaces of
/// packages are included; the project's is one only if a plugin has the project's name.
fn plugin_config(
    project: &Project,
    stack: &StackConfig,
    crypter: &dyn Crypter,
    needed: &[PluginDescriptor],
) -> Result<BTreeMap<String, String>, Diagnostic> {
    let (merged, _) = apply(project, stack)?;
    let wanted =
        |key: &ConfigKey| key.namespace != project.name || needed.iter().any(|plugin| plugin.name == project.name);
    let items: BTreeMap<ConfigKey, Item> = merged.items.into_iter().filter(|(key, _)| wanted(key)).collect();
    let config = Config::decrypt(&items, crypter)?;
    Ok(items.keys().map(|key| (key.namespace.clone(), config.plugin_environment(&key.namespace))).collect())
}

/// As Pulumi: four calls for each processor, because calls wait for the cloud more than they compute.
fn parallel(request: &Request, environment: &Environment) -> Result<usize, Diagnostic> {
    if let Some(parallel) = request.parallel {
        return Ok(usize::try_from(parallel).unwrap_or(usize::MAX));
    }
    let Some(text) = environment.text("PULUMI_PARALLEL") else {
        return Ok(std::thread::available_parallelism().map_or(4, NonZero::get) * 4);
    };
    text.parse::<u32>().ok().filter(|number| *number > 0).and_then(|number| number.try_into().ok()).ok_or_else(|| {
        Diagnostic::error("parallel", format!("PULUMI_PARALLEL is `{text}`, which is not a number above 0"))
            .hint("Set it to the number of calls that may change or read resources at once, or unset it.")
    })
}
