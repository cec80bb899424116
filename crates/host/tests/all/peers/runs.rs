//! Several runs on one host.

use std::sync::Arc;

use outrigger_host::Host;
use outrigger_provider::{NoLog, Plugins};

use crate::support::{Scratch, configuration, cx, processes_in};

#[tokio::test]
async fn a_cancelled_run_leaves_the_host_to_the_next() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = Host::new(scratch.options()).unwrap();
    let first = host.run(Arc::new(NoLog));
    let plugin = first.load(&cx(), &random).await.unwrap();
    let other = first.load(&cx(), &random).await.unwrap();
    let both = processes_in(&scratch.path());
    assert_eq!(both.len(), 2);
    drop(plugin);
    first.cancel().await;
    drop((first, other));

    let second = host.run(Arc::new(NoLog));
    let plugin = second.load(&cx(), &random).await.unwrap();
    plugin.configure(&cx(), configuration("one")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()), both, "the process that the first run had given back is used again");
    // The other one was told to stop, and may refuse everything from then on.
    let another = second.load(&cx(), &random).await.unwrap();
    another.configure(&cx(), configuration("two")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 3);
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}

/// Every run is warned of what it uses, also if another one has started it.
#[tokio::test]
async fn each_run_is_warned() {
    let scratch = Scratch::new();
    let mut random = scratch.real("random");
    random.version = Some("99.0.0".to_owned());
    let host = Host::new(scratch.options()).unwrap();
    for _ in 0..2 {
        let run = host.run(Arc::new(NoLog));
        drop(run.load(&cx(), &random).await.unwrap());
        assert_eq!(run.warnings().iter().map(|warning| warning.code).collect::<Vec<_>>(), ["plugin-other-version"]);
    }
    assert_eq!(processes_in(&scratch.path()).len(), 1);
    host.shutdown().await;
}
