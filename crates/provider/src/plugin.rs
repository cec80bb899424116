//! Running plugins that are not configured yet, and the trait that finds and starts them.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_schema::Package;
use outrigger_value::{PropertyMap, Urn};
use semver::Version;

use crate::{CallContext, CallError, CheckFailure, Diff, Invoke, Invoked, Provider, tolerant};

/// The plugin wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginDescriptor {
    /// The plugin's name: `aws` for `pulumi-resource-aws`. For a parameterized package this is the base plugin.
    pub name: String,
    /// The wanted version of the plugin, without a leading `v`.
    pub version: Option<String>,
    /// The download URL, if not the default one.
    pub download_url: Option<String>,
    /// Hex SHA-256 of the archive by platform.
    pub checksums: BTreeMap<String, String>,
    /// Turns the base plugin into a different package.
    pub parameterization: Option<Parameterization>,
    /// Environment variables to rename for this instance: new name to old name.
    pub env_var_mappings: BTreeMap<String, String>,
}

impl PluginDescriptor {
    /// A plugin by name and version.
    pub fn named(name: impl Into<String>, version: Option<String>) -> Self {
        Self { name: name.into(), version, ..Self::default() }
    }

    /// The wanted version, parsed as Pulumi does.
    pub fn wanted_version(&self) -> Result<Option<Version>, Diagnostic> {
        let Some(text) = self.version.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
        tolerant(text).map(Some).ok_or_else(|| {
            Diagnostic::error("plugin-version", format!("`{text}` is not a version of plugin `{}`", self.name))
                .detail("A version has the form `1.2.3` or `1.2.3-beta.1`.")
                .hint("Correct the version in the program, the project file or the package's lock file.")
        })
    }

    /// The package that resources of this plugin belong to.
    pub fn package(&self) -> &str {
        self.parameterization.as_ref().map_or(&self.name, |parameterization| &parameterization.name)
    }
}

/// A stored parameterization.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameterization {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// Opaque bytes.
    pub value: Vec<u8>,
}

/// How to parameterize a plugin.
#[derive(Clone, Debug)]
pub enum Parameterize {
    /// With command line arguments, as `pulumi package add` does.
    Arguments(Vec<String>),
    /// With a stored parameterization.
    Value(Parameterization),
}

/// A plugin's description of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginInfo {
    /// Its version; may be empty.
    pub version: String,
    /// Reserved: the number of calls per second that it can take, if it gives one. Nothing limits the rate yet.
    pub calls_per_second: Option<f64>,
}

/// A request to check a provider's configuration.
#[derive(Clone, Debug)]
pub struct CheckConfig {
    /// The provider resource.
    pub urn: Urn,
    /// The old inputs.
    pub olds: PropertyMap,
    /// The new inputs.
    pub news: PropertyMap,
}

/// A checked configuration.
#[derive(Clone, Debug, Default)]
pub struct CheckedConfig {
    /// The inputs to use.
    pub inputs: PropertyMap,
    /// Problems with them.
    pub failures: Vec<CheckFailure>,
}

/// A request to compare configurations.
#[derive(Clone, Debug)]
pub struct DiffConfig {
    /// The provider resource.
    pub urn: Urn,
    /// Its id.
    pub id: String,
    /// The old inputs.
    pub old_inputs: PropertyMap,
    /// The old outputs.
    pub old_outputs: PropertyMap,
    /// The new inputs.
    pub news: PropertyMap,
    /// Property paths whose changes are ignored.
    pub ignore_changes: Vec<String>,
}

/// A configuration. Equal requests may share a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Configure {
    /// The provider resource.
    pub urn: Urn,
    /// Its id.
    pub id: String,
    /// Checked inputs, with secrets, without the engine's own `__internal` key.
    pub inputs: PropertyMap,
}

impl Configure {
    /// Whether a part of it is not known yet, so that no plugin can be configured with it; see [`crate::Unconfigured`].
    pub fn is_unknown(&self) -> bool {
        // The plugin's own version is among the inputs, but no part of the configuration.
        self.inputs.iter().any(|(key, value)| key != "version" && value.contains_unknown())
    }
}

/// A running process that speaks some protocol and is not configured yet.
#[async_trait]
pub trait Plugin: Send + Sync {
    /// Name and version, for messages.
    fn label(&self) -> String;

    /// Whether its providers honour [`crate::CheckRequest::autonaming`]; hosts ask before they configure.
    fn takes_autonaming(&self) -> bool {
        false
    }

    /// The plugin's description of itself. Deadline: the host's.
    async fn info(&self, cx: &CallContext) -> Result<PluginInfo, CallError>;

    /// Turns the plugin into a different package.
    async fn parameterize(&self, _cx: &CallContext, _request: Parameterize) -> Result<Parameterization, CallError> {
        Err(CallError::unsupported("parameterize"))
    }

    /// The schema as raw bytes; [`Package`] parses it lazily. The parameterization names a sub-package.
    async fn schema(&self, _cx: &CallContext, _package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        Err(CallError::unsupported("schema"))
    }

    /// Checks a configuration.
    async fn check_config(&self, _cx: &CallContext, request: CheckConfig) -> Result<CheckedConfig, CallError> {
        Ok(CheckedConfig { inputs: request.news, failures: Vec::new() })
    }

    /// Compares configurations; a replacement here replaces every resource of the provider.
    async fn diff_config(&self, _cx: &CallContext, _request: DiffConfig) -> Result<Diff, CallError> {
        Ok(Diff::default())
    }

    /// Configures a provider. With unknown inputs, the returned provider reports itself unconfigured.
    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError>;

    /// Calls a function that needs no configuration.
    async fn invoke(&self, _cx: &CallContext, _request: Invoke) -> Result<Invoked, CallError> {
        Err(CallError::unsupported("invoke"))
    }

    /// A mapping from another ecosystem's names, such as `terraform`.
    async fn mapping(&self, _cx: &CallContext, _key: &str, _provider: &str) -> Result<(String, Vec<u8>), CallError> {
        Err(CallError::unsupported("mapping"))
    }

    /// Names that [`Plugin::mapping`] supports for a key.
    async fn mappings(&self, _cx: &CallContext, _key: &str) -> Result<Vec<String>, CallError> {
        Err(CallError::unsupported("mappings"))
    }

    /// Makes one call by its name, with messages as JSON, for a person examining the plugin. Returns one answer for
    /// each message received. Marked secrets are shown only on request.
    async fn by_hand(
        &self,
        _cx: &CallContext,
        _call: &str,
        _request: &str,
        _show_secrets: bool,
    ) -> Result<Vec<String>, CallError> {
        Err(CallError::unsupported("calls by hand"))
    }

    /// Asks the plugin to stop what it is doing. Advisory.
    async fn cancel(&self, _cx: &CallContext) -> Result<(), CallError> {
        Ok(())
    }

    /// Whether one of the plugin's processes has ended, so that the plugin can no longer be used.
    fn has_ended(&self) -> bool {
        false
    }

    /// Asks the plugin to end, as its protocol defines. No call follows, and the host ends any remaining processes.
    async fn close(&self, _cx: &CallContext) {}
}

/// Finds, starts and describes plugins. One `load` is one provider instance; dropping it, and everything configured from it, returns it for
/// reuse by a later `load`.
#[async_trait]
pub trait Plugins: Send + Sync {
    /// Starts a plugin or reuses one. If the descriptor has parameters, the plugin is already parameterized.
    async fn load(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic>;

    /// The package's schema; from a cache where that is safe.
    async fn schema(&self, cx: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic>;

    /// Warnings since the last call, each once: plugins whose version is not the wanted one.
    fn warnings(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}
