//! A provider that the bridge has become: its names, its schemas, its process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_terraform::schema::{Kind, Schemas};
use outrigger_terraform::{Client, Handle, Report};
use outrigger_value::{PropertyPath, Urn};
use tokio::sync::OnceCell;

use crate::naming::object_names::Object;
use crate::naming::property_path;
use crate::naming::resources::{DataSource, Resource};
use crate::origin::Origin;
use crate::plugin::BridgeOptions;
use crate::process::Supervised;
use crate::resource::identity::Identities;
use crate::resource::plans::Plans;
use crate::resource::upgrade_cache::UpgradeCache;
use crate::{Naming, diagnostics};

/// A provider under Pulumi's names, and its process.
pub(crate) struct Package {
    /// The package's name: the provider's, or one that the user chose.
    pub(crate) name: String,
    /// The provider's version.
    pub(crate) version: String,
    pub(crate) naming: Naming,
    pub(crate) process: Supervised,
    /// Whether a step fails if the provider violates Terraform's rules.
    pub(crate) strict: bool,
    pub(crate) upgrade_cache: UpgradeCache,
    pub(crate) plans: Plans,
    pub(crate) identities: OnceCell<Identities>,
    subjects: Mutex<HashMap<String, Arc<Subject>>>,
    sources: Mutex<HashMap<String, Arc<DataSubject>>>,
}

/// A resource type, in Pulumi and in Terraform.
pub(crate) struct Subject {
    pub(crate) resource: Arc<Resource>,
    pub(crate) handle: Handle,
}

/// A data source, in Pulumi and in Terraform.
pub(crate) struct DataSubject {
    pub(crate) source: Arc<DataSource>,
    pub(crate) handle: Handle,
}

impl Package {
    pub(crate) fn new(origin: &Origin, naming: Naming, process: Supervised, options: &BridgeOptions) -> Self {
        process.unfolds(naming.configuration());
        Self {
            name: origin.package.clone(),
            version: origin.version.to_string(),
            naming,
            process,
            strict: options.terraform.strict,
            upgrade_cache: UpgradeCache::default(),
            plans: Plans::new(options.lasting),
            identities: OnceCell::new(),
            subjects: Mutex::default(),
            sources: Mutex::default(),
        }
    }

    /// Name and version, for messages.
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    pub(crate) fn schemas(&self) -> &Arc<Schemas> {
        self.naming.schemas()
    }

    /// The client of the provider's process, which is started if it does not run.
    pub(crate) async fn client(&self, cx: &CallContext) -> Result<Arc<Client>, CallError> {
        self.process.client(cx).await
    }

    /// The resource type of a token.
    pub(crate) fn subject(&self, call: &str, token: &str) -> Result<Arc<Subject>, CallError> {
        if let Some(known) = lock(&self.subjects).get(token) {
            return Ok(Arc::clone(known));
        }
        let resource = self.naming.resource(token).map_err(|error| self.error(call, error.to_string()))?;
        let resource = resource.ok_or_else(|| self.error(call, format!("the provider has no resource `{token}`")))?;
        let handle = self.handle(call, Kind::Resource, &resource.terraform)?;
        let subject = Arc::new(Subject { resource, handle });
        lock(&self.subjects).insert(token.to_owned(), Arc::clone(&subject));
        Ok(subject)
    }

    /// The data source of a token; `None` if there is none.
    pub(crate) fn source(&self, call: &str, token: &str) -> Result<Option<Arc<DataSubject>>, CallError> {
        if let Some(known) = lock(&self.sources).get(token) {
            return Ok(Some(Arc::clone(known)));
        }
        let source = self.naming.data_source(token).map_err(|error| self.error(call, error.to_string()))?;
        let Some(source) = source else { return Ok(None) };
        let handle = self.handle(call, Kind::DataSource, &source.terraform)?;
        let source = Arc::new(DataSubject { source, handle });
        lock(&self.sources).insert(token.to_owned(), Arc::clone(&source));
        Ok(Some(source))
    }

    fn handle(&self, call: &str, kind: Kind, terraform: &str) -> Result<Handle, CallError> {
        let handle =
            Handle::of(self.schemas(), kind, terraform).map_err(|error| self.error(call, error.to_string()))?;
        handle.ok_or_else(|| self.error(call, format!("the provider's schema has no `{terraform}`")))
    }

    /// An error before anything was done.
    pub(crate) fn error(&self, call: &str, message: impl Into<String>) -> CallError {
        CallError::new(self.label(), call, ErrorKind::NotDone, message)
    }

    /// Logs warnings, and fails with the errors among the reports.
    pub(crate) fn heed(
        &self,
        cx: &CallContext,
        call: &str,
        urn: Option<&Urn>,
        object: Option<&Object>,
        reports: &[Report],
    ) -> Result<(), CallError> {
        match diagnostics::error(cx, urn, object, reports) {
            Some(message) => Err(self.error(call, message).about(about(object, reports))),
            None => Ok(()),
        }
    }
}

/// The property that the first error is about.
fn about(object: Option<&Object>, reports: &[Report]) -> Option<PropertyPath> {
    let error = reports.iter().find(|report| report.is_error())?;
    property_path::path(object?, &error.path).map(PropertyPath)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
