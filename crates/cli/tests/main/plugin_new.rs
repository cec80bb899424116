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

/// A name that is a keyword of Rust: the crate has to avoid it, and still passes its tests.
#[test]
fn the_new_crate_passes_its_tests_and_runs() {
    let mut sandbox = Sandbox::new("name: none\nruntime: yaml\n");
    // Without a word about the SDK: this program was built from a source tree that is still there.
    sandbox.outrigger(&["plugin", "new", "loop"]).ok().says(&[
        "pulumi-resource-loop",
        "cargo test",
        "takes the SDK from",
        "--sdk URL --rev COMMIT",
    ]);
    let made = sandbox.path("project/pulumi-resource-loop");
    // The same versions as ours: nothing has to be looked up.
    fs::copy(workspace().join("Cargo.lock"), made.join("Cargo.lock")).unwrap();
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
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["letter scribe:Document created"]);
    assert_eq!(sandbox.read("letter.txt"), "Hello from a plugin of my own.");
    sandbox.pulumi(&["up", "--yes", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["destroy", "--yes"]).ok();
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
