//! The bridge as a plugin: it finds a Terraform provider, starts it and shows it under Pulumi's names.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use outrigger_provider::{
    CallContext, CallError, CheckConfig, CheckedConfig, Configure, Diff, DiffConfig, DiffKind, ErrorKind, Invoke,
    Invoked, LogLevel, Parameterization, Parameterize, Plugin, PluginInfo, PropertyDiff, Provider, Unconfigured,
};
use outrigger_terraform::Protocol;
use outrigger_terraform::schema::Schemas;
use outrigger_transport::{Deadlines, Launcher, Place, SchemaStore};
use outrigger_value::diff::{self, Change};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::configuration::{self, is_engines};
use crate::document::mapping;
use crate::document::{About, DocumentError, RegistryName, base_document, write_document};
use crate::origin::Origin;
use crate::package::Package;
use crate::process::{Supervised, Surroundings};
use crate::provider::BridgedProvider;
use crate::resource::ignore_changes::unchanged;
use crate::values::encode::Misfit;
use crate::values::{encode, secrets};
use crate::{Naming, Terraform, diagnostics};

/// The bridge's name as a plugin.
pub const NAME: &str = "terraform-provider";

/// The version of Terraform that providers see when they are configured. They expect one that they can parse; some use it to decide which
/// features the host has.
pub(crate) const TERRAFORM_VERSION: &str = "1.12.0+outrigger";

/// The form of a stored schema: the protocol's number, then the provider's answer.
const SCHEMA_FORM: &str = "terraform schema";

/// The settings and services that the bridge gets from its host.
#[derive(Clone)]
pub struct BridgeOptions {
    /// How providers are found and used.
    pub terraform: Terraform,
    /// Starts providers.
    pub launcher: Arc<dyn Launcher>,
    /// Keeps schemas.
    pub schemas: Arc<dyn SchemaStore>,
    /// The environment of providers.
    pub environment: Vec<(OsString, OsString)>,
    /// The working directory of providers.
    pub directory: PathBuf,
    /// How long a provider may take to start, and to answer StopProvider.
    pub deadlines: Deadlines,
    /// Whether the bridge lives as long as a command: then a provider starts before it is needed, and plans are kept until they are applied.
    /// `pulumi` starts a separate bridge to get the schema, and another one for each part of a command.
    pub lasting: bool,
}

impl BridgeOptions {
    /// A provider's process, not started yet.
    pub(crate) fn process(&self, origin: &Origin) -> Supervised {
        let surroundings = Surroundings {
            launcher: Arc::clone(&self.launcher),
            environment: self.environment.clone(),
            directory: self.directory.clone(),
            deadlines: self.deadlines,
            tls: self.terraform.tls,
            log_level: self.terraform.log_level,
            call_log: self.terraform.call_log.clone(),
        };
        Supervised::new(origin.place.clone(), format!("{} {}", origin.provider, origin.version), surroundings)
    }
}

/// The bridge: no package at first, the package of one provider once it is parameterized.
pub struct Bridge {
    options: BridgeOptions,
    became: OnceLock<Arc<Became>>,
    becoming: tokio::sync::Mutex<()>,
    /// Puts a schema into the store.
    keeping: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

struct Became {
    package: Arc<Package>,
    origin: Origin,
}

impl Became {
    /// The package schema, as a bridge of this version writes it.
    fn document(&self, base_version: &str) -> Result<Vec<u8>, DocumentError> {
        let Origin { version, value, namespace, provider, .. } = &self.origin;
        let about = About {
            version,
            base_version,
            parameter: value,
            origin: namespace.as_deref().map(|namespace| RegistryName { namespace, name: provider }),
        };
        let mut document = Vec::new();
        write_document(&self.package.naming, &about, &mut document)?;
        Ok(document)
    }
}

impl Bridge {
    /// A bridge that is not parameterized yet.
    pub fn new(options: BridgeOptions) -> Self {
        let (becoming, keeping) = (tokio::sync::Mutex::new(()), tokio::sync::Mutex::new(None));
        Self { options, became: OnceLock::new(), becoming, keeping }
    }

    fn became(&self, call: &str) -> Result<&Arc<Became>, CallError> {
        let message = "the bridge is not parameterized: its parameters must name the Terraform provider to use";
        self.became.get().ok_or_else(|| self.error(call, message.to_owned()))
    }

    fn error(&self, call: &str, message: String) -> CallError {
        CallError::new(self.label(), call, ErrorKind::NotDone, message)
    }

    /// The package of a provider. Its process is started now only if its schema is not stored.
    async fn package(&self, cx: &CallContext, origin: &Origin) -> Result<Package, CallError> {
        // The provider was found, so an error here is about its schema.
        const CALL: &str = "GetProviderSchema";
        let options = &self.options;
        let process = options.process(origin);
        let known = match &origin.place {
            Place::Program(program) => options.schemas.get(program, SCHEMA_FORM),
            Place::Running(_) => None,
        };
        // A stored schema that cannot be read is fetched again.
        let known = known.and_then(|kept| {
            let protocol = Protocol::of_version((*kept.first()?).into())?;
            Schemas::index(kept.slice(1..), protocol).ok()
        });
        let schemas = match known {
            Some(schemas) => {
                if !schemas.capabilities().schema_optional {
                    process.ask_for_schema_first();
                }
                schemas
            }
            None => {
                let keeper = match &origin.place {
                    Place::Program(program) => Some(options.schemas.keeper(program, SCHEMA_FORM)),
                    Place::Running(_) => None,
                };
                let client = process.client(cx).await?;
                let schemas = client.schemas(cx).await.map_err(|error| process.explained(error))?;
                if let Some(error) = diagnostics::error(cx, None, None, schemas.reports()) {
                    return Err(self.error(CALL, error));
                }
                if let Some(keeper) = keeper {
                    let (protocol, raw) = (client.protocol() as u8, schemas.raw().clone());
                    // Storing reads the whole executable, which may be hundreds of megabytes. It starts only after the provider has started, and
                    // only the end of the bridge waits for it, so that the next bridge finds the schema.
                    let keeping = spawn_blocking(move || keeper(&[&[protocol], raw.as_ref()].concat()));
                    *self.keeping.lock().await = Some(keeping);
                }
                schemas
            }
        };
        let schemas = Arc::new(schemas);
        process.knows(&schemas);
        let naming = Naming::new(&origin.provider, schemas, &origin.selection);
        let naming = naming.map_err(|error| self.error(CALL, error.to_string()))?;
        Ok(Package::new(origin, naming, process, options))
    }
}

#[async_trait]
impl Plugin for Bridge {
    fn takes_autonaming(&self) -> bool {
        true
    }

    fn label(&self) -> String {
        match self.became.get() {
            Some(became) => became.package.label(),
            None => format!("{NAME} {}", self.options.terraform.version),
        }
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo { version: self.options.terraform.version.clone(), ..PluginInfo::default() })
    }

    async fn parameterize(&self, cx: &CallContext, request: Parameterize) -> Result<Parameterization, CallError> {
        const CALL: &str = "Parameterize";
        let _one_at_a_time = self.becoming.lock().await;
        if let Some(became) = self.became.get() {
            let Package { name, version, .. } = &*became.package;
            return Err(self.error(CALL, format!("provider is already parameterized to ({name}, {version})")));
        }
        let origin = Origin::find(&*self.options.terraform.resolver, &request).await;
        let origin = origin.map_err(|diagnostic| self.error(CALL, diagnostics::not_found(&diagnostic)))?;
        if let Some(note) = &origin.note {
            cx.log.log(LogLevel::Info, None, note, false);
        }
        let package = Arc::new(self.package(cx, &origin).await?);
        if self.options.lasting {
            // The provider will be needed, so it starts now. If it cannot, the first caller that needs it gets the error.
            let early = Arc::clone(&package);
            let cx = cx.clone();
            tokio::spawn(async move { early.process.start_early(&cx).await });
        }
        let answer = Parameterization {
            name: package.name.clone(),
            version: package.version.clone(),
            value: origin.value.clone(),
        };
        let _set_once = self.became.set(Arc::new(Became { package, origin }));
        Ok(answer)
    }

    async fn schema(&self, _: &CallContext, _: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        const CALL: &str = "GetSchema";
        let Some(became) = self.became.get().map(Arc::clone) else {
            let mut document = Vec::new();
            let written = base_document(&format!("v{}", self.options.terraform.version), &mut document);
            return written.map(|()| document).map_err(|error| self.error(CALL, error.to_string()));
        };
        // A large document takes a while; meanwhile the provider starts.
        let version = self.options.terraform.version.clone();
        let written = spawn_blocking(move || became.document(&version)).await;
        let written = written.map_err(|error| self.error(CALL, error.to_string()))?;
        written.map_err(|error| self.error(CALL, error.to_string()))
    }

    async fn check_config(&self, cx: &CallContext, request: CheckConfig) -> Result<CheckedConfig, CallError> {
        const CALL: &str = "CheckConfig";
        let Some(package) = self.became.get().map(|became| &became.package) else {
            return Ok(CheckedConfig { inputs: request.news, failures: Vec::new() });
        };
        package.process.overhear(&request.news);
        let object = package.naming.configuration();
        let misfit = |misfit: Misfit| self.error(CALL, misfit.to_string()).about(Some(misfit.path));
        let news = configuration::unfolded(object, &request.news).map_err(misfit)?;
        let config = encode::object(object, &news).map_err(misfit)?;
        let schema = &package.schemas().provider().block;
        let client = package.client(cx).await?;
        let answer = client.validate_provider(cx, &config, &schema.ty()).await;
        let mut reports = answer.map_err(|error| package.process.explained(error))?;
        let mut failures =
            diagnostics::failures(object, diagnostics::Checked::Provider(&request.urn, &package.name), &mut reports);
        let unknown = news.keys().filter(|key| !is_engines(key) && object.field(key).is_none());
        failures.extend(unknown.map(|key| diagnostics::unknown_key(object, &request.urn, &package.name, key)));
        package.heed(cx, CALL, Some(&request.urn), Some(object), &reports)?;
        let inputs = configuration::folded(object, secrets::marked(object, news));
        Ok(CheckedConfig { inputs, failures })
    }

    async fn diff_config(&self, _: &CallContext, request: DiffConfig) -> Result<Diff, CallError> {
        const CALL: &str = "DiffConfig";
        let Some(package) = self.became.get().map(|became| &became.package) else { return Ok(Diff::default()) };
        let object = package.naming.configuration();
        let old = configuration::unfolded_before(object, &request.old_inputs);
        let new = configuration::unfolded(object, &request.news);
        let new = new.map_err(|misfit| self.error(CALL, misfit.to_string()))?;
        let new = unchanged(&old, new, &request.ignore_changes);
        // Terraform's protocol cannot say that a configuration change needs another provider.
        let changes = diff::properties(&old, &new).into_iter().map(|(path, change)| {
            let kind = match change {
                Change::Add => DiffKind::Add,
                Change::Delete => DiffKind::Delete,
                Change::Update => DiffKind::Update,
            };
            (path.to_string(), PropertyDiff { kind, input: true })
        });
        let detailed: outrigger_provider::DetailedDiff = changes.collect();
        Ok(Diff { detailed: (!detailed.is_empty()).then_some(detailed), ..Diff::default() })
    }

    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        const CALL: &str = "Configure";
        let became = self.became(CALL)?;
        let package = &became.package;
        if request.is_unknown() {
            return Ok(Arc::new(Unconfigured::new(package.label())));
        }
        let object = package.naming.configuration();
        package.process.overhear(&request.inputs);
        let config = configuration::encoded(object, &request.inputs);
        let config = config.map_err(|misfit| self.error(CALL, misfit.to_string()))?;
        let ty = package.schemas().provider().block.ty();
        package.plans.clear();
        let answer = package.client(cx).await?.configure(cx, TERRAFORM_VERSION, &config, &ty).await;
        let reports = answer.map_err(|error| package.process.explained(error))?;
        package.heed(cx, CALL, Some(&request.urn), Some(object), &reports)?;
        Ok(Arc::new(BridgedProvider::new(Arc::clone(package), config)))
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        let package = &self.became("Invoke")?.package;
        package.process.overhear(&request.arguments);
        package.invoke(cx, request).await.map_err(|error| package.process.explained(error))
    }

    /// Empty if there is no mapping, as in Pulumi's bridge.
    async fn mapping(&self, _: &CallContext, key: &str, provider: &str) -> Result<(String, Vec<u8>), CallError> {
        const CALL: &str = "GetMapping";
        let became = self.became.get().filter(|_| mapping::is_known(key));
        let Some(package) = became.map(|became| &became.package) else {
            return Ok((String::new(), Vec::new()));
        };
        let mapped = mapping::provider(&package.naming);
        // Older engines do not name the provider.
        if !provider.is_empty() && provider != mapped {
            return Err(self.error(CALL, format!("unknown provider {provider:?}")));
        }
        let document = mapping::document(&package.naming, &package.version);
        Ok((mapped.to_owned(), document.map_err(|error| self.error(CALL, error.to_string()))?))
    }

    async fn mappings(&self, _: &CallContext, key: &str) -> Result<Vec<String>, CallError> {
        let became = self.became.get().filter(|_| mapping::is_known(key));
        Ok(became.map(|became| mapping::provider(&became.package.naming).to_owned()).into_iter().collect())
    }

    async fn cancel(&self, cx: &CallContext) -> Result<(), CallError> {
        match self.became.get() {
            Some(became) => became.package.process.stop(cx).await,
            None => Ok(()),
        }
    }

    async fn close(&self, _: &CallContext) {
        if let Some(became) = self.became.get() {
            became.package.process.end().await;
        }
        if let Some(keeping) = self.keeping.lock().await.take() {
            // A schema that could not be stored is fetched again.
            drop(keeping.await);
        }
    }
}
