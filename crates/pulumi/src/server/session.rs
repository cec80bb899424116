//! The state that the calls of one plugin share.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use outrigger_provider::{CallContext, LogSink, Parameterization, Plugin, Provider};
use outrigger_value::Urn;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::{Response, Status};

use super::log::EngineLog;
use outrigger_transport::server::begin;

/// The state that the calls of one plugin share.
pub(super) struct Session {
    pub(super) plugin: Arc<dyn Plugin>,
    pub(super) log: Arc<EngineLog>,
    pub(super) tasks: TaskTracker,
    provider: Mutex<Option<Arc<dyn Provider>>>,
    parameterizations: Mutex<Vec<Parameterization>>,
    cancel: Mutex<CancellationToken>,
}

impl Session {
    pub(super) fn new(plugin: Arc<dyn Plugin>) -> Self {
        Self {
            plugin,
            log: Arc::new(EngineLog::start()),
            tasks: TaskTracker::new(),
            provider: Mutex::default(),
            parameterizations: Mutex::default(),
            cancel: Mutex::default(),
        }
    }

    /// Runs a call in a task of its own. The work is never dropped half-way: if the engine gives up waiting, or the time is up, it is asked to
    /// stop, and may clean up and report how far it got.
    pub(super) async fn call<A, W, F>(&self, limit: Option<Duration>, work: W) -> Result<Response<A>, Status>
    where
        A: Send + 'static,
        W: FnOnce(CallContext) -> F,
        F: Future<Output = Result<A, Status>> + Send + 'static,
    {
        let cx = self.context(limit);
        let cancel = cx.cancel.clone();
        self.follow(limit, cancel, work(cx)).await
    }

    /// Runs an order like any call; but a provider that ends its orders itself is waited for, because only its answer shows what exists by then.
    pub(super) async fn order<A, W, F>(&self, limit: Option<Duration>, work: W) -> Result<Response<A>, Status>
    where
        A: Send + 'static,
        W: FnOnce(CallContext) -> F,
        F: Future<Output = Result<A, Status>> + Send + 'static,
    {
        if !self.ends_orders() {
            return self.call(limit, work).await;
        }
        // Only an engine that gives up the call itself ends it: nothing would receive the answer.
        let cancel = CancellationToken::new();
        let cx = CallContext { cancel: cancel.clone(), ..self.context(None) };
        self.follow(None, cancel, work(cx)).await
    }

    fn ends_orders(&self) -> bool {
        self.provider().is_some_and(|provider| provider.ends_orders())
    }

    /// Asks a provider that ends its orders itself to end them, if there are any.
    pub(super) async fn stop_orders(&self) {
        if !self.tasks.is_empty() && self.ends_orders() {
            // A provider that cannot be asked to stop is waited for anyway.
            drop(self.plugin.cancel(&self.context(None)).await);
        }
    }

    /// Runs a call where the connection is read, if it is a computation; if it has to wait, it becomes a task like any other.
    /// Starting a task, waking a thread for it and waking the connection again cost more than most checks do.
    pub(super) async fn compute<A, W, F>(&self, work: W) -> Result<Response<A>, Status>
    where
        A: Send + 'static,
        W: FnOnce(CallContext) -> F,
        F: Future<Output = Result<A, Status>> + Send + 'static,
    {
        let cx = self.context(None);
        let cancel = cx.cancel.clone();
        let mut work = Box::pin(work(cx));
        let begun = catch_unwind(AssertUnwindSafe(|| begin(work.as_mut())));
        let answer = match begun {
            Ok(Poll::Pending) => return self.follow(None, cancel, work).await,
            Ok(Poll::Ready(answer)) => answer,
            Err(panic) => Err(panicked(&*panic)),
        };
        self.log.flush().await;
        answer.map(Response::new)
    }

    async fn follow<A, F>(
        &self,
        limit: Option<Duration>,
        cancel: CancellationToken,
        work: F,
    ) -> Result<Response<A>, Status>
    where
        A: Send + 'static,
        F: Future<Output = Result<A, Status>> + Send + 'static,
    {
        let gives_up = cancel.clone().drop_guard();
        let mut task = self.tasks.spawn(work);
        let answer = match limit {
            None => task.await,
            Some(limit) => match tokio::time::timeout(limit, &mut task).await {
                Ok(answer) => answer,
                Err(_) => {
                    cancel.cancel();
                    task.await
                }
            },
        };
        self.log.flush().await;
        gives_up.disarm();
        match answer {
            Ok(answer) => answer.map(Response::new),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Err(panicked(&*panic)),
                Err(_) => Err(Status::internal("the plugin is shutting down")),
            },
        }
    }

    fn context(&self, limit: Option<Duration>) -> CallContext {
        let log = Arc::clone(&self.log) as Arc<dyn LogSink>;
        CallContext { cancel: lock(&self.cancel).child_token(), deadline: limit, log }
    }

    /// Asks all running calls to stop. Later calls are not affected: a plugin that is attached to by hand serves one run after another.
    pub(super) fn cancel(&self) {
        std::mem::take(&mut *lock(&self.cancel)).cancel();
    }

    pub(super) fn configured(&self, provider: Arc<dyn Provider>) {
        *lock(&self.provider) = Some(provider);
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        lock(&self.provider).clone()
    }

    /// The provider, for calls that need one.
    pub(super) fn expect_provider(&self) -> Result<Arc<dyn Provider>, Status> {
        self.provider().ok_or_else(|| Status::failed_precondition("the plugin has not been configured"))
    }

    pub(super) fn parameterized(&self, parameterization: Parameterization) {
        lock(&self.parameterizations).push(parameterization);
    }

    pub(super) fn parameterization(&self, name: &str, version: &str) -> Option<Parameterization> {
        let known = lock(&self.parameterizations);
        known.iter().rev().find(|known| known.name == name && (version.is_empty() || known.version == version)).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The status for a panic.
fn panicked(panic: &(dyn Any + Send)) -> Status {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Status::internal(format!("the plugin panicked: {}", words.unwrap_or("without a message")))
}

/// Parses the URN of a resource.
pub(super) fn urn(text: &str) -> Result<Urn, Status> {
    text.parse().map_err(|error: outrigger_value::UrnError| Status::invalid_argument(error.to_string()))
}

/// The user's time limit, in seconds; 0 means none, and so does a number that is no length of time.
pub(super) fn limit(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero())
}
