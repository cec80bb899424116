//! Several runs on one host.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use outrigger_host::Host;
use outrigger_provider::{NoLog, Plugins};

use crate::support::{Scratch, configuration, cx, place, processes_in, project};

#[tokio::test]
async fn a_cancelled_run_leaves_the_host_to_the_next() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = Host::new(scratch.options()).unwrap();
    let first = host.run(project("shop", &scratch.path()), Arc::new(NoLog));
    let plugin = first.load(&cx(), &random).await.unwrap();
    let other = first.load(&cx(), &random).await.unwrap();
    let both = processes_in(&scratch.path());
    assert_eq!(both.len(), 2);
    drop(plugin);
    first.cancel().await;
    drop((first, other));

    let second = host.run(project("shop", &scratch.path()), Arc::new(NoLog));
    let plugin = second.load(&cx(), &random).await.unwrap();
    plugin.configure(&cx(), configuration("one")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()), both, "the process that the first run had given back is used again");
    // The other plugin was asked to stop, and may refuse every later call.
    let another = second.load(&cx(), &random).await.unwrap();
    another.configure(&cx(), configuration("two")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 3);
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}

/// Every run gets the warnings of its plugins, even if another run has started them.
#[tokio::test]
async fn each_run_is_warned() {
    let scratch = Scratch::new();
    let mut random = scratch.real("random");
    random.version = Some("99.0.0".to_owned());
    let host = Host::new(scratch.options()).unwrap();
    for _ in 0..2 {
        let run = host.run(project("shop", &scratch.path()), Arc::new(NoLog));
        drop(run.load(&cx(), &random).await.unwrap());
        assert_eq!(run.warnings().iter().map(|warning| warning.code).collect::<Vec<_>>(), ["plugin-other-version"]);
    }
    assert_eq!(processes_in(&scratch.path()).len(), 1);
    host.shutdown().await;
}

/// A process has the configuration of the project that it was started for.
#[tokio::test]
async fn projects_share_no_process() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = Host::new(scratch.options()).unwrap();
    for (name, processes) in [("shop", 1), ("shop", 1), ("bank", 2)] {
        let run = host.run(project(name, &scratch.path()), Arc::new(NoLog));
        drop(run.load(&cx(), &random).await.unwrap());
        assert_eq!(processes_in(&scratch.path()).len(), processes, "{name}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_run_has_the_schema_of_the_plugin_that_it_would_start() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = Host::new(scratch.options()).unwrap();
    let schema = async || {
        let run = host.run(project("shop", &scratch.path()), Arc::new(NoLog));
        run.schema(&cx(), &random).await.unwrap().name().to_owned()
    };
    assert_eq!(schema().await, "random");
    let program = scratch.path().join("bin/pulumi-resource-random");
    fs::remove_file(&program).unwrap();
    symlink(place::peer("bin/pulumi-resource-tls"), &program).unwrap();
    assert_eq!(schema().await, "tls");
    host.shutdown().await;
}
