//! Measures how long a plugin takes to become another package and to return that package's schema.
//!
//! `parameterize PLUGIN ARGUMENT...` starts the plugin, calls Parameterize with the arguments and then GetSchema, and prints one JSON
//! object: seconds from the start to the answer of Parameterize, seconds for GetSchema, the length of the schema, and the plugin's
//! peak resident size after each. Used by `cargo xtask bench bridge`.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bench::{Started, peak};
use outrigger_provider::{CallContext, Parameterize, Plugin as _};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let program = PathBuf::from(arguments.next().ok_or("usage: parameterize PLUGIN ARGUMENT...")?);
    let started = Started::new("terraform-provider", program).await?;
    let Started { plugin, process, .. } = &started;
    let cx = CallContext::background();
    let package = plugin.parameterize(&cx, Parameterize::Arguments(arguments.collect())).await?;
    let parameterized = started.at.elapsed();
    let parameterized_peak = peak(process.id())?;
    let asked = Instant::now();
    let schema = plugin.schema(&cx, Some(&package)).await?;
    let described = asked.elapsed();
    println!(
        r#"{{"parameterized":{:.6},"parameterized_peak":{parameterized_peak},"schema":{:.6},"schema_peak":{},"bytes":{}}}"#,
        parameterized.as_secs_f64(),
        described.as_secs_f64(),
        peak(process.id())?,
        schema.len()
    );
    // An orderly end, so that a plugin can save its caches.
    std::process::Command::new("kill").args(["-INT", &process.id().to_string()]).status()?;
    if tokio::time::timeout(Duration::from_secs(10), process.exited()).await.is_err() {
        started.end().await;
    }
    Ok(())
}
