//! How long a step may take: what a user says, in the resource's own `timeouts` or in Pulumi's `customTimeouts`, reaches the provider.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

use super::world::{Tool, World};
use crate::providers::life::wanted;

const PROGRAM: &str = "\
resources:
  neither: {type: 'classic:Slow', properties: {value: a}}
  own: {type: 'classic:Slow', properties: {value: b, timeouts: {create: 3m}}}
  custom: {type: 'classic:Slow', properties: {value: c}, options: {customTimeouts: {create: 2m}}}
  both: {type: 'classic:Slow', properties: {value: d, timeouts: {create: 3m}}, options: {customTimeouts: {create: 2m}}}
  a-neither: {type: 'ancient:Slow', properties: {value: a}}
  a-own: {type: 'ancient:Slow', properties: {value: b, timeouts: {create: 3m}}}
  a-custom: {type: 'ancient:Slow', properties: {value: c}, options: {customTimeouts: {create: 2m}}}
";

/// Providers of the oldest SDK do not show their limits, but they keep them among their private bytes.
fn kept_limit(resource: &Json) -> u64 {
    let meta: Json = serde_json::from_str(resource["outputs"]["__meta"].as_str().unwrap()).unwrap();
    let private = STANDARD.decode(meta["private_state"].as_str().unwrap()).unwrap();
    let private: Json = serde_json::from_slice(&private).unwrap();
    private.as_object().unwrap().values().next().unwrap()["create"].as_u64().unwrap() / 1_000_000_000
}

#[test]
fn limits_reach_the_provider() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["classic", "ancient"], PROGRAM);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let made = wanted(&world.sandbox);
        for (name, allowed) in [("neither", "5m0s"), ("own", "3m0s"), ("custom", "2m0s"), ("both", "2m0s")] {
            assert_eq!(made[name]["outputs"]["allowed"], allowed, "{name}, {tool:?}");
        }
        for (name, seconds) in [("a-neither", 300), ("a-own", 180), ("a-custom", 120)] {
            assert_eq!(kept_limit(&made[name]), seconds, "{name}, {tool:?}");
        }
        // A limit is nothing that exists: it can come, go and change without a step.
        world.program(&PROGRAM.replace("{create: 2m}", "{create: 1m, update: 1m, delete: 1m}"));
        world.run(&["preview", "--expect-no-changes"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}

/// From now on a provider writes down which limits it sees.
fn watch(world: &World, provider: &str) {
    fs::create_dir_all(world.cloud(provider).join("limits")).unwrap();
}

/// What is in the cloud, without what providers wrote there about their limits.
fn things(world: &World) -> Vec<String> {
    world.everything().into_iter().filter(|path| !path.contains("/limits/")).collect()
}

/// The limit that a provider saw when it changed or removed the only thing of a kind.
fn seen(world: &World, provider: &str, step: &str) -> String {
    let limits = &world.things(provider, "limits")[step];
    limits.as_object().unwrap().values().next().unwrap().as_str().unwrap_or_default().to_owned()
}

/// Nobody's, the resource's own, and the engine's, for which the others stand back.
#[test]
fn limits_of_changes_and_removals_reach_the_provider() {
    let program = |own: &str, custom: &str| {
        let resource = |name, ty| {
            format!("  {name}:\n    type: {ty}\n    properties: {{value: one{own}}}\n    options: {{{custom}}}\n")
        };
        format!("resources:\n{}{}", resource("a", "classic:Slow"), resource("b", "wide:Lasting"))
    };
    let (own, custom) = (", timeouts: {update: 1m, delete: 2m}", "customTimeouts: {update: 3m, delete: 4m}");
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["classic", "wide"], "");
        for provider in ["classic", "wide"] {
            watch(&world, provider);
        }
        for (own, custom, changed, removed) in [
            ("", "", ["6m0s", ""], ["7m0s", ""]),
            (own, "", ["1m0s", "1m"], ["2m0s", "2m"]),
            ("", custom, ["3m0s", "180s"], ["4m0s", "240s"]),
            (own, custom, ["3m0s", "180s"], ["4m0s", "240s"]),
        ] {
            let program = program(own, custom);
            world.program(&program);
            world.run(&["up", "--yes", "--skip-preview"]).ok();
            world.program(&program.replace("value: one", "value: two"));
            world.run(&["up", "--yes", "--skip-preview"]).ok();
            world.run(&["destroy", "--yes", "--skip-preview"]).ok();
            for (step, expected) in [("update", changed), ("delete", removed)] {
                let saw = [("classic", "slow"), ("wide", "lasting")]
                    .map(|(provider, kind)| seen(&world, provider, &format!("{kind}-{step}")));
                assert_eq!(saw, expected, "{step}, {tool:?}, {program}");
            }
            assert_eq!(things(&world), Vec::<String>::new());
        }
    }
}

/// A limit is for one step, and in nobody's state: also when the step fails and the provider answers with what it was given.
#[test]
fn limits_of_steps_that_fail_are_not_kept() {
    let program = "resources:\n  a: {type: 'wide:Lasting', properties: {value: one, fault: none}, options: {customTimeouts: \
                   {create: 2m, update: 3m, delete: 4m}}}\n";
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["wide"], program);
        watch(&world, "wide");
        let kept = || wanted(&world.sandbox)["a"]["outputs"]["timeouts"].clone();
        world.program(&program.replace("fault: none", "fault: fail after create"));
        world.run(&["up", "--yes", "--skip-preview"]).failed().says(&["Failed after creating"]);
        let before = kept();
        assert!(!before.to_string().contains("120s"), "{tool:?}: {before}");
        world.program(&program.replace("value: one, fault: none", "value: two, fault: fail on update"));
        world.run(&["up", "--yes", "--skip-preview"]).failed().says(&["Failed on updating"]);
        assert_eq!(kept(), before, "{tool:?}");
        world.program(&program.replace("fault: none", "fault: fail on delete"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(kept(), before, "{tool:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).failed().says(&["Failed on deleting"]);
        assert_eq!(seen(&world, "wide", "lasting-delete"), "240s", "{tool:?}");
        assert_eq!(kept(), before, "{tool:?}");
        world.program(program);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(things(&world), Vec::<String>::new());
    }
}

/// Providers of the newer SDK have limits among what is configured, and keep other things in their private bytes.
#[test]
fn private_bytes_survive_limits() {
    let program = "resources:\n  a: {type: 'wide:Lasting', properties: {value: one}, options: {customTimeouts: {create: \
                   2m, update: 3m, delete: 4m}}}\n";
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["wide"], program);
        let limit = |step: &str| {
            let (_, thing) = world.things("wide", "lasting").pop_first().unwrap();
            thing["timeouts"][step].as_str().unwrap_or_default().to_owned()
        };
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(limit("create"), "120s", "{tool:?}");
        world.program(&program.replace("value: one", "value: two"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(limit("update"), "180s", "{tool:?}");
        world.run(&["refresh", "--yes", "--skip-preview"]).ok();
        // It counts its changes there, and shows the number when it is read.
        assert_eq!(wanted(&world.sandbox)["a"]["outputs"]["changes"], r#"{"count":2}"#, "{tool:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}
