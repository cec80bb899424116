//! The engine's settings for a provider's resources: their generated names, and no call before all settings of the provider are known.

use super::sparing::calls;
use super::world::{Tool, World};

const NAMELESS: &str = "resources:\n  cart: {type: 'wide:Named', properties: {value: one}}\n";

/// The names of the existing things.
fn names(world: &World) -> Vec<String> {
    world.things("wide", "named").into_values().map(|thing| thing["name"].as_str().unwrap().to_owned()).collect()
}

fn set(world: &World, path: &str, value: &str) {
    let path = format!("pulumi:autonaming.{path}");
    world.sandbox.outrigger(&["config", "set", "--path", &path, value]).ok();
}

/// The stack decides the name, not the provider.
#[test]
fn autonaming_is_heeded() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["wide"], NAMELESS);
        set(&world, "mode", "verbatim");
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(names(&world), ["cart"], "{tool:?}");
        // A resource with a name keeps it.
        world.sandbox.outrigger(&["config", "rm", "pulumi:autonaming"]).ok();
        set(&world, "providers.wide.pattern", "${project}-${stack}-${name}-${num(4)}");
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let names = names(&world);
        let digits = names[0].strip_prefix("shop-dev-cart-").unwrap_or_else(|| panic!("{tool:?}: {names:?}"));
        assert!(digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{names:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        world.sandbox.outrigger(&["config", "rm", "pulumi:autonaming"]).ok();
        set(&world, "mode", "disabled");
        world.run(&["up", "--yes", "--skip-preview"]).failed().says(&["name"]);
    }
}

/// Two with the same name cannot exist at the same time.
#[test]
fn what_has_a_fixed_name_is_deleted_before_it_is_made_anew() {
    let program = "resources:\n  it: {type: 'wide:Replaced', properties: {top: one}}\n";
    for (mode, first) in [("default", "create-replacement"), ("verbatim", "delete-replaced")] {
        let world = World::new(Tool::Outrigger, &["wide"], program);
        set(&world, "mode", mode);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        world.program(&program.replace("top: one", "top: two"));
        let events = world.run(&["up", "--yes", "--skip-preview", "--json-events"]).ok().stdout;
        let place = |step: &str| events.find(step).unwrap_or_else(|| panic!("no {step} in {events}"));
        let steps = ["create-replacement", "delete-replaced"];
        assert_eq!(steps.into_iter().min_by_key(|step| place(step)), Some(first), "{events}");
    }
}

#[test]
fn a_provider_that_cannot_be_told_a_name_is_named() {
    let program = "resources:\n  it: {type: 'kit:random:Password', properties: {length: 8}}\n";
    let world = World::new(Tool::Outrigger, &[], program);
    set(&world, "providers.kit.mode", "verbatim");
    world.run(&["up", "--yes", "--skip-preview"]).ok().says(&["its provider does not support that"]);
}

#[test]
fn a_wrong_autonaming_stops_the_command_at_its_place() {
    let world = World::new(Tool::Outrigger, &["wide"], NAMELESS);
    set(&world, "mode", "loud");
    world.run(&["up", "--yes", "--skip-preview"]).failed().says(&[
        "`pulumi:autonaming` is not valid",
        "there is no mode `loud`",
        "Pulumi.dev.yaml:",
    ]);
    assert_eq!(names(&world), Vec::<String>::new());
}

/// A provider that is called before its settings are known would answer for its defaults.
#[test]
fn a_provider_with_unknown_settings_is_not_asked() {
    let program = "variables:\n  seen: {'fn::invoke': {function: 'wide:getLookup', arguments: {name: it}, options: {provider: '${mine}'}}}\n\
                   resources:\n  where: {type: 'random:String', properties: {length: 8, special: false}}\n  \
                   mine: {type: 'pulumi:providers:wide', properties: {directory: 'CLOUD/${where.result}'}}\n  \
                   cart: {type: 'wide:Named', properties: {name: near, value: '${seen.size}'}, options: {provider: '${mine}'}}\n";
    let mut world = World::new(Tool::Outrigger, &["wide", "random"], program);
    assert_eq!(calls(&mut world, &["preview"], "ConfigureProvider"), 0);
    // That of `random`, which has an older protocol.
    assert_eq!(calls(&mut world, &["preview"], "PlanResourceChange"), 1);
    // The data source is read in earnest.
    world.run(&["up", "--yes"]).ok();
    world.run(&["preview", "--expect-no-changes"]).ok();
    // The provider's place becomes unknown: existing resources may change.
    world.program(&program.replace("length: 8", "length: 9"));
    world.run(&["preview"]).ok().says(&["is not known yet"]);
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
}
