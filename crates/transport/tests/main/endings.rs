//! How plugins end, and what is left of them.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::kv::get;
use crate::support::{SOON, Start, own_plugin, peer};

#[tokio::test]
async fn a_plugin_that_does_not_end_is_killed_after_two_seconds() {
    let start = Start::of(peer("go-plugin-peer")).variable("GOPLUGIN_MODE", "deaf");
    let connection = start.run().await;
    let began = Instant::now();
    connection.shutdown().await;
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(4), "{took:?}");
    assert_eq!(connection.process().unwrap().exited().await, "ended (signal: 9 (SIGKILL))");
    assert_eq!(start.left_behind(), Vec::<String>::new());
}

#[tokio::test]
async fn a_plugin_that_is_gone_already_is_not_waited_for() {
    let start = Start::of(peer("go-plugin-peer"));
    let connection = start.run().await;
    get(connection.channel(), "exit").await.unwrap_err();
    assert_eq!(connection.process().unwrap().exited().await, "ended (exit status: 3)");
    let began = Instant::now();
    connection.shutdown().await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(start.left_behind(), Vec::<String>::new());
}

#[tokio::test]
async fn a_connection_that_is_dropped_ends_its_plugin() {
    let start = Start::of(peer("go-plugin-kv"));
    let connection = start.run().await;
    let process = connection.process().unwrap().clone();
    drop(connection);
    assert_eq!(timeout(SOON, process.exited()).await.unwrap(), "ended (signal: 9 (SIGKILL))");
    assert_eq!(start.left_behind(), Vec::<String>::new());
}

#[tokio::test]
async fn a_plugin_of_ours_ends_with_calls_that_never_do() {
    let start = Start::of(own_plugin());
    let connection = start.run().await;
    let channel = connection.channel();
    let waiting = tokio::spawn(async move { get(channel, "wait").await });
    // It has heard the first call when it answers the second.
    get(connection.channel(), "echo:x").await.unwrap();
    connection.shutdown().await;
    assert_eq!(connection.process().unwrap().exited().await, "ended (exit status: 0)");
    timeout(SOON, waiting).await.unwrap().unwrap().unwrap_err();
}
