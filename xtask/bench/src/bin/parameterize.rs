//! What it takes until a plugin is another package, and until that package's schema is there.
//!
//! `parameterize PLUGIN ARGUMENT...` starts the plugin, calls Parameterize with the arguments and then GetSchema, and prints one JSON
//! object: seconds from the start to the answer of Parameterize, seconds for GetSchema, how long the schema is, and the plugin's
//! highest resident size after each. Used by `cargo xtask bench bridge`.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]

#[allow(clippy::unwrap_used, reason = "it is made for tests")]
#[path = "../../../../crates/pulumi/tests/all/peers/process.rs"]
mod process;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::peak;
use outrigger_provider::{CallContext, NoLog, Parameterize, Plugin as _};
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, connect};
use outrigger_transport::Process as _;

use process::Child;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let program = PathBuf::from(arguments.next().ok_or("usage: parameterize PLUGIN ARGUMENT...")?);
    let directory = program.parent().ok_or("the plugin has no directory")?.to_owned();
    let engine = EngineServer::start(Arc::new(NoLog)).await?;
    let options = ConnectOptions {
        name: "terraform-provider".to_owned(),
        engine_address: engine.address().to_string(),
        deadlines: ConnectDeadlines::default(),
        log: None,
    };
    let cx = CallContext::background();
    let started = Instant::now();
    let process = Arc::new(Child::start(program, &[&engine.address().to_string()]));
    let origin = Origin::Process { process: process.clone(), directory, deadline: Duration::from_secs(60) };
    let plugin = connect(origin, options).await?;
    let package = plugin.parameterize(&cx, Parameterize::Arguments(arguments.collect())).await?;
    let parameterized = started.elapsed();
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
    // In order, so that a plugin can put away what it wants to know again.
    std::process::Command::new("kill").args(["-INT", &process.id().to_string()]).status()?;
    if tokio::time::timeout(Duration::from_secs(10), process.exited()).await.is_err() {
        process.kill();
        process.exited().await;
    }
    Ok(())
}
