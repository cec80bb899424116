//! Plugins that start and then misbehave.

use std::time::Duration;

use futures::FutureExt;
use outrigger_provider::{ErrorKind, Plugins};

use crate::support::{InRun, PATIENCE, Scratch, configuration, cx, processes_in, sigkill};

#[tokio::test]
async fn a_flood_neither_blocks_nor_fills_memory() {
    let scratch = Scratch::new();
    // The port would never arrive if stderr were not drained.
    let flood = "head -c 100000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2; echo done >&2; exec $REAL \"$@\"";
    let descriptor = scratch.script("demo", flood);
    let host = scratch.host();
    host.load(&cx(), &descriptor).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn a_plugin_that_ignores_the_interrupt_is_killed_with_its_children() {
    let scratch = Scratch::new();
    // A signal that a shell ignores stays ignored in the program it becomes.
    let descriptor = scratch.script("demo", "trap '' INT\nsleep 1000 >/dev/null 2>&1 &\nexec $REAL \"$@\"");
    let mut options = scratch.options();
    options.deadlines.grace = Duration::from_millis(200);
    let host = InRun::new(&scratch.path(), options);
    host.load(&cx(), &descriptor).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 2);
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
    let late = host.load(&cx(), &descriptor).await.err().unwrap();
    assert_eq!(late.code, "host-closing");
}

#[tokio::test]
async fn a_crash_is_reported_with_last_words_and_the_next_load_starts_anew() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "echo 'famous last words' >&2; exec $REAL \"$@\"");
    let host = scratch.host();
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    let process = processes_in(&scratch.path())[0];
    sigkill(process);
    let error = plugin.schema(&cx(), None).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Crashed | ErrorKind::NotDone), "{error:?}");
    assert_eq!(error.last_words, ["famous last words"]);
    drop(plugin);
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    assert!(!plugin.schema(&cx(), None).await.unwrap().is_empty());
    assert_ne!(processes_in(&scratch.path()), [process]);
    host.shutdown().await;
}

/// A configured plugin cannot take another configuration, which needs a second process, and that one does not start.
#[tokio::test]
async fn a_cancelled_configuration_does_not_wait_for_a_start() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "[ -e started ] && exec sleep 1000\ntouch started\nexec $REAL \"$@\"");
    let host = scratch.host();
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    plugin.configure(&cx(), configuration("one")).await.unwrap();
    let given_up = cx();
    let cancel = async { given_up.cancel.cancel() };
    let stop = async { host.cancel().await };
    for (cx, end) in [(given_up.clone(), cancel.boxed()), (cx(), stop.boxed())] {
        let configured = tokio::time::timeout(PATIENCE, plugin.configure(&cx, configuration("two")));
        let (configured, ()) = tokio::join!(configured, end);
        let error = configured.unwrap().err().unwrap();
        assert_eq!((error.kind, error.call.as_str()), (ErrorKind::Cancelled, "Configure"), "{error}");
    }
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}
