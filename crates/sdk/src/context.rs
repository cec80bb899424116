//! The surroundings of one call.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use outrigger_provider::{CallContext, LogLevel, ResourceIdentity};
use outrigger_value::Urn;

use crate::{Error, Result};

/// What the package's configuration became: shared by all calls.
pub(crate) type Shared = Option<Arc<dyn Any + Send + Sync>>;

/// The surroundings of one call: the resource that it is about, the configuration, messages to the user, and whether the
/// user wants it to stop.
#[derive(Clone)]
pub struct Context {
    call: CallContext,
    resource: Option<ResourceIdentity>,
    timeout: Option<Duration>,
    shared: Shared,
    preview: bool,
}

impl Context {
    pub(crate) fn new(call: &CallContext, shared: Shared) -> Self {
        Self { call: call.clone(), resource: None, timeout: None, shared, preview: false }
    }

    pub(crate) fn about(self, resource: ResourceIdentity, timeout: Option<Duration>) -> Self {
        Self { resource: Some(resource), timeout, ..self }
    }

    pub(crate) fn with_preview(self, preview: bool) -> Self {
        Self { preview, ..self }
    }

    /// The package's configuration, or what [`crate::Package::connect`] made of it.
    pub fn config<T: Send + Sync + 'static>(&self) -> Result<&T> {
        let shared = self.shared.as_ref().ok_or_else(|| Error::new("the plugin has not been configured"))?;
        shared.downcast_ref().ok_or_else(|| {
            let wanted = std::any::type_name::<T>();
            Error::new(format!("the plugin's configuration is not a `{wanted}`: see `Package::config` and `connect`"))
        })
    }

    /// The resource's full name, in calls about a resource.
    pub fn urn(&self) -> Option<&Urn> {
        self.resource.as_ref().map(|resource| &resource.urn)
    }

    /// The name that the program gave to the resource; empty in calls about none.
    pub fn name(&self) -> &str {
        self.resource.as_ref().map_or("", |resource| resource.name())
    }

    /// How long the user lets this take, where there is a limit.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether nothing may be changed: a function that is called in a preview.
    pub fn is_preview(&self) -> bool {
        self.preview
    }

    /// Shows what is going on, beside the resource. The next call replaces it.
    pub fn progress(&self, message: impl fmt::Display) {
        self.send(LogLevel::Info, &message, true);
    }

    /// Tells the user something that stays.
    pub fn info(&self, message: impl fmt::Display) {
        self.send(LogLevel::Info, &message, false);
    }

    /// Tells the user something to look at.
    pub fn warn(&self, message: impl fmt::Display) {
        self.send(LogLevel::Warning, &message, false);
    }

    /// Tells the plugin's author something; users see it when they ask for it.
    pub fn debug(&self, message: impl fmt::Display) {
        self.send(LogLevel::Debug, &message, false);
    }

    fn send(&self, level: LogLevel, message: &dyn fmt::Display, ephemeral: bool) {
        self.call.log.log(level, self.urn(), &message.to_string(), ephemeral);
    }

    /// Waits until the user wants this to stop. Use it with `tokio::select!` around what takes long, and answer
    /// [`Error::cancelled`] or the state that was reached.
    pub async fn cancelled(&self) {
        self.call.cancel.cancelled().await;
    }

    /// Whether the user wants this to stop.
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("urn", &self.urn()).finish_non_exhaustive()
    }
}
