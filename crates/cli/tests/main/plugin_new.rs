//! `outrigger plugin new`: what it writes builds, passes its own tests, and runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::Sandbox;

/// The workspace that this test is part of.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Where this test was built: what the new crate depends on is built only once there.
fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// Our crates that the new one depends on. To it they are like any others, which are optimised; compiling that takes minutes.
const OURS: [&str; 13] = [
    "diagnostic",
    "value",
    "schema",
    "provider",
    "transport",
    "pulumi",
    "secrets",
    "state",
    "engine",
    "yaml",
    "sdk-derive",
    "sdk",
    "testing",
];

#[test]
fn the_new_crate_passes_its_tests_and_runs() {
    let mut sandbox = Sandbox::new("name: none\nruntime: yaml\n");
    let tree = workspace();
    sandbox
        .outrigger(&["plugin", "new", "scribe", "--sdk", tree.to_str().unwrap()])
        .ok()
        .says(&["pulumi-resource-scribe", "cargo test"]);
    let made = sandbox.path("project/pulumi-resource-scribe");
    // The same versions as ours: nothing has to be looked up.
    fs::copy(tree.join("Cargo.lock"), made.join("Cargo.lock")).unwrap();
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--quiet", "--target-dir"])
            .arg(target())
            // As in our own workspace, so that what is built already is used.
            .args(["--config", "profile.dev.debug=\"line-tables-only\""])
            .args(["--config", "profile.dev.package.\"*\".opt-level=2"])
            .args(["--config", "profile.dev.package.\"*\".debug=false"])
            .args(OURS.map(|name| format!("--config=profile.dev.package.outrigger-{name}.opt-level=0")))
            .current_dir(&made)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}");
        text
    };
    let tested = cargo(&["test"]);
    assert!(tested.contains("8 passed"), "{tested}");
    cargo(&["build"]);

    sandbox.prefer(&target().join("debug"));
    let example = fs::read_to_string(made.join("example/Pulumi.yaml")).unwrap();
    sandbox.write("Pulumi.yaml", &example);
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["letter created"]);
    assert_eq!(sandbox.read("letter.txt"), "Hello from a plugin of my own.");
    sandbox.pulumi(&["up", "--yes", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["destroy", "--yes"]).ok();
}

#[test]
fn nothing_is_written_over_and_mistakes_are_told() {
    let sandbox = Sandbox::new("name: none\nruntime: yaml\n");
    let tree = workspace();
    let sdk = ["--sdk", tree.to_str().unwrap()];
    let new = |arguments: &[&str]| sandbox.outrigger(&[&["plugin", "new"], arguments].concat());
    new(&["Scribe"]).ended(1).says(&["`Scribe` cannot be the name of a plugin", "lowercase letters"]);
    new(&["scribe"]).ended(1).says(&["not published", "--sdk"]);
    new(&["scribe", "--sdk", "."]).ended(1).says(&["`.` is not a source tree"]);
    new(&[&["scribe", "--directory", "."], &sdk[..]].concat()).ended(1).says(&["not empty", "--directory"]);
    new(&["scribe", "--sdk", "https://example.com/outrigger.git"]).ok();
    assert!(sandbox.read("pulumi-resource-scribe/Cargo.toml").contains(r#"git = "https://example.com/outrigger.git""#));
    assert!(!sandbox.read("pulumi-resource-scribe/src/lib.rs").contains("PLUGIN_NAME"));
}
