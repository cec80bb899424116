//! Every call of Terraform's protocols, made by hand and answered by a real provider.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::peers::asking::{asked, sandbox};

/// A call, its request, a place in the first answer, and the value there.
type Row = (&'static str, Value, &'static str, Value);

/// The calls that providers of both protocols have. `~` is the provider's name.
fn of_both() -> Vec<Row> {
    let named = json!({"id": "known", "name": "there", "value": "already"});
    let about = |kind: &str, rest: Value| {
        let mut request = json!({"type_name": format!("~_{kind}")});
        request.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        request
    };
    let before = json!({"id": "a", "top": "one"});
    vec![
        ("GetMetadata", json!({}), "/server_capabilities/plan_destroy", json!(true)),
        ("GetProviderSchema", json!({}), "/server_capabilities/get_provider_schema_optional", json!(true)),
        ("ValidateProviderConfig", json!({"config": {"directory": "world"}}), "/diagnostics", Value::Null),
        (
            "ConfigureProvider",
            json!({"config": {"directory": "forbidden"}}),
            "/diagnostics/0/summary",
            json!("Forbidden"),
        ),
        ("StopProvider", json!({}), "", json!({})),
        ("ValidateResourceConfig", about("named", json!({"config": {"name": "a"}})), "", json!({})),
        (
            "UpgradeResourceState",
            about("versioned", json!({"version": 1, "raw_state": {"json": {"id": "a", "count": 3}}})),
            "/upgraded_state",
            json!({"id": "a", "amount": 3, "upgraded": true}),
        ),
        (
            "ReadResource",
            about("named", json!({"current_state": {"id": "known"}})),
            "/new_state/value",
            json!("already"),
        ),
        (
            "PlanResourceChange",
            about(
                "replaced",
                json!({
                    "prior_state": before, "proposed_new_state": {"id": "a", "top": "two"}, "config": {"top": "two"},
                }),
            ),
            "/requires_replace",
            json!(["top"]),
        ),
        (
            "ApplyResourceChange",
            about("named", json!({"planned_state": {"id": "new", "name": "n"}, "config": {"name": "n"}})),
            "/new_state/name",
            json!("n"),
        ),
        (
            "ImportResourceState",
            about("named", json!({"id": "known"})),
            "/imported_resources/0/state/id",
            json!("known"),
        ),
        (
            "GenerateResourceConfig",
            about("named", json!({"state": named})),
            "/config",
            json!({"id": null, "name": "there", "value": "already"}),
        ),
        ("ValidateDataResourceConfig", about("lookup", json!({"config": {"name": "it"}})), "", json!({})),
        ("ReadDataSource", about("lookup", json!({"config": {"name": "it"}})), "/state/name", json!("it")),
    ]
}

/// The calls that only newer providers have.
fn of_the_newer() -> Vec<Row> {
    let identified = |rest: Value| {
        let mut request = json!({"type_name": "wide_identified"});
        request.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        request
    };
    vec![
        ("GetResourceIdentitySchemas", json!({}), "/identity_schemas/wide_identified/version", json!(1)),
        ("GetFunctions", json!({}), "/functions/double/parameters/0/name", json!("a_number")),
        ("CallFunction", json!({"name": "double", "arguments": [21]}), "/result", json!(42)),
        (
            "UpgradeResourceIdentity",
            identified(json!({"version": 0, "raw_identity": {"json": {"place": "north", "code": "a"}}})),
            "/upgraded_identity",
            json!({"region": "north", "code": "a"}),
        ),
        (
            "MoveResourceState",
            json!({
                "source_provider_address": "example.com/tests/wide", "source_type_name": "wide_named",
                "source_state": {"json": {"id": "a", "name": "north", "value": "v"}},
                "target_type_name": "wide_identified",
            }),
            "/target_state",
            json!({"id": "a", "region": "north", "value": "v"}),
        ),
        ("ValidateListResourceConfig", identified(json!({"config": {"region": "north"}})), "", json!({})),
        ("ListResource", identified(json!({"config": {}, "limit": 5})), "/identity/code", json!("a")),
        ("ValidateEphemeralResourceConfig", json!({"type_name": "wide_lease", "config": {"name": "a"}}), "", json!({})),
        (
            "OpenEphemeralResource",
            json!({"type_name": "wide_lease", "config": {"name": "a"}}),
            "/result/name",
            json!("a"),
        ),
        ("RenewEphemeralResource", json!({"type_name": "wide_lease"}), "/diagnostics/0/summary", json!("Never opened")),
        ("CloseEphemeralResource", json!({"type_name": "wide_lease"}), "/diagnostics/0/summary", json!("Never opened")),
    ]
}

/// `local` is the only published provider that has an action.
fn of_actions() -> Vec<Row> {
    let echo = json!({"action_type": "local_command", "config": {"command": "echo", "arguments": ["hello"]}});
    vec![
        ("ValidateActionConfig", echo.clone(), "", json!({})),
        ("PlanAction", echo.clone(), "", json!({})),
        ("InvokeAction", echo, "/progress/message", json!("\n\nhello\n\n")),
    ]
}

#[test]
fn every_call_is_answered() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let world = sandbox.path("project/world");
    for (kind, id, thing) in [
        ("named", "known", json!({"id": "known", "name": "there", "value": "already"})),
        ("identified", "a", json!({"region": "north"})),
    ] {
        fs::create_dir_all(world.join(kind)).unwrap();
        fs::write(world.join(kind).join(format!("{id}.json")), thing.to_string()).unwrap();
    }
    let mut made = BTreeSet::new();
    for (provider, rows) in
        [("narrow", of_both()), ("wide", of_both()), ("wide", of_the_newer()), ("local", of_actions())]
    {
        for (call, request, place, expected) in rows {
            let request = request.to_string().replace('~', provider);
            // `ConfigureProvider` is the call itself there.
            let configured = provider != "local" && call != "ConfigureProvider";
            let config: &[&str] = if configured { &["--config", r#"{"directory": "world"}"#] } else { &[] };
            let answers = asked(&sandbox, provider, &[config, &[call, &request]].concat());
            let found = answers.first().and_then(|answer| answer.pointer(place)).unwrap_or(&Value::Null);
            assert_eq!(*found, expected, "{provider}: {call} {request}: {answers:?}");
            made.insert(call);
        }
    }
    // The error about an unknown call lists all calls.
    let answer =
        sandbox.outrigger(&["plugin", "call", "--terraform", "./terraform-provider-wide", "NoSuchCall"]).ended(1);
    let (_, names) = answer.stderr.split_once("The calls are: ").unwrap();
    let names = names.lines().next().unwrap().trim_end_matches('.').split(", ");
    assert_eq!(made, names.collect());
}
