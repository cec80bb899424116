//! When the process of a plugin begins and ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::sandbox::Sandbox;

/// A plugin that was started by hand, and the port that it printed.
struct Started {
    child: Child,
    port: u16,
}

fn start(plugin: &Path, arguments: &[&str], stdin: Stdio) -> Started {
    let mut child = Command::new(plugin).args(arguments).stdin(stdin).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Started { child, port: line.trim().parse().unwrap() }
}

impl Started {
    fn is_there(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn signalled(mut self, signal: &str) -> Option<i32> {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

fn plugin() -> (Sandbox, std::path::PathBuf) {
    let mut sandbox = Sandbox::new("name: library\nruntime: yaml\n");
    let plugin = sandbox.install("shelf");
    (sandbox, plugin)
}

#[test]
fn it_ends_when_its_host_lets_go_of_the_pipe() {
    let (_sandbox, plugin) = plugin();
    let mut started = start(&plugin, &["127.0.0.1:1"], Stdio::piped());
    assert!(started.is_there());
    drop(started.child.stdin.take());
    assert_eq!(started.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_person_who_runs_it_by_hand_gets_an_answer() {
    let (sandbox, plugin) = plugin();
    sandbox.run(&plugin, &["--version"]).ok().says(&["shelf 0."]);
    sandbox.run(&plugin, &["--help"]).ok().says(&["The plugin `shelf`", "`outrigger plugin schema PATH`"]);
}

#[test]
fn it_does_not_end_where_there_was_never_a_pipe() {
    let (_sandbox, plugin) = plugin();
    for (arguments, signal) in [(&["127.0.0.1:1"][..], "-TERM"), (&["--logtostderr", "-v=9"], "-INT")] {
        let started = start(&plugin, arguments, Stdio::null());
        assert!(started.is_there());
        assert_eq!(started.signalled(signal), Some(0), "{arguments:?}");
    }
}

mod peers {
    use super::*;

    #[test]
    fn a_plugin_in_a_debugger_serves_run_after_run() {
        let (mut sandbox, plugin) = plugin();
        let notes = sandbox.path("notes");
        std::fs::create_dir(&notes).unwrap();
        let started = start(&plugin, &[], Stdio::null());
        // Nothing else could be found.
        std::fs::remove_file(&plugin).unwrap();
        sandbox.set("PULUMI_DEBUG_PROVIDERS", Some(&format!("shelf:{}", started.port)));
        sandbox.write("Pulumi.yaml", include_str!("../../../../examples/shelf/Pulumi.yaml"));
        sandbox.outrigger(&["stack", "init", "dev"]).ok();
        sandbox.outrigger(&["config", "set", "shelf:directory", notes.to_str().unwrap()]).ok();
        sandbox.pulumi(&["up", "--yes"]).ok().says(&["writing"]);
        sandbox.outrigger(&["up", "--yes", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["destroy", "--yes"]).ok();
        sandbox.pulumi(&["up", "--yes"]).ok();
        assert!(notes.join("groceries.txt").exists());
        assert!(started.is_there());
        assert_eq!(started.signalled("-INT"), Some(0));
    }
}

/// A call by hand that fails has a hint.
#[test]
fn a_call_by_hand_that_fails_is_explained() {
    let sandbox = Sandbox::new("name: shop\nruntime: yaml\n");
    let check = r#"{"type": "kit:process:Command", "urn": "urn:pulumi:d::p::kit:process:Command::x", "news": {}}"#;
    let call = |arguments: &[&str]| sandbox.outrigger(&[&["plugin", "call", "kit"], arguments].concat());
    call(&["Chek"]).ended(1).says(&["`kit 0.1.0` has no call `Chek`", "Did you mean `Check`?", "CheckConfig"]);
    call(&["Check", check]).ended(1).says(&["has not been configured", "--config '{}'"]);
    call(&["Check", check, "--config", "{}"]).ok().says(&["failures"]);
}
