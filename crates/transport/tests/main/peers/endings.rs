//! How plugins end, and what is left of them.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::place::peer;
use crate::kv::get;
use crate::support::{SOON, Start};

#[tokio::test]
async fn a_plugin_that_does_not_end_is_killed_after_two_seconds() {
    let start = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_MODE", "deaf");
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
    let start = Start::of(peer("bin/go-plugin-peer"));
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
    let start = Start::of(peer("bin/go-plugin-kv"));
    let connection = start.run().await;
    let process = connection.process().unwrap().clone();
    drop(connection);
    assert_eq!(timeout(SOON, process.exited()).await.unwrap(), "ended (signal: 9 (SIGKILL))");
    assert_eq!(start.left_behind(), Vec::<String>::new());
}
