//! A state that an older version of a provider wrote: the provider itself brings it up to date, whatever is done first.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value as Json, json};

use super::life::{Change, changes};
use super::world::{Tool, World};
use crate::peers::providers::life::wanted;

const PROGRAM: &str = "\
resources:
  framework-0: {type: 'wide:Versioned', properties: {amount: 3}}
  framework-1: {type: 'narrow:Versioned', properties: {amount: 3}}
  sdk2-0: {type: 'classic:Versioned', properties: {amount: 3}}
  sdk2-1: {type: 'mixed:Versioned', properties: {amount: 3}}
  sdk1-0: {type: 'ancient:Renamed', properties: {amount: 3}}
";

/// The state of each resource, and the version of its schema, before its property was called `amount`.
fn older() -> [(&'static str, Json, u8); 5] {
    [
        ("framework-0", json!({"countText": "abc"}), 0),
        ("framework-1", json!({"count": 3}), 1),
        ("sdk2-0", json!({"countText": "abc"}), 0),
        ("sdk2-1", json!({"count": 3}), 1),
        ("sdk1-0", json!({"count": 3}), 0),
    ]
}

/// The deployment as it was with the older providers.
fn rewound(export: &Json) -> Json {
    let mut export = export.clone();
    for resource in export["deployment"]["resources"].as_array_mut().unwrap() {
        let urn = resource["urn"].as_str().unwrap().to_owned();
        let Some((_, properties, version)) = older().into_iter().find(|(name, ..)| urn.ends_with(&format!("::{name}")))
        else {
            continue;
        };
        resource["inputs"] = properties.clone();
        let outputs = resource["outputs"].as_object_mut().unwrap();
        outputs.retain(|name, _| !["amount", "upgraded", "__meta"].contains(&name.as_str()));
        outputs.extend(properties.as_object().cloned().into_iter().flatten());
        if version > 0 {
            let meta = json!({"schema_version": version.to_string()}).to_string();
            outputs.insert("__meta".to_owned(), Json::String(meta));
        }
    }
    export
}

/// The amount and the version that are kept of each.
fn kept(resources: &BTreeMap<String, Json>) -> Map<String, Json> {
    let kept = resources.iter().map(|(name, resource)| {
        let outputs = &resource["outputs"];
        let meta: Json = serde_json::from_str(outputs["__meta"].as_str().unwrap_or("{}")).unwrap();
        (name.clone(), json!([outputs["amount"], meta["schema_version"]]))
    });
    kept.collect()
}

/// The state with the current providers.
fn current(amount: u8) -> Map<String, Json> {
    older()
        .map(|(name, ..)| (name.to_owned(), json!([amount, if name == "sdk1-0" { "1" } else { "2" }])))
        .into_iter()
        .collect()
}

fn a_life(tool: Tool) {
    let world = World::new(tool, &["wide", "narrow", "classic", "mixed", "ancient"], PROGRAM);
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(kept(&wanted(&world.sandbox)), current(3));
    let file = world.sandbox.path("older.json");
    fs::write(&file, rewound(&world.sandbox.export()).to_string()).unwrap();
    let rewind = || world.sandbox.outrigger(&["stack", "import", "--file", file.to_str().unwrap()]).ok();

    // A property with a new name is no change.
    rewind();
    world.run(&["preview", "--expect-no-changes"]).ok();
    world.run(&["refresh", "--yes", "--skip-preview"]).ok();
    assert_eq!(kept(&wanted(&world.sandbox)), current(3), "{tool:?}");

    // Nor is a property with `ignoreChanges`, whatever its old name was.
    rewind();
    let ignoring = PROGRAM.replace("amount: 3}}", "amount: 5}, options: {ignoreChanges: [amount]}}");
    world.program(&ignoring);
    world.run(&["preview", "--expect-no-changes"]).ok();
    world.run(&["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();

    rewind();
    let before = wanted(&world.sandbox);
    world.program(&PROGRAM.replace("amount: 3", "amount: 4"));
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    let after = wanted(&world.sandbox);
    assert_eq!(
        changes(&before, &after),
        older().map(|(name, ..)| (name.to_owned(), Change::Updated)).into(),
        "{tool:?}"
    );
    assert_eq!(kept(&after), current(4), "{tool:?}");

    rewind();
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new(), "{tool:?}");
}

#[test]
fn under_outrigger() {
    a_life(Tool::Outrigger);
}

#[test]
fn under_pulumi() {
    a_life(Tool::Pulumi);
}
