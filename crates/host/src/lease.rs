//! A plugin leased from the pool, with the host's deadlines on every call that has one.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use outrigger_provider::{
    CallContext, CallError, CheckConfig, CheckedConfig, Configure, Diff, DiffConfig, ErrorKind, Invoke, Invoked,
    Parameterization, Parameterize, Plugin, PluginInfo, Provider,
};

use crate::limited::LimitedProvider;
use crate::pool::{SlotId, Wanted};
use crate::run::User;
use crate::running::Running;
use crate::supply::Supply;

/// A leased plugin. It returns to the pool when its last owner drops it.
pub(crate) struct Lease {
    supply: Arc<Supply>,
    user: Arc<User>,
    wanted: Wanted,
    current: Mutex<(SlotId, Arc<Running>)>,
    /// Serializes configurations.
    configuring: tokio::sync::Mutex<()>,
    own: Weak<Lease>,
}

impl Lease {
    pub(crate) fn new(
        supply: Arc<Supply>,
        user: Arc<User>,
        wanted: Wanted,
        id: SlotId,
        running: Arc<Running>,
    ) -> Arc<Self> {
        running.speak_to(&user.log);
        Arc::new_cyclic(|own| Self {
            supply,
            user,
            wanted,
            current: Mutex::new((id, running)),
            configuring: tokio::sync::Mutex::new(()),
            own: own.clone(),
        })
    }

    /// Asks the plugin to stop its work. It is not leased again.
    pub(crate) async fn interrupt(&self, cx: &CallContext) {
        self.retire();
        // Advisory.
        drop(self.plugin().cancel(cx).await);
    }

    fn retire(&self) {
        self.supply.retire(&self.wanted, self.current().0);
    }

    fn current(&self) -> (SlotId, Arc<Running>) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        (current.0, Arc::clone(&current.1))
    }

    fn plugin(&self) -> Arc<dyn Plugin> {
        Arc::clone(&self.current().1.plugin)
    }

    /// Switches to another plugin; the one that does not fit becomes free for other requests.
    fn exchange(&self, id: SlotId, running: Arc<Running>) {
        running.speak_to(&self.user.log);
        let before = {
            let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, (id, running))
        };
        self.supply.free(&self.wanted, before.0);
    }

    fn limited(&self, provider: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(LimitedProvider::new(provider, *self.supply.deadlines(), self.own.upgrade()))
    }

    /// A plugin that was never configured, for a request that no running one fits.
    async fn unconfigured(&self, cx: &CallContext) -> Result<Arc<Running>, CallError> {
        let (_, running) = self.current();
        if running.is_alive() && !running.is_configured() {
            return Ok(running);
        }
        let label = running.plugin.label();
        let error = |kind, message: String| CallError::new(label, "Configure", kind, message);
        let cancelled = "the plugin was not started: the command was cancelled";
        let leased = tokio::select! {
            biased;
            leased = self.supply.lease_unconfigured(&self.user, &self.wanted) => leased,
            () = cx.cancel.cancelled() => return Err(error(ErrorKind::Cancelled, cancelled.to_owned())),
            () = self.user.stopping.cancelled() => return Err(error(ErrorKind::Cancelled, cancelled.to_owned())),
        };
        let (id, fresh) = leased.map_err(|diagnostic| {
            let last_words = diagnostic.notes.clone();
            CallError { last_words, ..error(ErrorKind::NotDone, diagnostic.to_string()) }
        })?;
        self.exchange(id, Arc::clone(&fresh));
        Ok(fresh)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.supply.free(&self.wanted, self.current().0);
    }
}

/// The same context with the host's deadline, unless the caller has set one.
pub(crate) fn within(cx: &CallContext, deadline: Duration) -> CallContext {
    cx.within(cx.deadline.unwrap_or(deadline))
}

// A method missing here would silently get its default.
#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl Plugin for Lease {
    fn label(&self) -> String {
        self.plugin().label()
    }

    fn takes_autonaming(&self) -> bool {
        self.plugin().takes_autonaming()
    }

    async fn info(&self, cx: &CallContext) -> Result<PluginInfo, CallError> {
        self.plugin().info(&within(cx, self.supply.deadlines().handshake)).await
    }

    async fn parameterize(&self, cx: &CallContext, request: Parameterize) -> Result<Parameterization, CallError> {
        // From here on it is a different package, so it does not fit the next load of this descriptor.
        self.retire();
        self.plugin().parameterize(&within(cx, self.supply.deadlines().schema), request).await
    }

    async fn schema(&self, cx: &CallContext, package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        self.plugin().schema(&within(cx, self.supply.deadlines().schema), package).await
    }

    async fn check_config(&self, cx: &CallContext, request: CheckConfig) -> Result<CheckedConfig, CallError> {
        self.plugin().check_config(&within(cx, self.supply.deadlines().check), request).await
    }

    async fn diff_config(&self, cx: &CallContext, request: DiffConfig) -> Result<Diff, CallError> {
        self.plugin().diff_config(&within(cx, self.supply.deadlines().check), request).await
    }

    /// A plugin that was configured before with an equal request is reused as it is: Configure is not
    /// called again. One that was configured with another request is never configured a second time.
    async fn configure(&self, cx: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        let _one_at_a_time = self.configuring.lock().await;
        let (_, running) = self.current();
        if let Some(provider) = running.configured_with(&request).filter(|_| running.is_alive()) {
            return Ok(self.limited(provider));
        }
        if let Some((id, running)) = self.supply.lease_configured(&self.wanted, &request)
            && let Some(provider) = running.configured_with(&request)
        {
            self.exchange(id, running);
            return Ok(self.limited(provider));
        }
        let running = self.unconfigured(cx).await?;
        let deadline = within(cx, self.supply.deadlines().configure);
        let outcome = running.plugin.configure(&deadline, request.clone()).await;
        match outcome {
            Ok(provider) => {
                // With unknown inputs nothing was sent: the plugin can still be configured.
                if !provider.unconfigured() {
                    running.set_configured(request, Arc::clone(&provider));
                }
                Ok(self.limited(provider))
            }
            Err(error) => {
                // It may be half configured, so it must not be reused.
                self.retire();
                Err(error)
            }
        }
    }

    async fn invoke(&self, cx: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        self.plugin().invoke(cx, request).await
    }

    async fn mapping(&self, cx: &CallContext, key: &str, provider: &str) -> Result<(String, Vec<u8>), CallError> {
        self.plugin().mapping(&within(cx, self.supply.deadlines().schema), key, provider).await
    }

    async fn mappings(&self, cx: &CallContext, key: &str) -> Result<Vec<String>, CallError> {
        self.plugin().mappings(&within(cx, self.supply.deadlines().schema), key).await
    }

    async fn by_hand(
        &self,
        cx: &CallContext,
        call: &str,
        request: &str,
        show_secrets: bool,
    ) -> Result<Vec<String>, CallError> {
        // Any call may have changed the plugin.
        self.retire();
        let deadlines = self.supply.deadlines();
        let deadline = match call {
            "Handshake" | "Attach" | "GetPluginInfo" => Some(deadlines.handshake),
            "Parameterize" | "GetSchema" | "GetMapping" | "GetMappings" => Some(deadlines.schema),
            "CheckConfig" | "DiffConfig" | "Check" => Some(deadlines.check),
            "Configure" => Some(deadlines.configure),
            "Diff" => Some(deadlines.plan),
            "Cancel" => Some(deadlines.cancel),
            _ => None,
        };
        let cx = deadline.map_or_else(|| cx.clone(), |deadline| within(cx, deadline));
        self.plugin().by_hand(&cx, call, request, show_secrets).await
    }

    async fn cancel(&self, cx: &CallContext) -> Result<(), CallError> {
        self.plugin().cancel(&within(cx, self.supply.deadlines().cancel)).await
    }

    fn has_ended(&self) -> bool {
        !self.current().1.is_alive()
    }

    async fn close(&self, cx: &CallContext) {
        self.retire();
        self.plugin().close(&within(cx, self.supply.deadlines().cancel)).await;
    }
}
