//! Terraform providers: the bridge runs in this process, its providers are processes like every plugin.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use outrigger_bridge::{Bridge, BridgeOptions, LogLevel, NoStore, Origins, RawProvider, SchemaKeeper, SchemaStore};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, CallError, PluginDescriptor, without_secrets};
use outrigger_terraform::Protocol;
use outrigger_transport::Launcher;
use outrigger_transport::tap::CallLog;

use crate::find::wanted_version;
use crate::schema::{self, Key, Stamp};
use crate::spawner::Spawner;
use crate::{HostOptions, KeeperCommand, environment};

/// How Terraform providers are found and used.
#[derive(Clone)]
pub struct TerraformOptions {
    /// Finds providers.
    pub origins: Arc<dyn Origins>,
    /// The version that the bridge has where none is asked for.
    pub version: String,
    /// Whether connections to providers are encrypted.
    pub tls: bool,
    /// Whether a provider that does not keep to the rules fails the step.
    pub strict: bool,
    /// The least important line of a provider's log that is passed on.
    pub log_level: Option<LogLevel>,
    /// Where calls of providers are written down.
    pub call_log: Option<Arc<dyn CallLog>>,
}

/// A bridge for a descriptor, whose providers this host starts. It is of the version that is asked for, as the plugin that `pulumi` would
/// start is: lock files name it.
pub(crate) fn bridge(
    terraform: &TerraformOptions,
    options: &HostOptions,
    descriptor: &PluginDescriptor,
    spawner: &Spawner,
) -> Result<Bridge, Diagnostic> {
    let version = wanted_version(descriptor)?.map_or_else(|| terraform.version.clone(), |version| version.to_string());
    let environment = environment::of_plugin(options, descriptor);
    let directory = options.project.directory.clone();
    let launcher = Arc::new(spawner.clone());
    let cache = options.cache_directory.clone();
    let bridge = bridge_options(terraform, cache, launcher, environment, directory);
    Ok(Bridge::new(BridgeOptions { version, lasting: true, ..bridge }))
}

/// A bridge that is a plugin by itself, for another host. It starts its providers, with a keeper for them.
pub fn stand_alone_bridge(
    terraform: &TerraformOptions,
    cache: Option<PathBuf>,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    directory: PathBuf,
    keeper: Option<KeeperCommand>,
) -> Result<Bridge, Diagnostic> {
    let spawner = Spawner::new(keeper).map_err(|error| crate::host::no_thread(&error))?;
    let environment = without_secrets(environment);
    Ok(Bridge::new(bridge_options(terraform, cache, Arc::new(spawner), environment, directory)))
}

/// A Terraform provider without the bridge, for a person who wants to see what it says, with a keeper for it. `arguments` name it as they
/// would for the bridge.
pub async fn bare_provider(
    cx: &CallContext,
    terraform: &TerraformOptions,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    directory: PathBuf,
    arguments: Vec<String>,
    keeper: Option<KeeperCommand>,
) -> Result<Result<RawProvider, CallError>, Diagnostic> {
    let spawner = Spawner::new(keeper).map_err(|error| crate::host::no_thread(&error))?;
    let environment = without_secrets(environment);
    let options = bridge_options(terraform, None, Arc::new(spawner), environment, directory);
    RawProvider::start(cx, &options, arguments).await
}

fn bridge_options(
    terraform: &TerraformOptions,
    cache: Option<PathBuf>,
    launcher: Arc<dyn Launcher>,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    directory: PathBuf,
) -> BridgeOptions {
    let schemas: Arc<dyn SchemaStore> = match cache {
        Some(cache) => Arc::new(KeptSchemas { cache }),
        None => Arc::new(NoStore),
    };
    BridgeOptions {
        version: terraform.version.clone(),
        launcher,
        origins: Arc::clone(&terraform.origins),
        schemas,
        environment,
        directory,
        tls: terraform.tls,
        log_level: terraform.log_level,
        strict: terraform.strict,
        call_log: terraform.call_log.clone(),
        lasting: false,
    }
}

/// Schemas of Terraform providers, by the digests of their executables, in the same cache as all others.
struct KeptSchemas {
    cache: PathBuf,
}

impl KeptSchemas {
    fn key(digest: &str) -> Option<Key> {
        // No plugin has such a name.
        Key::new(digest, &PluginDescriptor::named("terraform schema", None))
    }
}

impl SchemaStore for KeptSchemas {
    fn get(&self, program: &Path) -> Option<(Protocol, Bytes)> {
        let digest = schema::remembered_digest(&self.cache, program)?;
        let kept = Bytes::from(schema::read(&self.cache, &Self::key(&digest)?)?);
        let protocol = match kept.first() {
            Some(5) => Protocol::Five,
            Some(6) => Protocol::Six,
            _ => return None,
        };
        Some((protocol, kept.slice(1..)))
    }

    fn keeper(&self, program: &Path) -> SchemaKeeper {
        let (cache, program, started) = (self.cache.clone(), program.to_owned(), Stamp::of(program).ok());
        Box::new(move |protocol, schema| {
            let digest =
                schema::remembered_digest(&cache, &program).or_else(|| schema::native_digest(&cache, &program));
            // The digest is of what is there now: after an upgrade in between, that is another program than the one that answered.
            if started.is_none() || Stamp::of(&program).ok() != started {
                return;
            }
            let Some(key) = digest.and_then(|digest| Self::key(&digest)) else { return };
            let number = match protocol {
                Protocol::Five => 5,
                Protocol::Six => 6,
            };
            // A cache that cannot be written makes the next run slower, not wrong.
            let _slower_next_time = schema::write(&cache, &key, &[&[number], schema.as_ref()].concat());
        })
    }
}

#[cfg(test)]
#[path = "../../../xtask/src/peers/place.rs"]
mod place;

#[cfg(test)]
mod peers {
    use std::fs;

    use async_trait::async_trait;
    use outrigger_bridge::tokens::Selection;
    use outrigger_bridge::{Origin, Place};
    use outrigger_provider::{Parameterize, Plugin};
    use outrigger_transport::{LaunchRequest, Process, StartError};
    use semver::Version;

    use super::*;

    /// A provider at a place of its own.
    struct At(PathBuf);

    #[async_trait]
    impl Origins for At {
        async fn find(&self, _: &Parameterize) -> Result<Origin, Diagnostic> {
            Ok(Origin {
                place: Place::Program(self.0.clone()),
                provider: "random".to_owned(),
                package: "random".to_owned(),
                version: Version::new(0, 0, 0),
                namespace: None,
                selection: Selection::default(),
                value: Vec::new(),
            })
        }
    }

    /// Starts programs; then somebody puts another one in their place, as every upgrade does.
    struct Upgraded {
        spawner: Spawner,
        by: Option<PathBuf>,
    }

    #[async_trait]
    impl Launcher for Upgraded {
        async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError> {
            let program = request.program.clone();
            let process = self.spawner.launch(request).await?;
            if let Some(by) = &self.by {
                fs::rename(by, program).unwrap();
            }
            Ok(process)
        }
    }

    /// How many schemas a bridge keeps whose provider is replaced once it runs, or is not.
    async fn kept(is_replaced: bool) -> usize {
        let root = tempfile::tempdir().unwrap();
        let (program, by) = (root.path().join("terraform-provider-random"), root.path().join("newer"));
        fs::copy(place::peer("terraform/terraform-provider-random"), &program).unwrap();
        fs::write(&by, b"\x7fELF that is newer").unwrap();
        let terraform = TerraformOptions {
            origins: Arc::new(At(program)),
            version: "1.0.0".to_owned(),
            tls: true,
            strict: false,
            log_level: None,
            call_log: None,
        };
        let launcher = Upgraded { spawner: Spawner::new(None).unwrap(), by: is_replaced.then_some(by) };
        let (cache, directory) = (root.path().join("cache"), root.path().to_owned());
        let options = bridge_options(&terraform, Some(cache.clone()), Arc::new(launcher), Vec::new(), directory);
        let bridge = Bridge::new(options);
        let cx = CallContext::background();
        bridge.parameterize(&cx, Parameterize::Arguments(Vec::new())).await.unwrap();
        bridge.close().await;
        fs::read_dir(cache.join("schemas")).into_iter().flatten().count()
    }

    #[tokio::test]
    async fn a_schema_is_kept() {
        assert_eq!(kept(false).await, 1);
    }

    #[tokio::test]
    async fn a_schema_is_not_kept_for_a_program_that_was_replaced_meanwhile() {
        assert_eq!(kept(true).await, 0);
    }
}
