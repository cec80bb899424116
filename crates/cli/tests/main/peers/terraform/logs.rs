//! A provider's log, and the end of its stderr.

use serde_json::Value as Json;

use super::world::{Replaceable, Tool, World, provider_path};

const PROGRAM: &str = "resources:\n  a: {type: 'wide:Named', properties: {name: x}}\n";

/// The part of the provider's log that one update passes on, as levels and messages.
fn logged(world: &mut World, variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().for_each(|(name, value)| world.sandbox.set(name, Some(value)));
    let answer = world.run(&["up", "--yes", "--skip-preview", "--json-events"]).ok();
    variables.iter().for_each(|(name, _)| world.sandbox.set(name, None));
    lines(&answer.stdout)
}

fn lines(stdout: &str) -> Vec<(String, String)> {
    let events = stdout.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let logs = events.filter(|event| event["type"] == "log");
    logs.map(|event| (event["level"].as_str().unwrap().to_owned(), event["message"].as_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn a_log_is_passed_on_to_whoever_asks_for_it() {
    let mut world = World::new(Tool::Outrigger, &["wide"], PROGRAM);
    let none: [(String, String); 0] = [];
    assert_eq!(logged(&mut world, &[]), none);
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    for variables in [
        &[("TF_LOG", "TRACE")][..],
        &[("TF_LOG", "ERROR"), ("TF_LOG_PROVIDER", "TRACE")],
        // An empty one counts as unset.
        &[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "")],
    ] {
        let said = logged(&mut world, variables);
        assert!(said.iter().all(|(_, message)| message.starts_with("wide 0.0.0: ")), "{variables:?}: {said:#?}");
        // From the library, which writes it as a trace.
        let is_step = |message: &str| message.contains("Received request") && message.contains("ApplyResourceChange");
        let steps: Vec<_> = said.iter().filter(|(_, message)| is_step(message)).collect();
        assert!(!steps.is_empty() && steps.iter().all(|(level, _)| level == "debug"), "{variables:?}: {said:#?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
    for variables in [
        &[("TF_LOG", "ERROR")][..],
        &[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "ERROR")],
        &[("TF_LOG", "TRACE"), ("TF_LOG_PROVIDER", "off")],
        &[("TF_LOG", ""), ("TF_LOG_PROVIDER", "")],
    ] {
        assert_eq!(logged(&mut world, variables), none, "{variables:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// The log is shown also before a failed start; and the hint is not to make the provider available.
#[test]
fn a_provider_that_does_not_start_is_heard() {
    let replaceable = Replaceable::new("wide");
    let mut world = World::with(Tool::Outrigger, &[("wide", replaceable.path())], PROGRAM);
    replaceable.becomes("echo before the flood >&2\nexit 3");
    world.sandbox.set("TF_LOG", Some("TRACE"));
    let answer = world.run(&["preview", "--json-events"]).ended(1).says(&["exited with code 3", "TF_LOG=TRACE"]);
    assert!(!answer.text().contains("Install the provider"), "{}", answer.text());
    let said = lines(&answer.stdout);
    assert_eq!(said, [("debug".to_owned(), "wide 0.0.0: before the flood".to_owned())]);
}

/// A call by hand ends with a panic.
#[test]
fn a_panic_is_told_to_whoever_asks_by_hand() {
    let world = World::new(Tool::Outrigger, &["wide"], "");
    let provider = provider_path("wide").display().to_string();
    let request = r#"{"type_name": "wide_lookup", "config": {"name": "panic"}}"#;
    let config = format!(r#"{{"directory": "{}"}}"#, world.cloud("wide").display());
    let call = ["plugin", "call", "--terraform", &provider, "--config", &config, "ReadDataSource", request];
    let says = ["did not answer ReadDataSource", "during the call: panic: the fault was asked for", "goroutine"];
    world.run(&call).ended(1).says(&says);
}
