//! Our host, and plugins on the real go-plugin.

use outrigger_transport::FirstLine;
use outrigger_transport::Reattach;
use outrigger_transport::goplugin::{self, Handshake, StartFailure};

use super::place::peer;
use crate::kv::{Kv, get};
use crate::support::{Start, own_plugin};

#[tokio::test]
async fn the_example_of_go_plugin_with_and_without_tls() {
    for tls in [false, true] {
        let start = Start::of(peer("bin/go-plugin-kv")).tls(tls);
        std::fs::write(start.directory.path().join("kv_key"), "value").unwrap();
        let connection = start.run().await;
        assert_eq!(connection.protocol(), 1);
        connection.ping().await.unwrap();
        assert_eq!(get(connection.channel(), "key").await.unwrap(), "value");
        assert!(get(connection.channel(), "none").await.unwrap_err().message().contains("no such file"));
        connection.shutdown().await;
        assert_eq!(connection.process().unwrap().exited().await, "ended (exit status: 0)");
        assert_eq!(start.left_behind(), ["kv_key"]);
        // A second shutdown does nothing.
        connection.shutdown().await;
        connection.ping().await.unwrap_err();
    }
}

#[tokio::test]
async fn the_environment_is_the_callers_and_go_plugins() {
    let start = Start::of(peer("bin/go-plugin-peer"))
        .tls(false)
        .variable("MINE", "mine")
        // As if the host were itself a plugin.
        .variable("PLUGIN_CLIENT_CERT", "of somebody else")
        .variable("PLUGIN_MULTIPLEX_GRPC", "true")
        .variable("PLUGIN_PROTOCOL_VERSIONS", "77");
    let connection = start.run().await;
    let variable = async |name: &str| get(connection.channel(), &format!("variable:{name}")).await.unwrap();
    assert_eq!(variable("MINE").await, "mine");
    assert_eq!(variable("TMPDIR").await, start.directory.path().to_str().unwrap());
    assert_eq!(variable("PLUGIN_PROTOCOL_VERSIONS").await, "1,2,3");
    assert_eq!(variable("PLUGIN_CLIENT_CERT").await, "");
    assert_eq!(variable("PLUGIN_MULTIPLEX_GRPC").await, "");
    assert_eq!(
        (variable("PLUGIN_MIN_PORT").await, variable("PLUGIN_MAX_PORT").await),
        ("10000".into(), "25000".into())
    );
    assert!(variable("PLUGIN_UNIX_SOCKET_DIR").await.starts_with(start.directory.path().to_str().unwrap()));
    connection.shutdown().await;
}

#[tokio::test]
async fn the_highest_version_of_both() {
    let start = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_VERSIONS", "2,3,4");
    let connection = start.run().await;
    assert_eq!(connection.protocol(), 3);
    assert_eq!(get(connection.channel(), "version").await.unwrap(), "3");
    connection.shutdown().await;
    let start = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_VERSIONS", "5,4");
    let (text, _) = start.fail().await;
    assert!(text.starts_with("it speaks version 4 of the protocol, and this host speaks 1, 2, 3"), "{text}");
}

#[tokio::test]
async fn connections_of_the_broker_in_both_directions() {
    for tls in [false, true] {
        for plugin in [peer("bin/go-plugin-peer"), own_plugin()] {
            let start = Start::of(plugin).tls(tls);
            let connection = start.run().await;
            let broker = connection.broker();
            for _ in 0..2 {
                let id = broker.next_id();
                let service = Kv::new(|key| async move { Ok(format!("{key}, said the host")) });
                let _accepted = broker.accept(id, service).await.unwrap();
                let answer = get(connection.channel(), &format!("dial:{id}")).await.unwrap();
                assert_eq!(answer, "asked by the plugin, said the host");
                let id = get(connection.channel(), "accept").await.unwrap().parse().unwrap();
                let answer = get(broker.dial(id).await.unwrap(), "asked by the host").await.unwrap();
                assert_eq!(answer, "asked by the host, said the plugin");
            }
            connection.shutdown().await;
            assert_eq!(start.left_behind(), Vec::<String>::new());
            let closed = broker.dial(1).await.unwrap_err();
            assert_eq!(closed.to_string(), "the plugin was asked to end");
        }
    }
}

#[tokio::test]
async fn answers_of_any_size() {
    let connection = Start::of(peer("bin/go-plugin-peer")).run().await;
    let answer = get(connection.channel(), "large:20000000").await.unwrap();
    assert_eq!(answer.len(), 20_000_000);
    connection.shutdown().await;
}

#[tokio::test]
async fn a_long_directory_for_temporary_files_does_not_matter() {
    let base = tempfile::tempdir().unwrap();
    let long = base.path().join("x".repeat(100));
    std::fs::create_dir(&long).unwrap();
    let start = Start::of(peer("bin/go-plugin-kv")).variable("TMPDIR", long.to_str().unwrap());
    let connection = start.run().await;
    connection.ping().await.unwrap();
    connection.shutdown().await;
    assert_eq!(std::fs::read_dir(&long).unwrap().count(), 0);
}

#[tokio::test]
async fn a_directory_that_was_asked_for_is_used_or_refused() {
    let base = tempfile::tempdir().unwrap();
    let mut start = Start::of(peer("bin/go-plugin-kv"));
    start.settings.socket_directory = Some(base.path().to_owned());
    let connection = start.run().await;
    assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 1);
    connection.shutdown().await;
    assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 0);
    start.settings.socket_directory = Some(base.path().join("none"));
    let (text, error) = start.fail().await;
    assert!(matches!(error.failure, StartFailure::SocketDirectory(_)), "{text}");
}

#[tokio::test]
async fn a_plugin_that_somebody_else_started_is_never_ended() {
    let start = Start::of(peer("bin/go-plugin-peer")).tls(false);
    let theirs = start.run().await;
    let FirstLine::Line(line) = theirs.process().unwrap().first_line().await else { panic!() };
    let Handshake { version, address, .. } = Handshake::parse(&line, &[1]).unwrap();
    let reattach = Reattach { version, address, process_id: theirs.process().unwrap().id() };
    let attached = goplugin::attach(&reattach).await.unwrap();
    assert_eq!(get(attached.channel(), "echo:here").await.unwrap(), "here");
    assert!(attached.process().is_none());
    attached.shutdown().await;
    drop(attached);
    theirs.ping().await.unwrap();
    theirs.shutdown().await;
    goplugin::attach(&reattach).await.unwrap_err();
}

#[tokio::test]
async fn a_plugin_of_ours_on_a_port() {
    for tls in [false, true] {
        let start = Start::of(own_plugin()).tls(tls).variable("KV_NETWORK", "tcp");
        let connection = start.run().await;
        let FirstLine::Line(line) = connection.process().unwrap().first_line().await else { panic!() };
        assert!(line.starts_with(b"1|3|tcp|127.0.0.1:1"), "{}", String::from_utf8_lossy(&line));
        assert_eq!(get(connection.channel(), "echo:port").await.unwrap(), "port");
        connection.shutdown().await;
        assert_eq!(connection.process().unwrap().exited().await, "ended (exit status: 0)");
    }
}
