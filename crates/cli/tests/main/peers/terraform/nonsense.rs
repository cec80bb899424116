//! Providers that answer nonsense about existing resources: they are neither forgotten, nor deleted, nor created twice.

use super::world::{Tool, World};
use crate::peers::providers::life::wanted;

const UP: &[&str] = &["up", "--yes", "--skip-preview"];
const REFRESH: &[&str] = &["refresh", "--yes", "--skip-preview"];

/// A kind of resource, the operation on an existing one, and the messages.
const ROWS: [(&str, &str, &[&str], &str); 4] = [
    (
        "NullUpgrade",
        "crude_null_upgrade",
        UP,
        "the provider returned no state when it was asked to upgrade the stored one, which is a bug in the provider",
    ),
    ("NullUpgrade", "crude_null_upgrade", REFRESH, "the provider returned no state when it was asked to upgrade"),
    (
        "NullPlan",
        "crude_null_plan",
        UP,
        "the provider plans no values for a resource that should exist, which is a bug in the provider",
    ),
    (
        "UnknownRead",
        "crude_unknown_read",
        REFRESH,
        "the provider returned an unknown value, which is a bug in the provider: made",
    ),
];

fn program(kind: &str, value: &str) -> String {
    format!("resources:\n  a: {{type: 'crude:{kind}', properties: {{value: {value}}}}}\n")
}

#[test]
fn what_exists_is_left_alone() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["crude"], "");
        for (kind, name, command, says) in ROWS {
            world.program(&program(kind, "one"));
            world.run(UP).ok();
            let before = wanted(&world.sandbox)["a"].clone();
            world.program(&program(kind, "two"));
            world.run(command).failed().says(&[says]);
            let things = world.things("crude", name);
            let values: Vec<_> = things.values().map(|thing| thing["value"].as_str().unwrap()).collect();
            assert_eq!(values, ["one"], "{tool:?} {kind} {command:?}");
            assert_eq!(wanted(&world.sandbox)["a"]["outputs"], before["outputs"], "{tool:?} {kind} {command:?}");
            world.run(&["destroy", "--yes", "--skip-preview"]).ok();
            assert!(world.things("crude", name).is_empty(), "{tool:?} {kind} {command:?}");
        }
    }
}

/// The reason may be no property but the resource as a whole.
#[test]
fn what_has_to_be_replaced_as_a_whole_is() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["crude"], &program("WholeReplacement", "one"));
        world.run(UP).ok();
        let before = wanted(&world.sandbox)["a"]["id"].clone();
        world.program(&program("WholeReplacement", "two"));
        world.run(UP).ok();
        assert_ne!(wanted(&world.sandbox)["a"]["id"], before, "{tool:?}");
        assert_eq!(world.things("crude", "crude_whole_replacement").len(), 1, "{tool:?}");
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// Its properties cannot be shown, but it is known by its id, and by that it is found.
#[test]
fn what_cannot_be_shown_is_known_by_its_id() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "resources:\n  a: {type: 'crude:Crowded', properties: {title: t, onlyItem: {someText: one}}}\n";
        let world = World::new(tool, &["crude"], program);
        world.run(UP).failed().says(&["the answer cannot be understood", "only_item"]);
        let made = world.things("crude", "crude_crowded");
        assert_eq!(made.keys().collect::<Vec<_>>(), [wanted(&world.sandbox)["a"]["id"].as_str().unwrap()], "{tool:?}");
        world.run(UP).ok();
        let known = wanted(&world.sandbox)["a"].clone();
        assert_eq!(known["outputs"]["onlyItem"]["someText"], "one", "{tool:?}");
        assert!(known["initErrors"].is_null(), "{tool:?}");
        assert_eq!(world.things("crude", "crude_crowded"), made, "{tool:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// A program would take it for a value that is known later.
#[test]
fn what_is_looked_up_is_known() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "variables:\n  a: {'fn::invoke': {function: 'crude:getFog', arguments: {value: now}}}\noutputs:\n  a: ${a}\n";
        let world = World::new(tool, &["crude"], program);
        world.run(UP).failed().says(&["the provider returned an unknown value, which is a bug in the provider: made"]);
    }
}

/// The properties that a program gives besides an id are no stored state.
#[test]
fn what_is_got_with_properties_is_found_by_its_id() {
    let program = "resources:\n  a: {type: 'crude:Plain', properties: {value: one, amount: 3}}\n  \
                   b: {type: 'crude:Plain', get: {id: '${a.id}', state: {value: another}}}\n";
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["crude"], program);
        world.run(UP).ok();
        let found = wanted(&world.sandbox)["b"]["outputs"].clone();
        assert_eq!((&found["value"], &found["amount"]), (&"one".into(), &3.into()), "{tool:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// Pulumi's state has doubles, and a number that they cannot hold is no change.
#[test]
fn a_large_number_is_no_change() {
    let program = "resources:\n  a: {type: 'crude:Plain', properties: {value: a, amount: 18446744073709551615}}\n  \
                   b: {type: 'crude:Plain', properties: {value: b, amount: 123456789012345678901234567890}}\n  \
                   c: {type: 'crude:Plain', properties: {value: c, amount: 1.0e300}}\n";
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["crude"], program);
        world.run(UP).ok();
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run(&["preview", "--expect-no-changes", "--refresh"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}
