//! Calls Check of the provider `simple` again and again, for `cargo xtask bench sdk`.
//!
//! `checks CALLS AT_ONCE PROVIDER` starts the provider and prints one JSON object: the time until it printed its port, the
//! wall time, the provider's processor time and its peak resident size. Without a provider, the package is called in this
//! process, and the figures are this process's.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]

#[path = "../../../../crates/sdk/examples/simple/package.rs"]
mod package;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::{Started, peak, processor_time};
use outrigger_provider::{CallContext, CheckConfig, CheckRequest, Configure, Plugin, Provider, ResourceIdentity};
use outrigger_value::{PropertyMap, Urn, Value};
use tokio::task::JoinSet;

type Failure = Box<dyn std::error::Error + Send + Sync>;

// One thread, as in `outrigger`: calls made together are sent together.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(calls), Some(at_once)) = (arguments.next(), arguments.next()) else {
        return Err("usage: checks CALLS AT_ONCE [PROVIDER]".into());
    };
    let (calls, at_once): (usize, usize) = (calls.parse()?, at_once.parse()?);
    let Some(program) = arguments.next() else {
        let plugin = package::package().plugin().map_err(|_| "the package is wrong")?;
        return measure(plugin, calls, at_once, std::process::id(), Duration::ZERO).await;
    };
    let started = Started::new("simple", program.into()).await?;
    measure(started.plugin.clone(), calls, at_once, started.process.id(), started.start).await?;
    started.end().await;
    Ok(())
}

async fn measure(
    plugin: Arc<dyn Plugin>,
    calls: usize,
    at_once: usize,
    process: u32,
    start: Duration,
) -> Result<(), Failure> {
    let cx = CallContext::background();
    let urn = Urn::new("bench", "bench", None, "pulumi:providers:simple", "default");
    let news = PropertyMap::from([("version".to_owned(), Value::from("2.0.0"))]);
    let request = CheckConfig { urn: urn.clone(), olds: PropertyMap::new(), news };
    let inputs = plugin.check_config(&cx, request).await?.inputs;
    let provider = plugin.configure(&cx, Configure { urn, id: "bench".to_owned(), inputs }).await?;
    // The first calls run with cold caches and small heaps.
    check_all(&provider, calls / 10, at_once).await?;
    let before = processor_time(process)?;
    let started = Instant::now();
    check_all(&provider, calls, at_once).await?;
    let wall = started.elapsed();
    let cpu = processor_time(process)? - before;
    println!(
        r#"{{"start":{:.6},"wall":{:.3},"cpu":{:.2},"peak_bytes":{}}}"#,
        start.as_secs_f64(),
        wall.as_secs_f64(),
        cpu.as_secs_f64(),
        peak(process)?
    );
    Ok(())
}

/// Makes the calls, with a limit of calls at once.
async fn check_all(provider: &Arc<dyn Provider>, calls: usize, at_once: usize) -> Result<(), Failure> {
    let mut running = JoinSet::new();
    for worker in 0..at_once {
        let provider = Arc::clone(provider);
        let mine = (worker..calls).step_by(at_once);
        running.spawn(async move {
            for index in mine {
                let urn = Urn::new("bench", "bench", None, package::TYPE, &format!("thing{index}"));
                let request = CheckRequest {
                    resource: ResourceIdentity::new(urn),
                    olds: None,
                    news: PropertyMap::from([("value".to_owned(), Value::Bool(true))]),
                    random_seed: [7; 32],
                    autonaming: None,
                    preview: false,
                };
                let checked = provider.check(&CallContext::background(), request).await?;
                if !checked.failures.is_empty() {
                    return Err(Failure::from("the provider refused what is right"));
                }
            }
            Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}
