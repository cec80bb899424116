//! Plugins without processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallContext, Plugin, PluginDescriptor, Plugins};
use outrigger_schema::Package as Schema;
use outrigger_sdk::Package;

use crate::Failed;

/// Packages in this process, which the engine calls directly, as a host does for processes.
pub struct InProcess {
    packages: BTreeMap<String, Loaded>,
}

struct Loaded {
    plugin: Arc<dyn Plugin>,
    schema: Arc<Schema>,
}

impl InProcess {
    /// Loads packages. Every mistake in their schemas is reported.
    pub fn new(packages: impl IntoIterator<Item = Package>) -> Result<Self, Failed> {
        let mut loaded = BTreeMap::new();
        for package in packages {
            let text = package.schema().map_err(|mistakes| {
                let mistakes = mistakes.iter().map(|mistake| schema_mistake(&mistake.to_string()));
                Failed::from(mistakes.collect::<Vec<_>>())
            })?;
            let schema = Schema::parse(text.into_bytes()).map_err(|error| schema_mistake(&error.to_string()))?;
            // A package with a schema can become a plugin: the mistakes are the same.
            let plugin = package.plugin().map_err(|_| schema_mistake("the package has no schema"))?;
            loaded.insert(schema.name().to_owned(), Loaded { plugin, schema: Arc::new(schema) });
        }
        Ok(Self { packages: loaded })
    }

    fn find(&self, descriptor: &PluginDescriptor) -> Result<&Loaded, Diagnostic> {
        let name = descriptor.package();
        let missing = |detail: String| {
            Diagnostic::error("plugin-missing", format!("there is no package `{name}` in this test"))
                .detail(detail)
                .hint("Give the package to the stack of the test, or correct the type in the program.")
        };
        let found = self.packages.get(name).ok_or_else(|| {
            let known: Vec<String> = self.packages.keys().map(|name| format!("`{name}`")).collect();
            missing(format!("There is {}.", known.join(", ")))
        })?;
        match &descriptor.version {
            Some(wanted) if !wanted.is_empty() && wanted != found.schema.version() => {
                Err(missing(format!("It has version {}, but {wanted} is wanted.", found.schema.version())))
            }
            _ => Ok(found),
        }
    }
}

#[async_trait]
impl Plugins for InProcess {
    /// A package has no state beyond its definition, so all provider instances can share it.
    async fn load(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        self.find(descriptor).map(|loaded| Arc::clone(&loaded.plugin))
    }

    async fn schema(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Schema>, Diagnostic> {
        self.find(descriptor).map(|loaded| Arc::clone(&loaded.schema))
    }
}

fn schema_mistake(reason: &str) -> Diagnostic {
    Diagnostic::error("plugin-schema", "the package cannot be described").detail(reason)
}
