//! A plugin under test, restarted whenever the test wants.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, Parameterization, Plugin, PluginDescriptor};
use tempfile::TempDir;

use super::packages::{PluginSource, versioned};
use super::plugins::PluginSettings;
use super::{Asked, Environment};
use crate::plugin_test::{PluginOutput, Source, Started};

/// A plugin under test. It works in a separate, empty directory, where relative paths among invented inputs do no harm.
pub struct Tested {
    environment: Environment,
    source: PluginSource,
    descriptor: PluginDescriptor,
    parameters: Vec<String>,
    output: Arc<PluginOutput>,
    directory: TempDir,
}

impl Tested {
    /// A plugin, `NAME`, `NAME@VERSION` or a path, with its parameters. `output` receives its log and output.
    pub fn new(
        environment: &Environment,
        source: &str,
        parameters: Vec<String>,
        output: Arc<PluginOutput>,
    ) -> Result<Self, Diagnostic> {
        let (source, version) = versioned(source);
        let source = PluginSource::parse(source, &environment.directory)?;
        let descriptor = PluginDescriptor::named(source.name(), version);
        let directory = tempfile::tempdir().map_err(|error| {
            Diagnostic::error("plugin-test-directory", "a working directory for the plugin cannot be created")
                .detail(error.to_string())
                .hint("Check that the directory for temporary files, TMPDIR, is writable and has free space.")
        })?;
        Ok(Self { environment: environment.clone(), source, descriptor, parameters, output, directory })
    }

    /// The directory in which the plugin works.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

#[async_trait]
impl Source for Tested {
    fn name(&self) -> &str {
        self.source.name()
    }

    async fn start(&self) -> Result<Box<dyn Started>, Diagnostic> {
        let mut settings = PluginSettings::new(&self.environment, &self.environment.directory)?;
        self.source.add_to(&mut settings);
        settings.host.output = Some(Arc::clone(&self.output) as _);
        settings.project.directory = self.directory.path().to_owned();
        let log = Arc::clone(&self.output) as _;
        let cx = CallContext::background();
        Ok(Box::new(Asked::load(&cx, settings, &self.descriptor, &self.parameters, log).await?))
    }
}

#[async_trait]
impl Started for Asked {
    fn plugin(&self) -> &Arc<dyn Plugin> {
        &self.plugin
    }

    fn package(&self) -> Option<&Parameterization> {
        self.package.as_ref()
    }

    async fn end(self: Box<Self>) -> Vec<String> {
        Asked::end(*self).await
    }
}
