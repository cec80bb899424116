//! The `ResourceMonitor` service, which plugins with components call back: a [`Monitor`] for another process.
//!
//! The engine is one task, and everything that it does is a future inside it. A call from a plugin arrives in a task of the
//! server, so it is handed over as a job, which [`attend`] runs beside the call to the plugin, inside the engine's task.

mod answer;
pub(crate) mod goal;
mod package;
mod service;

use std::io;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use outrigger_provider::{Monitor, RunInfo};
use outrigger_transport::limited;
use tokio::sync::mpsc;

use crate::generated::pulumirpc::resource_monitor_server::ResourceMonitorServer;
use crate::served::Served;
use service::Service;

/// Calls of the plugin that were not taken up yet; the plugin waits with the next.
const QUEUE: usize = 64;

/// A call of the plugin, to be run with the monitor.
type Job = Box<dyn for<'m> FnOnce(&'m dyn Monitor) -> BoxFuture<'m, ()> + Send>;

/// Makes a call to a plugin that may call the monitor, whose address it is given.
///
/// What the plugin began is finished before this returns, also when the plugin does not wait for it or has died: a
/// registration that is dropped half way could have made something that nobody knows of.
pub(crate) async fn attend<T>(monitor: &dyn Monitor, call: impl AsyncFnOnce(String) -> T) -> io::Result<T> {
    let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
    let service = limited!(ResourceMonitorServer::new(Service::new(jobs, monitor.run().clone())));
    let server = Served::start(service).await?;
    let mut running = FuturesUnordered::new();
    let call = call(server.address().to_string());
    tokio::pin!(call);
    let answer = loop {
        tokio::select! {
            answer = &mut call => break answer,
            Some(job) = queue.recv() => running.push(job(monitor)),
            Some(()) = running.next(), if !running.is_empty() => {}
        }
    };
    // Who calls from now on is told that the monitor is gone; what waits in the queue has not begun.
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
