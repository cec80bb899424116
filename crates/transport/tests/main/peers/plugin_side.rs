//! A plugin of ours, and hosts on the real go-plugin.

use std::process::Command;

use tempfile::TempDir;

use super::place::peer;
use crate::support::own_plugin;

/// Runs a host with a plugin of ours, and returns its output and its exit code. No socket is left, unless the host could not use the plugin:
/// then it kills it, and the plugin cannot remove anything.
fn host(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (String, i32) {
    let directory: TempDir = tempfile::tempdir().unwrap();
    let output = Command::new(peer(format!("bin/{program}")))
        .args(arguments)
        .current_dir(directory.path())
        .env("TMPDIR", directory.path())
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (text, code) = (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap());
    if code == 0 {
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "{text}");
    }
    (text, code)
}

fn peer_host(arguments: &[&str]) -> (String, i32) {
    let plugin = own_plugin();
    let arguments: Vec<&str> = ["host"].iter().chain(arguments).copied().chain([plugin.to_str().unwrap()]).collect();
    host("go-plugin-peer", &arguments, &[])
}

#[test]
fn everything_that_a_host_in_go_uses_is_there() {
    for tls in ["-tls=false", "-tls=true"] {
        let (text, code) = peer_host(&[tls]);
        let mut lines: Vec<&str> = text.lines().collect();
        // Printed lines come over the connection, at any time.
        for printed in ["printed on stdout", "printed on stderr"] {
            let at = lines.iter().position(|line| *line == printed).unwrap_or_else(|| panic!("{text}"));
            lines.remove(at);
        }
        assert_eq!(
            lines,
            [
                "version: 3",
                "echo:hello = hello",
                "print = ",
                "dialled: asked by the plugin, said the host",
                "accepted: asked by the host, said the plugin",
                "exited: true in time: true",
            ],
            "{text}"
        );
        assert_eq!(code, 0);
    }
}

#[test]
fn the_host_of_the_example_of_go_plugin() {
    let plugin = own_plugin();
    let variables = [("KV_PLUGIN", plugin.to_str().unwrap()), ("KV_PROTO", "grpc")];
    assert_eq!(host("go-plugin-kv-host", &["get", "echo:hello"], &variables), ("hello\n".to_owned(), 0));
}

#[test]
fn a_version_that_is_not_shared_is_refused_by_the_host() {
    let (text, code) = peer_host(&["-version=1"]);
    assert_eq!(text, "error: incompatible API version with plugin. Plugin version: 2, Client versions: [1]\n");
    assert_eq!(code, 1);
    let (text, code) = peer_host(&["-version=2"]);
    assert!(text.starts_with("version: 2\n"), "{text}");
    assert_eq!(code, 0);
}

#[test]
fn a_host_that_wants_a_multiplexed_broker_hears_no() {
    let (text, code) = peer_host(&["-multiplex"]);
    assert!(text.contains("multiplexing") && text.contains("not support"), "{text}");
    assert_eq!(code, 1);
}

#[test]
fn started_by_hand_it_says_what_it_is() {
    let output = Command::new(own_plugin()).env_remove("BASIC_PLUGIN").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("This program is a plugin, and is not meant to be started by hand"), "{text}");
}
