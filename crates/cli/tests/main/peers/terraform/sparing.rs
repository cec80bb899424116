//! A provider is not started or asked more often than it has to be.

use std::fs;

use serde_json::{Value as Json, json};

use super::world::{Tool, World};

const PROGRAM: &str = "resources:\n  mine: {type: 'pulumi:providers:wide', properties: {directory: CLOUD/mine}}\n  \
                       named: {type: 'wide:Named', properties: {name: near, value: one}, options: {provider: '${mine}'}}\n";

/// How often a call of the provider was made in one command.
pub(super) fn calls(world: &mut World, arguments: &[&str], method: &str) -> usize {
    let log = world.sandbox.path("calls.jsonl");
    world.sandbox.set("PULUMI_TF_DEBUG_GRPC", log.to_str());
    world.run(arguments).ok();
    world.sandbox.set("PULUMI_TF_DEBUG_GRPC", None);
    let text = fs::read_to_string(&log).unwrap();
    fs::remove_file(log).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let made = entries.filter(|entry| entry["progress"] == "response_completed");
    made.filter(|entry| entry["method"].as_str().unwrap().ends_with(&format!("/{method}"))).count()
}

/// The only thing in the cloud.
fn the_only(world: &World) -> (String, Json) {
    let things = world.things("mine", "named");
    assert_eq!(things.len(), 1);
    things.into_iter().next().unwrap()
}

/// In the state, an explicit provider has the version of the bridge where the project has the provider's own.
#[test]
fn one_process_reads_and_plans() {
    let mut world = World::new(Tool::Outrigger, &["wide"], PROGRAM);
    assert_eq!(calls(&mut world, &["up", "--yes", "--skip-preview"], "ConfigureProvider"), 1);
    assert_eq!(calls(&mut world, &["up", "--yes"], "ConfigureProvider"), 1);
    let read = ["preview", "--refresh", "--expect-no-changes"];
    assert_eq!(calls(&mut world, &read, "ConfigureProvider"), 1);
    assert_eq!(calls(&mut world, &read, "ReadResource"), 1);
    assert_eq!(calls(&mut world, &["destroy", "--refresh", "--yes"], "ConfigureProvider"), 1);
}

/// A preview and the update after it, a refresh and the program after it: the provider plans once.
#[test]
fn nothing_is_planned_twice() {
    let mut world = World::new(Tool::Outrigger, &["wide"], PROGRAM);
    assert_eq!(calls(&mut world, &["up", "--yes"], "PlanResourceChange"), 1);
    let changed = PROGRAM.replace("value: one", "value: two");
    world.program(&changed);
    assert_eq!(calls(&mut world, &["up", "--yes"], "PlanResourceChange"), 1);
    assert_eq!(the_only(&world).1["value"], "two");

    // The resource is changed outside: the state that was read needs no correction, and is compared with the program once.
    let (id, mut thing) = the_only(&world);
    thing["value"] = json!("three");
    world.put("mine", "named", &id, &thing);
    assert_eq!(calls(&mut world, &["preview", "--refresh"], "UpgradeResourceState"), 1);
    assert_eq!(calls(&mut world, &["up", "--refresh", "--yes", "--skip-preview"], "PlanResourceChange"), 1);
    assert_eq!(the_only(&world).1["value"], "two");
    world.run(&["preview", "--refresh", "--expect-no-changes"]).ok();
}

/// A replacement is planned twice, as in Terraform: as a change of the existing resource, and as a creation. The applied plan is the one that the
/// preview showed, also where the old one is deleted first.
#[test]
fn a_replacement_is_planned_once() {
    for options in ["", ", options: {deleteBeforeReplace: true}"] {
        let program = format!("resources:\n  it: {{type: 'wide:Replaced', properties: {{top: one}}{options}}}\n");
        let mut world = World::new(Tool::Outrigger, &["wide"], &program);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        world.program(&program.replace("top: one", "top: two"));
        assert_eq!(calls(&mut world, &["preview"], "PlanResourceChange"), 2, "{options}");
        // And the deletion.
        assert_eq!(calls(&mut world, &["up", "--yes"], "PlanResourceChange"), 3, "{options}");
        assert_eq!(world.things("wide", "replaced").len(), 1);
    }
}
