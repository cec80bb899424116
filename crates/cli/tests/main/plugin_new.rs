//! `outrigger plugin new`: the generated crate builds, passes its own tests, and runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;
use crate::walks::walk;

/// The workspace that this test is part of.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The directory in which this test was built: the dependencies of the new crate are built only once there.
fn target() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// Our crates that the new one depends on. For it they are dependencies like any other, which are optimised; compiling that takes minutes.
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

/// `cargo` with the dependencies that are built here already, and the versions of our own crates: nothing has to be looked up.
fn install_cargo(sandbox: &Sandbox) {
    let options = OURS.map(|name| format!("--config=profile.dev.package.outrigger-{name}.opt-level=0"));
    let script = format!(
        r#"#!/bin/sh
[ -e Cargo.lock ] || cp '{lock}' Cargo.lock
[ -e target ] || ln -s '{target}' target
command=$1
shift
exec '{cargo}' "$command" --offline --target-dir '{target}' --config 'profile.dev.debug="line-tables-only"' \
    --config 'profile.dev.package."*".opt-level=2' --config 'profile.dev.package."*".debug=false' {options} "$@"
"#,
        lock = workspace().join("Cargo.lock").display(),
        cargo = env!("CARGO"),
        target = target().display(),
        options = options.join(" "),
    );
    let path = sandbox.path("bin/cargo");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An empty directory, where `outrigger` and `cargo` can be typed.
fn author() -> Sandbox {
    let mut sandbox = Sandbox::new("");
    fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    sandbox.with_outrigger_on_path();
    install_cargo(&sandbox);
    // The compiler is where the developer has it.
    let home = std::env::var("HOME").unwrap_or_default();
    for (name, directory) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let place = std::env::var(name).unwrap_or_else(|_| format!("{home}/{directory}"));
        sandbox.set(name, Some(&place));
    }
    sandbox.append(&std::env::var("PATH").unwrap());
    sandbox
}

/// A name that is a keyword of Rust: the crate has to avoid it, and still passes its tests.
#[test]
fn a_crate_named_after_a_keyword_passes_its_tests() {
    let sandbox = author();
    // Without a word about the SDK: this program was built from a source tree that is still there.
    sandbox.outrigger(&["plugin", "new", "loop"]).ok().says(&[
        "pulumi-resource-loop",
        "cargo test",
        "takes the SDK from",
        "--sdk URL --rev COMMIT",
    ]);
    let tested = sandbox.run("sh".as_ref(), &["-c", "cd pulumi-resource-loop && cargo test --quiet"]).ok();
    assert!(tested.stdout.contains("8 passed"), "{}", tested.text());
}

#[test]
fn from_nothing_to_an_archive() {
    walk(&author(), "a-new-plugin.md");
}

#[test]
fn the_files_follow_the_names() {
    let sandbox = Sandbox::new("name: none\nruntime: yaml\n");
    let url = ["--sdk", "https://example.com/outrigger.git"];
    let arguments = ["plugin", "new", "weather", "--resource", "Forecast", "--rev", "4f1c2ab", "--workflow"];
    let answer = sandbox.outrigger(&[&arguments[..], &url].concat()).ok();
    assert!(!answer.text().contains("COMMIT"), "{}", answer.text());
    let read = |name: &str| sandbox.read(&format!("pulumi-resource-weather/{name}"));
    let source = r#"git = "https://example.com/outrigger.git", rev = "4f1c2ab""#;
    assert!(read("Cargo.toml").contains(&format!("outrigger-sdk = {{ {source} }}")));
    assert!(read("src/forecast.rs").contains(r#""weather:index:Forecast""#));
    assert!(read("src/lib.rs").contains("mod forecast;") && read("README.md").contains("`src/forecast.rs`"));
    assert!(read("example/Pulumi.yaml").contains("type: weather:Forecast"));
    let workflow = read(".github/workflows/release.yml");
    assert!(workflow.contains(r#"SDK_COMMIT: "4f1c2ab""#) && workflow.contains("outrigger plugin pack"), "{workflow}");
    for placeholder in ["PLUGIN_NAME", "RESOURCE_", "SOURCE_OF", "SDK_URL", "SDK_REV"] {
        assert_eq!(sandbox.files_with(placeholder), Vec::<PathBuf>::new(), "{placeholder}");
    }
}

#[test]
fn nothing_is_overwritten_and_mistakes_have_answers() {
    let sandbox = Sandbox::new("name: none\nruntime: yaml\n");
    let tree = workspace();
    let new = |arguments: &[&str]| sandbox.outrigger(&[&["plugin", "new"], arguments].concat());
    new(&["Scribe"]).ended(1).says(&["`Scribe` cannot be the name of a plugin", "lowercase letters"]);
    new(&["scribe", "--resource", "Result"]).ended(1).says(&["`Result` cannot be the name of a resource"]);
    new(&["scribe", "--sdk", "."]).ended(1).says(&["`.` is not a source tree"]);
    let tree = ["--sdk", tree.to_str().unwrap()];
    new(&[&["scribe", "--directory", "."], &tree[..]].concat()).ended(1).says(&["not empty", "--directory"]);
    new(&[&["scribe", "--rev", "4f1c2ab", "--workflow"], &tree[..]].concat()).ended(1).says(&["need a git repository"]);
    new(&["scribe", "--workflow"]).failed().says(&["--rev"]);
    assert!(!sandbox.path("project/pulumi-resource-scribe").exists());
    let answer = new(&[&["scribe"], &tree[..]].concat()).ok();
    assert!(!answer.text().contains("COMMIT"), "{}", answer.text());
}
