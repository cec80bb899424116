//! A plugin that can be called.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::broker::Broker;
use super::crash::CrashWatch;
use super::services::HEALTH_NAME;
use super::socket::Sockets;
use super::{stdio, tls::Tls};
use crate::channel::Channel;
use crate::generated::plugin::Empty;
use crate::generated::plugin::grpc_controller_client::GrpcControllerClient;
use crate::{Process, limited};

/// How long a plugin may take to end after it was asked to, as in go-plugin; and how long the request itself may take.
const EXIT: Duration = Duration::from_secs(2);

/// How long the kernel may take to remove a process that was killed.
const HELD: Duration = Duration::from_secs(5);

/// A connection to a plugin. Clones share it. If the last one is dropped without [`Connection::shutdown`], a process that the host started is
/// killed.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

struct Shared {
    channel: Channel,
    version: u32,
    process: Option<Arc<dyn Process>>,
    broker: Broker,
    crash: Arc<CrashWatch>,
    sockets: Arc<Sockets>,
    /// Whether it was shut down. Locked during a shutdown, so that every caller waits for the end.
    ended: Mutex<bool>,
    /// The reader tasks for the broker and for the plugin's output, which end with the connection or with this.
    _listeners: [AbortOnDropHandle<()>; 2],
}

impl Connection {
    /// Opens the two streams that stay open. Neither is awaited: a plugin answers them with its first message.
    pub(super) fn new(
        channel: Channel,
        version: u32,
        process: Option<Arc<dyn Process>>,
        crash: Arc<CrashWatch>,
        sockets: Arc<Sockets>,
        tls: Option<Tls>,
    ) -> Self {
        let broker = Broker::new(Arc::clone(&sockets), tls);
        let prints = stdio::drain(channel.clone(), process.clone(), Arc::clone(&crash));
        let listeners = [
            AbortOnDropHandle::new(tokio::spawn(prints)),
            AbortOnDropHandle::new(tokio::spawn(broker.clone().follow(channel.clone()))),
        ];
        let ended = Mutex::new(false);
        let shared = Shared { channel, version, process, broker, crash, sockets, ended, _listeners: listeners };
        Self { shared: Arc::new(shared) }
    }

    /// For generated clients of the application's services.
    pub fn channel(&self) -> Channel {
        self.shared.channel.clone()
    }

    /// The version of the application's protocol that the plugin chose.
    pub fn protocol(&self) -> u32 {
        self.shared.version
    }

    /// The process, if the host started it.
    pub fn process(&self) -> Option<&Arc<dyn Process>> {
        self.shared.process.as_ref()
    }

    /// Further connections.
    pub fn broker(&self) -> &Broker {
        &self.shared.broker
    }

    /// Checks the plugin's health. Any answer will do, as for go-plugin.
    pub async fn ping(&self) -> Result<(), Status> {
        let request = HealthCheckRequest { service: HEALTH_NAME.to_owned() };
        limited!(HealthClient::new(self.channel())).check(request).await.map(drop)
    }

    /// The text of the plugin's panic: from `panic:` or `fatal error:` on.
    pub fn crash_text(&self) -> Option<String> {
        self.shared.crash.text()
    }

    /// Asks the plugin to end, waits two seconds for it, and kills it. Anything left in its directory is removed. A plugin that another program
    /// started is left alone.
    pub async fn shutdown(&self) {
        let Some(process) = &self.shared.process else { return };
        let mut ended = self.shared.ended.lock().await;
        if *ended {
            return;
        }
        self.shared.broker.close("the plugin was asked to end".to_owned());
        let mut controller = limited!(GrpcControllerClient::new(self.channel()));
        let asked = tokio::select! {
            // The plugin stops its server within the call, so the answer is often lost: only `UNIMPLEMENTED` is a refusal.
            answer = timeout(EXIT, controller.shutdown(Empty {})) => {
                !matches!(answer, Ok(Err(status)) if status.code() == Code::Unimplemented)
            }
            _ = process.exited() => true,
        };
        if !asked || timeout(EXIT, process.exited()).await.is_err() {
            process.kill();
            let _held_by_the_kernel = timeout(HELD, process.exited()).await;
        }
        let sockets = Arc::clone(&self.shared.sockets);
        let cleaning = tokio::task::spawn_blocking(move || {
            sockets.remove();
            sockets.remove_orphans();
        });
        let _runtime_ends = cleaning.await;
        *ended = true;
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = self.shared.process.as_ref().map(|process| process.id());
        f.debug_struct("Connection").field("version", &self.shared.version).field("process", &process).finish()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(process) = &self.process {
            process.kill();
            self.sockets.remove();
        }
    }
}
