//! Real plugins that do not start, and their errors.

use outrigger_transport::goplugin::{self, Cookie, StartFailure};

use super::place::peer;
use crate::launcher::Watched;
use crate::support::{Start, own_plugin};

#[tokio::test]
async fn a_plugin_for_another_program_is_known_by_its_own_words() {
    for plugin in [peer("bin/go-plugin-kv"), own_plugin()] {
        let mut start = Start::of(plugin);
        start.settings.cookie = Cookie { key: "TF_PLUGIN_MAGIC_COOKIE", value: "x" };
        let (text, error) = start.fail().await;
        assert_eq!(text, "it is a plugin for another program: it does not take the cookie `TF_PLUGIN_MAGIC_COOKIE`");
        assert!(error.last_words.iter().any(|line| line.contains("is a plugin")), "{error:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_prints_too_early_is_quoted() {
    let (text, _) = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_MODE", "print-first").fail().await;
    assert_eq!(
        text,
        "it printed something else before its handshake, as its first line (it printed `loading the configuration`)"
    );
}

#[tokio::test]
async fn a_plugin_that_does_not_answer_for_tls_is_said_to() {
    let start = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_MODE", "no-tls");
    let (text, error) = start.fail().await;
    assert_eq!(error.failure, StartFailure::NoCertificate);
    assert!(text.starts_with("it did not answer AutoMTLS"), "{text}");
    start.tls(false).run().await.shutdown().await;
}

#[tokio::test]
async fn a_plugin_from_before_grpc_is_refused() {
    let (text, _) = Start::of(peer("bin/go-plugin-netrpc")).fail().await;
    assert!(text.starts_with("it speaks net/rpc, which plugins did before gRPC"), "{text}");
}

/// Real TLS on both sides, with an intruder that listens in the plugin's place, or that the plugin takes for its host.
#[tokio::test]
async fn certificates_of_somebody_else_are_refused_by_both_sides() {
    for (mode, reason) in [
        ("other-certificate", "its certificate is not the one that it announced"),
        // The peer sends a reason before it closes, which is not always read in time.
        ("other-host", "it closed the connection after it received our certificate: "),
    ] {
        let launch = Watched::default();
        let start = Start::of(peer("bin/go-plugin-peer")).variable("GOPLUGIN_MODE", mode);
        let error = goplugin::start(&launch, start.request.clone(), &start.settings).await.unwrap_err();
        let StartFailure::Unreachable { reason: said, .. } = &error.failure else { panic!("{mode}: {error:?}") };
        assert!(said.starts_with(reason), "{mode}: {said}");
        assert_eq!(launch.process().exited().await, "ended (signal: 9 (SIGKILL))", "{mode}");
        assert_eq!(start.left_behind(), Vec::<String>::new(), "{mode}");
    }
}
