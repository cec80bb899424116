//! Resources whose turn never came, as a run reports them.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;

/// One command that fails, three that wait for its slot among the parallel calls, and one that needs it.
const PROGRAM: &str = "name: jobs
runtime: yaml
resources:
  bad: {type: 'kit:process:Command', properties: {create: exit 4}}
  one: {type: 'kit:process:Command', properties: {create: touch one}}
  two: {type: 'kit:process:Command', properties: {create: touch two}}
  three: {type: 'kit:process:Command', properties: {create: touch three}}
  after: {type: 'kit:process:Command', properties: {create: touch after, environment: {BAD: '${bad.stdout}'}}}
";

#[test]
fn only_what_was_called_has_failed() {
    let sandbox = Sandbox::with_stack(PROGRAM);
    let up = ["up", "--yes", "--skip-preview", "--parallel", "1", "--event-log", "events.json"];

    let text = sandbox.outrigger(&up).failed().text();
    let lines = |part: &str| text.lines().filter(|line| line.contains(part)).count();
    assert_eq!(
        (lines("bad kit:process:Command creating"), lines("bad kit:process:Command creating failed")),
        (2, 1),
        "{text}"
    );
    assert_eq!(
        (lines("one kit:process:Command creating"), lines("after kit:process:Command creating")),
        (0, 0),
        "{text}"
    );
    let (_, rest) = text.split_once("    1 failed\n    4 not started: ").unwrap_or_else(|| panic!("{text}"));
    let mut names: Vec<&str> = rest.lines().next().unwrap().split(", ").collect();
    names.sort_unstable();
    assert_eq!(names, ["after", "one", "three", "two"]);

    let log = sandbox.read("events.json");
    let named = |name: &str| log.lines().filter(|line| line.contains(&format!("Command::{name}\""))).count();
    assert!(named("bad") > 0 && named("one") + named("two") + named("three") + named("after") == 0, "{log}");

    let told = sandbox.outrigger(&[&up[..5], &["--json-events"]].concat()).ended(1).stdout;
    let events: Vec<Json> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| -> Vec<&Json> { events.iter().filter(|event| event["type"] == kind).collect() };
    let calls = of("call-started");
    assert!(calls.iter().all(|call| call["urn"].as_str().unwrap().ends_with("::bad")), "{told}");
    let results = of("step-ended").into_iter().filter(|event| event["resourceType"] == "kit:process:Command");
    for step in results {
        assert_eq!(step["result"], if step["name"] == "bad" { "failed" } else { "not-started" }, "{step}");
        assert_eq!(step["durationMs"].is_number(), step["name"] == "bad", "{step}");
    }
    let ended = of("run-ended")[0];
    assert_eq!((&ended["failed"], &ended["notStarted"]), (&1.into(), &4.into()), "{ended}");
}
