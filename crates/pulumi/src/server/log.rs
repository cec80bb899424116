//! Sends a plugin's log messages to the engine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use outrigger_provider::{LogLevel, LogSink};
use outrigger_transport::channel::Channel;
use outrigger_transport::{Address, dial, limited};
use outrigger_value::Urn;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::generated::pulumirpc::engine_client::EngineClient;
use crate::generated::pulumirpc::{LogRequest, LogSeverity};

/// How many messages may wait. A plugin that logs more than an engine can take must not fill memory.
const WAITING: usize = 1024;

/// How long an engine may take to receive a message. An answer does not wait longer for the messages before it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The log of the engine that a plugin works for now. Messages keep their order; they are dropped if there is no engine, and if too many wait.
pub(super) struct EngineLog {
    queue: mpsc::Sender<Item>,
    engine: Arc<Mutex<Option<EngineClient<Channel>>>>,
    /// Messages in the queue or on their way.
    waiting: Arc<AtomicUsize>,
    /// Messages that found the queue full.
    dropped: AtomicUsize,
}

enum Item {
    Message(LogRequest),
    Flush(oneshot::Sender<()>),
}

impl EngineLog {
    /// Starts the task that sends. It ends with the log.
    pub(super) fn start() -> Self {
        let (queue, mut items) = mpsc::channel(WAITING);
        let engine: Arc<Mutex<Option<EngineClient<Channel>>>> = Arc::default();
        let current = Arc::clone(&engine);
        let waiting: Arc<AtomicUsize> = Arc::default();
        let left = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Some(item) = items.recv().await {
                match item {
                    Item::Message(message) => {
                        let client = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
                        if let Some(mut client) = client {
                            // An engine that takes no messages is no reason to stop working for it.
                            let _not_heard = timeout(PATIENCE, client.log(message)).await;
                        }
                        left.fetch_sub(1, Ordering::AcqRel);
                    }
                    Item::Flush(done) => {
                        let _nobody_waits = done.send(());
                    }
                }
            }
        });
        Self { queue, engine, waiting, dropped: AtomicUsize::new(0) }
    }

    /// Connects to an engine: `127.0.0.1:PORT`.
    pub(super) async fn attach(&self, address: &str) -> Result<(), Status> {
        let client = limited!(EngineClient::new(dial(address).await?));
        *self.engine.lock().unwrap_or_else(PoisonError::into_inner) = Some(client);
        Ok(())
    }

    /// Waits until all earlier messages are sent, so that they come before the answer of the call.
    pub(super) async fn flush(&self) {
        // Most calls log nothing, and need not wait.
        if self.waiting.load(Ordering::Acquire) == 0 && self.dropped.load(Ordering::Relaxed) == 0 {
            return;
        }
        let (done, sent) = oneshot::channel();
        let flushed = async {
            let dropped = self.dropped.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                let lost = format!("{dropped} messages were dropped: they came faster than they could be sent");
                self.waiting.fetch_add(1, Ordering::AcqRel);
                let _no_longer = self.queue.send(Item::Message(request(LogLevel::Warning, None, &lost, false))).await;
            }
            if self.queue.send(Item::Flush(done)).await.is_ok() {
                let _no_longer = sent.await;
            }
        };
        let _engine_is_slow = timeout(PATIENCE, flushed).await;
    }
}

impl LogSink for EngineLog {
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.queue.try_send(Item::Message(request(level, urn, message, ephemeral))).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            // An ephemeral message is replaced by the next one anyway.
            if !ephemeral {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Whether an engine answers. One without a health service counts too.
pub async fn engine_is_there(address: &str) -> bool {
    let Ok(channel) = dial(address).await else { return false };
    let health = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    !matches!(health, Err(status) if status.code() != Code::Unimplemented)
}

/// Dials a service of the engine: `127.0.0.1:PORT`.
pub(super) async fn dial(address: &str) -> Result<Channel, Status> {
    let refuse = |reason: String| Status::unavailable(format!("the engine at `{address}` cannot be reached: {reason}"));
    let there = Address::tcp(address).ok_or_else(|| refuse("expected HOST:PORT".to_owned()))?;
    dial::dial(&there).await.map_err(|error| refuse(error.to_string()))
}

fn request(level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) -> LogRequest {
    let severity = match level {
        LogLevel::Debug => LogSeverity::Debug,
        LogLevel::Info => LogSeverity::Info,
        LogLevel::Warning => LogSeverity::Warning,
        LogLevel::Error => LogSeverity::Error,
    };
    let urn = urn.map(ToString::to_string).unwrap_or_default();
    LogRequest { severity: severity.into(), message: message.to_owned(), urn, stream_id: 0, ephemeral }
}
