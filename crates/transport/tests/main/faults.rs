//! Plugins that do not start or do not end, and their errors.

use std::process::Command;
use std::time::Duration;

use outrigger_transport::goplugin::{HandshakeError, StartFailure};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::kv::get;
use crate::support::{SOON, Start, own_plugin};

#[tokio::test]
async fn a_file_that_is_no_program_for_this_machine_is_looked_at() {
    let elsewhere = tempfile::tempdir().unwrap();
    let program = elsewhere.path().join("plugin");
    // Made by another process: a program that is open here for writing cannot be started, not even while a child of another test has a copy. No
    // machine that runs this test is of number 2.
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
    assert_eq!(text, "it ended (exit status: 3) before it printed its address (it printed `half a l`)");
    assert_eq!(error.last_words, ["panic: no luck"]);
    assert_eq!(error.crash.as_deref(), Some("panic: no luck"));
}

#[tokio::test]
async fn a_plugin_that_says_nothing_is_given_up_and_killed() {
    let mut start = Start::script("echo starting >&2; exec sleep 600");
    start.settings.start_deadline = Duration::from_millis(300);
    let (text, error) = start.fail().await;
    assert_eq!(text, "it did not print its address within 0.3 s");
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
    assert_eq!(text, "it ended (exit status: 4) after it had printed its address");
}

#[tokio::test]
async fn certificates_that_are_not_wanted_or_not_right() {
    let other = "A".repeat(200);
    let (_, error) = Start::script(&format!("echo '1|1|unix|/x|grpc|{other}'; exec sleep 600")).fail().await;
    assert_eq!(error.failure, StartFailure::UnexpectedCertificate);
    // A server that does not speak TLS.
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

#[tokio::test]
async fn a_plugin_that_listens_and_does_not_answer_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let other = "A".repeat(200);
    let mut start = Start::script(&format!("echo '1|1|tcp|{address}|grpc|{other}'; exec sleep 600")).tls(true);
    start.settings.start_deadline = Duration::from_millis(500);
    let (text, _) = start.fail().await;
    assert_eq!(text, "it printed its address, but did not answer there within 0.5 s");
}

#[tokio::test]
async fn a_plugin_of_ours_ends_with_calls_that_never_do() {
    let start = Start::of(own_plugin());
    let connection = start.run().await;
    let channel = connection.channel();
    let waiting = tokio::spawn(async move { get(channel, "wait").await });
    // When it answers the second call, it has received the first.
    get(connection.channel(), "echo:x").await.unwrap();
    connection.shutdown().await;
    assert_eq!(connection.process().unwrap().exited().await, "ended (exit status: 0)");
    timeout(SOON, waiting).await.unwrap().unwrap().unwrap_err();
}
