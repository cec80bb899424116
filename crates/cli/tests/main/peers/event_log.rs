//! `--event-log` beside the log that the real `pulumi` writes of the same run.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;

fn project(prefix: &str) -> String {
    format!(
        "name: shop\nruntime: yaml\nconfig:\n  shop:colour: {{type: string, default: red}}\nresources:\n  pet:\n    type: random:RandomPet\n    properties: {{length: 2, prefix: {prefix}}}\n  password:\n    type: random:RandomPassword\n    properties: {{length: 12}}\n  thing:\n    type: oracle:Thing\n    properties: {{value: '{prefix}-value'}}\noutputs:\n  name: ${{pet.id}}\n  password: ${{password.result}}\n"
    )
}

/// The names of an object's fields.
fn fields(object: &Json) -> String {
    let names: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.join(",")
}

/// An event without the parts that differ from run to run: ids, times, provider's messages.
pub(super) fn shape(event: &Json) -> Option<String> {
    let kind = event.as_object().unwrap().keys().find(|key| key.ends_with("Event")).unwrap();
    let body = &event[kind];
    if kind == "diagnosticEvent" {
        return None;
    }
    let Some(metadata) = body.get("metadata") else {
        let mut body = body.clone();
        if let Some(seconds) = body.get_mut("durationSeconds") {
            *seconds = Json::from(seconds.is_u64());
        }
        return Some(format!("{kind} {body}"));
    };
    let side = |name: &str| {
        let state = &metadata[name];
        let secret = state["outputs"].as_object().into_iter().flatten().filter(|(_, value)| value.is_object());
        let masked = secret.map(|(name, value)| format!("{name}={}", value["ciphertext"]));
        // In a preview `pulumi` forgets that a value that is not known yet will be secret.
        let masked: Vec<String> = masked.filter(|_| body["planning"].is_null()).collect();
        let known = !state["id"].as_str().unwrap_or_default().is_empty();
        format!(
            "{name} fields={} id={known} inputs={} outputs={} {}",
            fields(state),
            fields(&state["inputs"]),
            fields(&state["outputs"]),
            masked.join(" ")
        )
    };
    let rest: String = ["op", "urn", "type", "keys", "diffs", "detailedDiff", "logical"]
        .iter()
        .map(|name| format!("{name}={} ", metadata[*name]))
        .collect();
    let outer = ["planning", "status", "steps"].map(|name| format!("{name}={}", body[name])).join(" ");
    Some(format!("{kind} {outer} [{}] {rest}\n    {}\n    {}", fields(metadata), side("old"), side("new")))
}

fn shapes(sandbox: &Sandbox) -> Vec<String> {
    let text = sandbox.read("log.json");
    let events: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().enumerate().all(|(index, event)| event["sequence"] == index), "{text}");
    assert!(events.iter().all(|event| event["timestamp"].is_u64()));
    assert!(!text.contains("canary"));
    let mut shapes: Vec<String> = events.iter().filter_map(shape).collect();
    // Calls run at the same time: their order is not guaranteed.
    shapes.sort();
    shapes
}

#[test]
fn the_log_is_pulumis() {
    let mut sides = [Sandbox::with_stack(&project("one")), Sandbox::with_stack(&project("one"))];
    for side in &mut sides {
        side.set("PULUMI_DEBUG_COMMANDS", Some("true"));
        side.outrigger(&["config", "set", "--secret", "token", "canary"]).ok();
    }
    let [ours, theirs] = sides;
    let stages: [(&str, &[&str]); 7] = [
        ("one", &["preview"]),
        ("one", &["up", "--yes"]),
        ("one", &["up", "--yes", "--skip-preview"]),
        ("two", &["preview"]),
        ("two", &["up", "--yes", "--skip-preview"]),
        ("two", &["refresh", "--yes", "--skip-preview"]),
        ("two", &["destroy", "--yes", "--skip-preview"]),
    ];
    for (prefix, arguments) in stages {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--event-log", "log.json"]).collect();
        for side in [&ours, &theirs] {
            side.write("Pulumi.yaml", &project(prefix));
        }
        ours.outrigger(&arguments).ok();
        theirs.pulumi(&arguments).ok();
        let (mut ours, mut theirs) = (shapes(&ours), shapes(&theirs));
        if arguments[0] == "refresh" {
            // `pulumi` lists and counts resources that it does not read.
            let unread = |shape: &String| shape.starts_with("summaryEvent") || shape.contains("type=\"pulumi:");
            ours.retain(|shape| !unread(shape));
            theirs.retain(|shape| !unread(shape));
        }
        let only = |one: &[String], other: &[String]| {
            one.iter().filter(|shape| !other.contains(shape)).cloned().collect::<Vec<_>>().join("\n")
        };
        assert_eq!(only(&ours, &theirs), only(&theirs, &ours), "{prefix} {arguments:?}");
        assert_eq!(ours.len(), theirs.len(), "{prefix} {arguments:?}\n{ours:#?}\n{theirs:#?}");
    }
}

#[test]
fn a_failure_is_logged_and_a_place_that_cannot_be_written_is_refused() {
    let sandbox = Sandbox::with_stack(
        "name: shop\nruntime: yaml\nresources:\n  bad:\n    type: oracle:Thing\n    properties: {value: a, failOn: create}\n",
    );
    sandbox.outrigger(&["up", "--yes", "--skip-preview", "--event-log", "log.json"]).ended(1);
    let text = sandbox.read("log.json");
    assert!(text.contains("\"resOpFailedEvent\"") && text.contains("\"severity\":\"error\""), "{text}");
    assert!(text.contains("\"result\":\"failed\""), "{text}");
    sandbox.outrigger(&["preview", "--event-log", "no/such/log"]).ended(1).says(&["no/such/log", "--event-log"]);
    sandbox.outrigger(&["preview", "--event-log", "tcp://127.0.0.1:1"]).ended(1).says(&["only to a file"]);
}
