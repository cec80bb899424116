//! How long a step may take: what a user says, in the resource's own `timeouts` or in Pulumi's `customTimeouts`, reaches the provider.

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
