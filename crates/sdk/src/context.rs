//! The context of one call.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use outrigger_provider::{CallContext, LogLevel, ResourceIdentity};
use outrigger_value::Urn;
use tokio::time::Instant;

use crate::{Error, Result};

/// The configuration, or the client that was made from it: shared by all calls.
pub(crate) type Shared = Option<Arc<dyn Any + Send + Sync>>;

/// The context of one call: the resource, the configuration, messages to the user, and cancellation.
#[derive(Clone)]
pub struct Context {
    call: CallContext,
    resource: Option<ResourceIdentity>,
    timeout: Option<Duration>,
    begun: Instant,
    shared: Shared,
    preview: bool,
}

impl Context {
    pub(crate) fn new(call: &CallContext, shared: Shared) -> Self {
        Self { call: call.clone(), resource: None, timeout: None, begun: Instant::now(), shared, preview: false }
    }

    pub(crate) fn about(self, resource: ResourceIdentity, timeout: Option<Duration>) -> Self {
        Self { resource: Some(resource), timeout, ..self }
    }

    pub(crate) fn with_preview(self, preview: bool) -> Self {
        Self { preview, ..self }
    }

    /// The package's configuration, or the value that [`crate::Package::connect`] made of it.
    pub fn config<T: Send + Sync + 'static>(&self) -> Result<&T> {
        let shared = self.shared.as_ref().ok_or_else(|| Error::new("the plugin has not been configured"))?;
        shared.downcast_ref().ok_or_else(|| {
            let wanted = std::any::type_name::<T>();
            Error::new(format!("the plugin's configuration is not a `{wanted}`: see `Package::config` and `connect`"))
        })
    }

    /// The URN of the resource, in calls about one.
    pub fn urn(&self) -> Option<&Urn> {
        self.resource.as_ref().map(|resource| &resource.urn)
    }

    /// The resource's name in the program; empty in calls that are about no resource.
    pub fn name(&self) -> &str {
        self.resource.as_ref().map_or("", |resource| resource.name())
    }

    /// The user's limit on the time of this call (`customTimeouts`), if there is one.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The rest of that time.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.begun.elapsed()))
    }

    /// Whether this is a function that is called in a preview, where nothing may be changed.
    pub fn is_preview(&self) -> bool {
        self.preview
    }

    /// Shows a status beside the resource. The next status replaces it.
    pub fn progress(&self, message: impl fmt::Display) {
        self.send(LogLevel::Info, &message, true);
    }

    /// Shows a message that stays.
    pub fn info(&self, message: impl fmt::Display) {
        self.send(LogLevel::Info, &message, false);
    }

    /// Shows a warning.
    pub fn warn(&self, message: impl fmt::Display) {
        self.send(LogLevel::Warning, &message, false);
    }

    /// Logs a message for the plugin's author, which users do not see unless they ask for it.
    pub fn debug(&self, message: impl fmt::Display) {
        self.send(LogLevel::Debug, &message, false);
    }

    fn send(&self, level: LogLevel, message: &dyn fmt::Display, ephemeral: bool) {
        self.call.log.log(level, self.urn(), &message.to_string(), ephemeral);
    }

    /// Waits until the user wants this call to stop. Use it with `tokio::select!` around slow work, and return
    /// [`Error::cancelled`] or the state that was reached.
    pub async fn cancelled(&self) {
        self.call.cancel.cancelled().await;
    }

    /// Whether the user wants this call to stop.
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("urn", &self.urn()).finish_non_exhaustive()
    }
}
