//! The package that a plugin serves.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use outrigger_provider::Plugin;
use outrigger_value::PropertyMap;

use crate::context::Context;
use crate::erased::{AnyFunction, AnyResource, Of};
use crate::plugin::PackagePlugin;
use crate::shape::ObjectShape;
use crate::validation::Environment;
use crate::{Function, Inputs, Resource, Result, SchemaMistake, schema};

/// The configuration, or the author's object that was made from it.
type Connected = Pin<Box<dyn Future<Output = Result<Arc<dyn Any + Send + Sync>>> + Send>>;
type Connect = Box<dyn Fn(PropertyMap, Context) -> Connected + Send + Sync>;

/// The package's configuration.
pub(crate) struct Configuration {
    pub(crate) shape: &'static ObjectShape,
    pub(crate) connect: Connect,
}

/// A plugin: its name, its resource types, its functions, its configuration.
///
/// ```
/// # use outrigger_sdk::Package;
/// let package = Package::new("kit", env!("CARGO_PKG_VERSION")).description("Files and commands.");
/// ```
pub struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) about: BTreeMap<&'static str, serde_json::Value>,
    pub(crate) resources: BTreeMap<&'static str, Arc<dyn AnyResource>>,
    pub(crate) functions: BTreeMap<&'static str, Arc<dyn AnyFunction>>,
    pub(crate) configuration: Option<Configuration>,
    /// Tokens that were given twice.
    pub(crate) twice: Vec<&'static str>,
    pub(crate) environment: Arc<Environment>,
}

impl Package {
    /// A package. The name is the plugin's: `kit` for `pulumi-resource-kit`. The version is usually
    /// `env!("CARGO_PKG_VERSION")`.
    pub fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            about: BTreeMap::new(),
            resources: BTreeMap::new(),
            functions: BTreeMap::new(),
            configuration: None,
            twice: Vec::new(),
            environment: Arc::new(|_| None),
        }
    }

    /// Adds a resource type.
    #[must_use]
    pub fn resource<R: Resource>(mut self) -> Self {
        if self.resources.insert(R::TOKEN, Arc::new(Of::<R>::new())).is_some() {
            self.twice.push(R::TOKEN);
        }
        self
    }

    /// Adds a function.
    #[must_use]
    pub fn function<F: Function>(mut self) -> Self {
        if self.functions.insert(F::TOKEN, Arc::new(Of::<F>::new())).is_some() {
            self.twice.push(F::TOKEN);
        }
        self
    }

    /// Gives the package a configuration, which [`Context::config`] returns.
    #[must_use]
    pub fn config<C: Inputs>(self) -> Self {
        self.connect(|config: C, _cx| async move { Ok(config) })
    }

    /// Gives the package a configuration, and makes an object from it once, such as a client, which [`Context::config`] returns instead.
    #[must_use]
    pub fn connect<C, T, M, F>(mut self, make: M) -> Self
    where
        C: Inputs,
        T: Send + Sync + 'static,
        M: Fn(C, Context) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let make = Arc::new(make);
        let connect: Connect = Box::new(move |inputs, cx| {
            let make = Arc::clone(&make);
            Box::pin(async move {
                let made = make(C::decode(inputs)?, cx).await?;
                Ok(Arc::new(made) as Arc<dyn Any + Send + Sync>)
            })
        });
        self.configuration = Some(Configuration { shape: C::shape(), connect });
        self
    }

    /// Describes the package, in a sentence or more.
    #[must_use]
    pub fn description(self, text: &str) -> Self {
        self.about("description", text)
    }

    /// The name to show, such as `Weather Stations`.
    #[must_use]
    pub fn display_name(self, text: &str) -> Self {
        self.about("displayName", text)
    }

    /// The URL of the package's website.
    #[must_use]
    pub fn homepage(self, text: &str) -> Self {
        self.about("homepage", text)
    }

    /// The URL of the source code.
    #[must_use]
    pub fn repository(self, text: &str) -> Self {
        self.about("repository", text)
    }

    /// The licence, as an SPDX expression.
    #[must_use]
    pub fn license(self, text: &str) -> Self {
        self.about("license", text)
    }

    /// The name of the publisher.
    #[must_use]
    pub fn publisher(self, text: &str) -> Self {
        self.about("publisher", text)
    }

    /// The URL that hosts download archives of the plugin from, such as `github://api.github.com/OWNER/REPOSITORY`.
    #[must_use]
    pub fn download_url(self, text: &str) -> Self {
        self.about("pluginDownloadURL", text)
    }

    /// The words that a search finds the package by.
    #[must_use]
    pub fn keywords(mut self, words: &[&str]) -> Self {
        self.about.insert("keywords", words.iter().copied().collect());
        self
    }

    /// Whether a resource has a name that the engine may choose.
    pub(crate) fn takes_autonaming(&self) -> bool {
        self.resources.values().any(|kind| kind.taken().properties.iter().any(|property| property.autoname))
    }

    fn about(mut self, key: &'static str, text: &str) -> Self {
        self.about.insert(key, text.into());
        self
    }

    /// The environment variables of inputs with `env`. There are none by default; [`crate::serve`] sets those of the process.
    #[must_use]
    pub fn environment(self, environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { environment: Arc::new(environment), ..self }
    }

    /// The schema, as JSON text. Equal packages have equal schemas.
    pub fn schema(&self) -> Result<String, Vec<SchemaMistake>> {
        schema::write(self)
    }

    /// The plugin, for a host in the same process.
    pub fn plugin(self) -> Result<Arc<dyn Plugin>, Vec<SchemaMistake>> {
        Ok(Arc::new(PackagePlugin::new(self)?))
    }
}
