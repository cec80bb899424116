//! A resource's identity is kept with its state, and recovered where another bridge has not kept it.

use std::fs;

use serde_json::{Value as Json, json};

use super::sparing::calls;
use super::takeover::go;
use super::world::{Bridge, Tool, World};
use crate::peers::providers::life::wanted;

const PROGRAM: &str = "resources:\n  it: {type: 'wide:Identified', properties: {region: north, value: one}}\n";

/// The only thing in the cloud: its id and its value.
fn thing(world: &World) -> (String, Json) {
    let things = world.things("wide", "identified");
    assert_eq!(things.len(), 1, "{things:?}");
    let (id, thing) = things.into_iter().next().unwrap();
    (id, thing["value"].clone())
}

/// The metadata kept besides the state.
fn meta(world: &World) -> Json {
    let resources = wanted(&world.sandbox);
    resources["it"]["outputs"]["__meta"].as_str().map_or(Json::Null, |text| serde_json::from_str(text).unwrap())
}

fn changed(world: &World, tool: Tool, value: &str) {
    world.program(&PROGRAM.replace("value: one", &format!("value: {value}")));
    world.run_with(tool, &["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(thing(world).1, value);
}

/// The resource is removed outside; a refresh notices.
fn removed(world: &World, tool: Tool) {
    fs::remove_file(world.cloud("wide").join("identified").join(format!("{}.json", thing(world).0))).unwrap();
    world.run_with(tool, &["refresh", "--yes", "--skip-preview"]).ok();
    assert_eq!(wanted(&world.sandbox).len(), 0);
}

/// The provider fails an update, and the refresh of a deleted resource, for which it does not get the identity.
#[test]
fn an_identity_is_kept() {
    for (tool, other) in [(Tool::Outrigger, Tool::Pulumi), (Tool::Pulumi, Tool::Outrigger)] {
        let world = World::new(tool, &["wide"], PROGRAM);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let identity = json!({"region": "north", "code": thing(&world).0});
        assert_eq!(meta(&world)["identity"], identity);
        changed(&world, tool, "two");
        changed(&world, other, "three");
        world.run(&["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
        assert_eq!(meta(&world)["identity"], identity);
        removed(&world, other);
    }
}

/// Pulumi's bridge keeps none, and ignores ours.
#[test]
fn a_state_without_an_identity_gets_one() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(Tool::Pulumi, &["wide"], PROGRAM);
        world.find(Bridge::Go);
        go(&world, &["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(meta(&world), Json::Null);
        world.find(Bridge::Ours);
        changed(&world, tool, "two");
        assert_eq!(meta(&world)["identity"]["region"], "north");
        world.find(Bridge::Go);
        go(&world, &["preview", "--expect-no-changes"]).ok();
    }
    let world = World::new(Tool::Pulumi, &["wide"], PROGRAM);
    world.find(Bridge::Go);
    go(&world, &["up", "--yes", "--skip-preview"]).ok();
    world.find(Bridge::Ours);
    removed(&world, Tool::Outrigger);
}

/// The state is of the time when the provider called a region a place.
#[test]
fn an_identity_of_an_older_version_is_brought_up_to_date() {
    // `pulumi` passes the state for the diff, and again for the update.
    for (tool, times) in [(Tool::Outrigger, 1), (Tool::Pulumi, 2)] {
        let mut world = World::new(tool, &["wide"], PROGRAM);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let kept = meta(&world);
        assert_eq!(kept["identity_version"], "1");
        let mut export = world.sandbox.export();
        for resource in export["deployment"]["resources"].as_array_mut().unwrap() {
            if resource["urn"].as_str().unwrap().ends_with("::it") {
                let older = json!({"identity": {"place": "north", "code": thing(&world).0}});
                resource["outputs"]["__meta"] = Json::String(older.to_string());
            }
        }
        let file = world.sandbox.path("older.json");
        fs::write(&file, export.to_string()).unwrap();
        world.sandbox.outrigger(&["stack", "import", "--file", file.to_str().unwrap()]).ok();
        world.program(&PROGRAM.replace("value: one", "value: two"));
        assert_eq!(calls(&mut world, &["up", "--yes", "--skip-preview"], "UpgradeResourceIdentity"), times, "{tool:?}");
        assert_eq!(thing(&world).1, "two");
        assert_eq!(meta(&world), kept, "{tool:?}");
    }
}
