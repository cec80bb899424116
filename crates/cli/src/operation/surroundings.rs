//! What a run needs before it can begin: project, stack, keys, configuration, plugins, program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, KeeperCommand, Run};
use outrigger_project::Project;
use outrigger_project::config::{Config, ConfigKey, ConfigText, Item, apply, merge};
use outrigger_project::stack_config::StackConfig;
use outrigger_provider::PropertyPlaces;
use outrigger_secrets::Crypter;
use outrigger_state::{SecretsProviderState, StackName};
use outrigger_yaml::{YamlProgram, check_project};

use super::{Extent, Request, Work};
use crate::encryption::{self, Keyring, salt, stack_provider};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::plugins::PluginSettings;
use crate::render::diagnostic::Renderer;
use crate::render::events::EventStream;
use crate::render::progress::View;
use crate::render::redaction::{HIDDEN, Redaction};
use crate::render::value::Secrets;
use crate::services::{Relay, SystemRandom};
use crate::source::Source;
use crate::terminal::Terminal;
use crate::workspace::Workspace;

/// Everything that both phases of a run share.
pub(crate) struct Surroundings {
    pub(crate) workspace: Workspace,
    pub(crate) stack: StackName,
    pub(crate) stack_config: StackConfig,
    pub(crate) keyring: Arc<Keyring>,
    /// How new secrets are encrypted; `None` keeps what the state says.
    pub(crate) provider: Option<SecretsProviderState>,
    pub(crate) host: Host,
    pub(crate) run: Arc<Run>,
    pub(crate) relay: Arc<Relay>,
    pub(crate) program: Option<YamlProgram>,
    /// Configuration of default providers, by package.
    pub(crate) package_config: BTreeMap<String, outrigger_value::PropertyMap>,
    /// Where it was given.
    pub(crate) package_places: BTreeMap<String, PropertyPlaces>,
    /// The configuration's texts, with secrets masked.
    pub(crate) config_texts: BTreeMap<String, String>,
    /// Where the command was started: what relative paths of its flags begin at.
    pub(crate) directory: PathBuf,
    pub(crate) parallel: usize,
    /// One source for the preview and the update after it, so that both plan the same ids for new providers.
    pub(crate) random: Arc<SystemRandom>,
    pub(crate) view: View,
}

impl Surroundings {
    /// Prepares a run. Plugins begin to start in here; must be called inside the runtime.
    pub(crate) fn prepare(request: &Request, environment: &Environment, terminal: Terminal) -> Result<Self, Failure> {
        let workspace = Workspace::open(environment)?;
        if request.work == Work::Up {
            check_project(&workspace.project)?;
        }
        let stack = workspace.existing_stack(request.stack.as_deref(), environment)?;
        let mut stack_config = workspace.stack_config(&stack)?;
        stack_config.check_environment()?;
        let compiler = workspace.project.compiler();
        let mut source = match (request.work, compiler) {
            (Work::Up, None) => Some(Source::read(&workspace.project)?),
            // A compiler reads the configuration, which has to be decrypted first.
            (Work::Up, Some(_)) | (Work::Refresh | Work::Destroy, _) => None,
        };
        let keyring = Arc::new(Keyring::new(environment, terminal, true)?);
        let mut provider = stack_provider(&stack_config)?;
        if provider.is_none() {
            provider = workspace.store.backend.secrets_provider(&stack)?;
        }
        if matches!(request.extent, Extent::Full { .. }) {
            if !keyring.has_phrase() {
                // Results may hold secrets that nobody foresees; without a key they could not be written down.
                return Err(encryption::missing().into());
            }
            if provider.is_none() {
                let created = keyring.create()?;
                let text = stack_config.set_encryption_salt(salt(&created).unwrap_or_default())?;
                workspace.write_stack_config(&stack, &text)?;
                stack_config = workspace.stack_config(&stack)?;
                provider = Some(created);
            }
        }
        let crypter = match &provider {
            Some(provider) => {
                if stack_config.has_secrets() {
                    keyring.prefetch(provider);
                }
                keyring.crypter(provider)?
            }
            None => encryption::locked(),
        };
        let merged = || merge(&workspace.project, &stack_config, stack.stack(), crypter.as_ref());
        let mut config = None;
        if let (Work::Up, Some(compiler)) = (request.work, compiler) {
            let decrypted = config.insert(merged()?);
            let given = Some((stack.stack(), &*decrypted));
            source = Some(Source::compile(compiler, &workspace.project, given, environment)?);
        }
        let redaction = Arc::new(Redaction::default());
        let relay = Arc::new(Relay::default());
        let needed = source.as_ref().map(Source::required).unwrap_or_default();
        let plugin_config = plugin_config(&workspace.project, &stack_config, crypter.as_ref(), &needed)?;
        let keeper = keeper(environment, &workspace, &stack);
        let settings = PluginSettings::of_project(environment, &workspace.project, keeper, plugin_config)?;
        let host = Host::new(settings.options())?;
        let run = Arc::new(host.run(relay.clone()));
        run.prefetch(&needed);

        let (given, _) = apply(&workspace.project, &stack_config)?;
        let config = match (config, request.work) {
            (Some(config), _) => config,
            (None, Work::Up) => merged()?,
            // As in Pulumi: what needs no program asks for no configuration that only the program needs.
            (None, Work::Refresh | Work::Destroy) => Config::decrypt(&given.items, crypter.as_ref())?,
        };
        config.secret_texts().for_each(|text| redaction.learn(text));
        let texts = source.as_ref().map(|source| source.texts.clone()).unwrap_or_default();
        let program = source.map(|source| {
            let values = config.values().into_iter().collect();
            source.program(&workspace.project, stack.stack(), &values, run.clone(), environment)
        });
        let masked = |entry: &ConfigText| if entry.secret { HIDDEN.to_owned() } else { entry.text.clone() };
        let config_texts = config.entries().iter().map(|(key, entry)| (key.to_string(), masked(entry))).collect();
        let namespaces = config.entries().keys().map(|key| key.namespace.clone());
        let package_config = namespaces.map(|name| (name.clone(), config.package(&name))).collect();
        let view = View {
            stream: request.json.then(|| Arc::new(EventStream::default())),
            live: !request.json && terminal.is_redrawable(environment.text("TERM").as_deref()),
            diff: request.diff,
            same: request.show_sames,
            reads: request.show_reads,
            secrets: Secrets::from_flag(request.show_secrets),
            redaction,
            renderer: Renderer { base: workspace.project.directory().to_owned(), texts },
        };
        let parallel = parallel(request, environment)?;
        Ok(Self {
            workspace,
            stack,
            stack_config,
            keyring,
            provider,
            host,
            run,
            relay,
            program,
            package_config,
            package_places: given.package_places(),
            config_texts,
            directory: environment.directory.clone(),
            parallel,
            random: Arc::default(),
            view,
        })
    }
}

/// What plugins get in `PULUMI_CONFIG`. Plugins start before the program's own secrets are opened, so only the namespaces of
/// packages are; the project's is one only if a plugin has the project's name.
fn plugin_config(
    project: &Project,
    stack: &StackConfig,
    crypter: &dyn Crypter,
    needed: &[outrigger_provider::PluginDescriptor],
) -> Result<BTreeMap<String, String>, Diagnostic> {
    let (merged, _) = apply(project, stack)?;
    let wanted =
        |key: &ConfigKey| key.namespace != project.name || needed.iter().any(|plugin| plugin.name == project.name);
    let items: BTreeMap<ConfigKey, Item> = merged.items.into_iter().filter(|(key, _)| wanted(key)).collect();
    let config = Config::decrypt(&items, crypter)?;
    Ok(items.keys().map(|key| (key.namespace.clone(), config.plugin_environment(&key.namespace))).collect())
}

/// The keeper is this executable again. It folds the journal into the checkpoint if we are killed, for which it needs to know
/// where they are, and nothing secret.
fn keeper(environment: &Environment, workspace: &Workspace, stack: &StackName) -> Option<KeeperCommand> {
    const SECRET: [&str; 3] = ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"];
    let arguments: [OsString; 9] = [
        crate::keeper::ARGUMENT.into(),
        "--backend".into(),
        workspace.store.url.clone().into(),
        "--directory".into(),
        environment.directory.clone().into(),
        "--project".into(),
        stack.project().into(),
        "--stack".into(),
        stack.stack().into(),
    ];
    let variables = environment.variables().iter().filter(|(name, _)| SECRET.iter().all(|secret| name != secret));
    Some(KeeperCommand {
        program: environment.executable.clone()?,
        arguments: arguments.into(),
        environment: variables.cloned().collect(),
    })
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
            .hint("Set it to how many calls that change or read resources may be under way at once, or unset it.")
    })
}
