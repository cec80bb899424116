//! Plugins that do not come up, and what is said of it.

use std::process::Command;
use std::time::Duration;

use outrigger_transport::goplugin::{self, Cookie, HandshakeError, StartFailure};
use tokio::net::TcpListener;

use crate::launcher::Watched;
use crate::support::{Start, own_plugin, peer};

#[tokio::test]
async fn a_plugin_for_another_program_is_known_by_its_own_words() {
    for plugin in [peer("go-plugin-kv"), own_plugin()] {
        let mut start = Start::of(plugin);
        start.settings.cookie = Cookie { key: "TF_PLUGIN_MAGIC_COOKIE", value: "x" };
        let (text, error) = start.fail().await;
        assert_eq!(text, "it is a plugin for another program: it does not take the cookie `TF_PLUGIN_MAGIC_COOKIE`");
        assert!(error.last_words.iter().any(|line| line.contains("is a plugin")), "{error:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_prints_too_early_is_quoted() {
    let (text, _) = Start::of(peer("go-plugin-peer")).variable("GOPLUGIN_MODE", "print-first").fail().await;
    assert_eq!(
        text,
        "it printed something else before its handshake, as its first line (it printed `loading the configuration`)"
    );
}

#[tokio::test]
async fn a_plugin_that_does_not_answer_for_tls_is_said_to() {
    let start = Start::of(peer("go-plugin-peer")).variable("GOPLUGIN_MODE", "no-tls");
    let (text, error) = start.fail().await;
    assert_eq!(error.failure, StartFailure::NoCertificate);
    assert!(text.starts_with("it did not answer AutoMTLS"), "{text}");
    start.tls(false).run().await.shutdown().await;
}

#[tokio::test]
async fn a_plugin_from_before_grpc_is_refused() {
    let (text, _) = Start::of(peer("go-plugin-netrpc")).fail().await;
    assert!(text.starts_with("it speaks net/rpc, which plugins did before gRPC"), "{text}");
}

#[tokio::test]
async fn a_file_that_is_no_program_for_this_machine_is_looked_at() {
    let elsewhere = tempfile::tempdir().unwrap();
    let program = elsewhere.path().join("plugin");
    // Made by another process: a program that is open here for writing cannot be started, not even while a child of another test has a copy.
    // Machine 2 does not exist any more.
    let script = r"cp /bin/sh $0 && chmod u+w $0 && printf '\002\000' | dd of=$0 bs=1 seek=18 conv=notrunc 2>/dev/null";
    let made = Command::new("/bin/sh").args(["-c", script]).arg(&program).status().unwrap();
    assert!(made.success());
    let mut start = Start::of(program);
    let (text, _) = start.fail().await;
    assert!(text.contains("Exec format error") && text.contains("; the file is a program for machine 2, "), "{text}");
    start.request.program = elsewhere.path().join("none");
    let (text, _) = start.fail().await;
    assert!(text.contains("No such file"), "{text}");
}

#[tokio::test]
async fn what_a_plugin_says_before_it_dies_is_kept() {
    let (text, error) = Start::script("echo half a l | tr -d '\\n'; echo 'panic: no luck' >&2; exit 3").fail().await;
    assert_eq!(text, "it ended (exit status: 3) before it said where it listens (it printed `half a l`)");
    assert_eq!(error.last_words, ["panic: no luck"]);
    assert_eq!(error.crash.as_deref(), Some("panic: no luck"));
}

#[tokio::test]
async fn a_plugin_that_says_nothing_is_given_up_and_killed() {
    let mut start = Start::script("echo starting >&2; exec sleep 600");
    start.settings.start_deadline = Duration::from_millis(300);
    let (text, error) = start.fail().await;
    assert_eq!(text, "it did not say within 0.3 s where it listens");
    assert_eq!(error.last_words, ["starting"]);
}

#[tokio::test]
async fn a_plugin_that_floods_instead_of_a_line_is_cut_short() {
    let (text, error) = Start::script("while true; do printf '%01000d' 0; done").fail().await;
    assert!(matches!(error.failure, StartFailure::Handshake { error: HandshakeError::TooLong, .. }), "{text}");
    assert!(text.len() < 400, "{text}");
}

#[tokio::test]
async fn a_plugin_that_is_not_where_it_says_is_given_up() {
    let (text, _) = Start::script("echo '1|1|unix|/nobody/here|grpc|'; exec sleep 600").fail().await;
    assert!(text.starts_with("the connection to /nobody/here failed: No such file"), "{text}");
    let (text, _) = Start::script("echo '1|1|unix|/nobody/here|grpc|'; exit 4").fail().await;
    assert_eq!(text, "it ended (exit status: 4) after it had said where it listens");
}

#[tokio::test]
async fn certificates_that_are_not_wanted_or_not_right() {
    let other = "A".repeat(200);
    let (_, error) = Start::script(&format!("echo '1|1|unix|/x|grpc|{other}'; exec sleep 600")).fail().await;
    assert_eq!(error.failure, StartFailure::UnexpectedCertificate);
    // Somebody listens who has another certificate than the one in the line.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let greeter = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        stream.writable().await.unwrap();
        stream.try_write(b"SSH-2.0-hello\r\n").unwrap();
        stream
    });
    let start = Start::script(&format!("echo '1|1|tcp|{address}|grpc|{other}'; exec sleep 600")).tls(true);
    let (text, _) = start.fail().await;
    assert!(text.starts_with(&format!("the connection to {address} failed: ")), "{text}");
    drop(greeter.await.unwrap());
}

/// Real TLS on both sides, as an intruder would have it who listens in the plugin's place, or takes it for his own.
#[tokio::test]
async fn certificates_of_somebody_else_are_refused_by_both_sides() {
    for (mode, reason) in [
        ("other-certificate", "it shows another certificate than the one that it announced"),
        // It says why before it closes, which is not always read in time.
        ("other-host", "it ended the connection when it had our certificate: "),
    ] {
        let launch = Watched::default();
        let start = Start::of(peer("go-plugin-peer")).variable("GOPLUGIN_MODE", mode);
        let error = goplugin::start(&launch, start.request.clone(), &start.settings).await.unwrap_err();
        let StartFailure::Unreachable { reason: said, .. } = &error.failure else { panic!("{mode}: {error:?}") };
        assert!(said.starts_with(reason), "{mode}: {said}");
        assert_eq!(launch.process().exited().await, "ended (signal: 9 (SIGKILL))", "{mode}");
        assert_eq!(start.left_behind(), Vec::<String>::new(), "{mode}");
    }
}

#[tokio::test]
async fn a_plugin_that_listens_and_does_not_answer_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let other = "A".repeat(200);
    let mut start = Start::script(&format!("echo '1|1|tcp|{address}|grpc|{other}'; exec sleep 600")).tls(true);
    start.settings.start_deadline = Duration::from_millis(500);
    let (text, _) = start.fail().await;
    assert_eq!(text, "it said where it listens, and did not answer there within 0.5 s");
}
