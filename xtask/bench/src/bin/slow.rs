//! One `up` of resources that each take a while, for `cargo xtask bench sdk`.
//!
//! `slow inside RESOURCES STATE CACHE` runs the package in the engine's process, `slow outside RESOURCES STATE CACHE` in a separate
//! process: this executable again, found, started, watched and ended by the host. `STATE` is an empty directory, `CACHE` the
//! host's. Program, engine, state and package are the same. It prints the seconds of the `up`, from nothing to a written
//! state, including the process's start and end.
#![allow(clippy::print_stdout, reason = "the figure is this program's output")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_host::{Host, HostOptions, KeeperCommand, ProjectOptions, keeper};
use outrigger_package::pulumi::{BuiltIn, Search};
use outrigger_provider::{NoLog, PluginDescriptor};
use outrigger_pulumi::Pulumi;
use outrigger_sdk::{Context, Created, Inputs, Outputs, Package, Resource, State, serve_with};
use outrigger_testing::{InProcess, Stack, StepOp, Store};

type Failure = Box<dyn std::error::Error>;

/// The duration of a creation.
const PAUSE: Duration = Duration::from_millis(5);

/// The argument that makes this executable the plugin.
const PLUGIN: &str = "plugin";

/// The argument that makes this executable the keeper.
const KEEPER: &str = "keeper";

/// The inputs of a pause.
#[derive(Inputs)]
struct PauseArgs {
    /// Its number.
    number: u32,
}

/// A resource that takes its time.
#[derive(Outputs)]
struct Pause {
    /// Its number.
    number: u32,
}

impl Resource for Pause {
    type Inputs = PauseArgs;
    const TOKEN: &'static str = "slow:index:Pause";

    async fn create(_: &Context, inputs: PauseArgs) -> outrigger_sdk::Result<Created<Self>> {
        tokio::time::sleep(PAUSE).await;
        Ok(Created::new(inputs.number.to_string(), Self { number: inputs.number }))
    }

    async fn delete(_: &Context, _: State<Self>) -> outrigger_sdk::Result<()> {
        Ok(())
    }
}

fn package() -> Package {
    Package::new("slow", "1.0.0").resource::<Pause>()
}

fn main() -> Result<ExitCode, Failure> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().unwrap_or_default();
    if first == PLUGIN {
        return Ok(serve_with(package(), arguments));
    }
    if first == KEEPER {
        keeper::run(std::io::stdin());
        return Ok(ExitCode::SUCCESS);
    }
    let (Some(resources), Some(state), Some(cache)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: slow inside|outside RESOURCES STATE CACHE".into());
    };
    let resources: usize = resources.to_string_lossy().parse()?;
    // One thread, as in `outrigger`.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let taken = runtime.block_on(measure(resources, state.into(), (first == "outside").then(|| cache.into())))?;
    println!("{:.4}", taken.as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// Runs the plugin in a separate process if there is a directory for the host's cache.
async fn measure(resources: usize, state: PathBuf, cache: Option<PathBuf>) -> Result<Duration, Failure> {
    let program = program(resources);
    let store = Store::Directory(state.clone());
    let begun = Instant::now();
    let made = if let Some(cache) = cache {
        let project = ProjectOptions { directory: state.clone(), ..ProjectOptions::default() };
        let host = Host::new(options(state, cache)?)?;
        let run = Arc::new(host.run(project, Arc::new(NoLog)));
        run.prefetch(&[PluginDescriptor::named("slow", None)]);
        let made = Stack::with(run, store)?.up(&program).await;
        host.shutdown().await;
        made?
    } else {
        Stack::with(Arc::new(InProcess::new([package()])?), store)?.up(&program).await?
    };
    let taken = begun.elapsed();
    match made.counts().get(&StepOp::Create) {
        Some(count) if *count == resources => Ok(taken),
        count => Err(format!("{count:?} of {resources} resources were made").into()),
    }
}

fn program(resources: usize) -> String {
    let mut program = "resources:\n".to_owned();
    for number in 0..resources {
        // Writing to a string cannot fail.
        let _ = writeln!(program, "  pause{number}: {{type: 'slow:Pause', properties: {{number: {number}}}}}");
    }
    program
}

/// The options of `outrigger`: with a keeper, and with the environment of this process.
fn options(directory: PathBuf, cache: PathBuf) -> Result<HostOptions, Failure> {
    let program = std::env::current_exe()?;
    let environment: Vec<_> = std::env::vars_os().collect();
    let built_in = vec![BuiltIn {
        name: "slow".to_owned(),
        version: "1.0.0".to_owned(),
        program: program.clone(),
        arguments: vec![PLUGIN.into()],
    }];
    let plugin_directory = directory.join("plugins");
    let search = Search { built_in, ignore_ambient: true, plugin_directory, ..Search::default() };
    Ok(HostOptions {
        environment: environment.clone(),
        protocols: vec![Arc::new(Pulumi { resolver: Arc::new(search), call_log: None })],
        cache_directory: Some(cache),
        keeper: Some(KeeperCommand { program, arguments: vec![KEEPER.into()], environment }),
        ..HostOptions::default()
    })
}
