//! The `ResourceMonitor` service: a [`Monitor`] for another process, which is a plugin with components or a whole program.
//!
//! The engine is one task, and all its work is futures inside it. A call from a client arrives in a task of the server, so it is passed on as a
//! job, which [`serve`] runs beside the client, inside the engine's task.

mod answer;
pub(crate) mod goal;
mod package;
mod service;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use outrigger_provider::{Monitor, RunInfo};
use outrigger_transport::limited;
use tokio::sync::{Notify, mpsc};

use crate::generated::pulumirpc::resource_monitor_server::ResourceMonitorServer;
use crate::served::Served;
use service::Service;

/// How many calls of the client may be queued; then the client waits.
const QUEUE: usize = 64;

/// A call of the client, to be run with the monitor.
type Job = Box<dyn for<'m> FnOnce(&'m dyn Monitor) -> BoxFuture<'m, ()> + Send>;

/// How long a client needs the monitor, which decides the answer to `SignalAndWaitForShutdown`.
pub enum Lifetime {
    /// For one call to a plugin. The plugin does not wait for the end.
    Call,
    /// For a whole program. A program that has registered everything signals that, which notifies `complete`, and then waits until the monitor
    /// ends. It has an [`EngineServer`](crate::EngineServer) of its own, which keeps the root resource that it sets.
    Program {
        /// Notified when the program has registered everything.
        complete: Arc<Notify>,
    },
}

/// Serves the monitor until `client` ends. `client` gets the address: it makes a call to a plugin, or runs a program.
///
/// Calls that have begun are finished before this returns, even if the client does not wait for them or has died: a registration that is dropped
/// half way could have created a resource that no stack would know of.
pub async fn serve<T>(
    monitor: &dyn Monitor,
    lifetime: Lifetime,
    client: impl AsyncFnOnce(String) -> T,
) -> io::Result<T> {
    let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
    let service = limited!(ResourceMonitorServer::new(Service::new(jobs, monitor.run().clone(), lifetime)));
    let server = Served::start(service).await?;
    let mut running = FuturesUnordered::new();
    let client = client(server.address().to_string());
    tokio::pin!(client);
    let answer = loop {
        tokio::select! {
            answer = &mut client => break answer,
            Some(job) = queue.recv() => running.push(job(monitor)),
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    };
    // Later calls are refused, and queued ones have not begun. A program that waits for the end gets its answer.
    drop((server, queue));
    while running.next().await.is_some() {}
    Ok(answer)
}

/// The configuration in the plugins' form: the values, and the keys of secret ones.
pub(crate) fn configuration(run: &RunInfo) -> (std::collections::HashMap<String, String>, Vec<String>) {
    let text = |value: &outrigger_value::Value| value.bare().as_str().unwrap_or_default().to_owned();
    let values = run.config.iter().map(|(key, value)| (key.clone(), text(value))).collect();
    let secret = run.config.iter().filter(|(_, value)| value.contains_secret()).map(|(key, _)| key.clone()).collect();
    (values, secret)
}
