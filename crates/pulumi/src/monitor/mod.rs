//! The `ResourceMonitor` service: a [`Monitor`] for another process, which is a plugin with components or a whole program.
//!
//! The engine is one task, and everything that it does is a future inside it. A call from a client arrives in a task of the
//! server, so it is handed over as a job, which [`serve`] runs beside the client, inside the engine's task.

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

/// Calls of the client that were not taken up yet; the client waits with the next.
const QUEUE: usize = 64;

/// A call of the client, to be run with the monitor.
type Job = Box<dyn for<'m> FnOnce(&'m dyn Monitor) -> BoxFuture<'m, ()> + Send>;

/// How long a client needs the monitor, which decides the answer to `SignalAndWaitForShutdown`.
pub enum Lifetime {
    /// For one call to a plugin. The plugin does not wait for the end.
    Call,
    /// For a whole program. A program that has registered everything says so, which notifies `complete`, and then waits until the
    /// monitor ends. It has an [`EngineServer`](crate::EngineServer) of its own, which keeps the root resource that it sets.
    Program {
        /// Notified when the program has registered everything.
        complete: Arc<Notify>,
    },
}

/// Serves the monitor until `client` ends. `client` gets the address: it makes a call to a plugin, or runs a program.
///
/// What the client began is finished before this returns, also when the client does not wait for it or has died: a
/// registration that is dropped half way could have made something that nobody knows of.
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
    // Later calls are refused, and what waits in the queue has not begun. A program that waits for the end is answered.
    drop((server, queue));
    while running.next().await.is_some() {}
    Ok(answer)
}

/// The configuration as plugins get it: the values, and which of them are secret.
pub(crate) fn configuration(run: &RunInfo) -> (std::collections::HashMap<String, String>, Vec<String>) {
    let text = |value: &outrigger_value::Value| value.bare().as_str().unwrap_or_default().to_owned();
    let values = run.config.iter().map(|(key, value)| (key.clone(), text(value))).collect();
    let secret = run.config.iter().filter(|(_, value)| value.contains_secret()).map(|(key, _)| key.clone()).collect();
    (values, secret)
}
