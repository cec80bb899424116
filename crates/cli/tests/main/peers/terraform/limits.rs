//! How long a step may take: a limit in the resource's own `timeouts` or in Pulumi's `customTimeouts` reaches the provider.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};

use super::failures::{Left, left};
use super::processes::awaited;
use super::world::{Tool, World};
use crate::peers::providers::life::wanted;
use crate::sandbox::{Answer, answer};

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

/// The things in the cloud, without the providers' records of their limits.
fn things(world: &World) -> Vec<String> {
    world.everything().into_iter().filter(|path| !path.contains("/limits/")).collect()
}

/// The limit that a provider saw when it changed or removed the only thing of a kind.
fn seen(world: &World, provider: &str, step: &str) -> String {
    let limits = &world.things(provider, "limits")[step];
    limits.as_object().unwrap().values().next().unwrap().as_str().unwrap_or_default().to_owned()
}

/// No limit, the resource's own, and the engine's, which overrides the others.
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

/// A limit is for one step, and is not saved in the state, even if the step fails and the provider answers with its own input.
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

/// Providers of the newer SDK have limits among their configured properties, and keep other things in their private bytes.
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

/// Two resources with their own limits for a read, one of each kind of provider.
fn read(own: &str, options: &str) -> String {
    let resource = |name, ty| {
        let options = options.replace("NAME", name);
        format!("  {name}:\n    type: {ty}\n    properties: {{value: one{own}}}\n    options: {{{options}}}\n")
    };
    format!("resources:\n{}{}", resource("a", "classic:Slow"), resource("b", "wide:Lasting"))
}

/// Which limits for a read they saw.
fn seen_by_reads(world: &World) -> [String; 2] {
    [("classic", "slow-read"), ("wide", "lasting-read")].map(|(provider, step)| seen(world, provider, step))
}

const READ: &str = "customTimeouts: {read: 3m}";

/// The limit of a read reaches the provider, is for this read alone, and is not saved in the state. YAML has none under `pulumi`, but its engine
/// knows those that are in the state.
#[test]
fn limits_of_reads_reach_the_provider() {
    let world = World::new(Tool::Outrigger, &["classic", "wide"], "");
    for provider in ["classic", "wide"] {
        watch(&world, provider);
    }
    let kept = || {
        let made = wanted(&world.sandbox);
        [("a", "timeouts"), ("a", "__meta"), ("b", "timeouts"), ("b", "__meta")]
            .map(|(name, property)| made[name]["outputs"][property].clone())
    };
    let own = ", timeouts: {read: 1m}";
    for (own, custom, expected) in
        [("", "", ["8m0s", ""]), (own, "", ["1m0s", "1m"]), ("", READ, ["3m0s", "180s"]), (own, READ, ["3m0s", "180s"])]
    {
        let program = read(own, custom);
        world.program(&program);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let before = kept();
        for tool in [Tool::Outrigger, Tool::Pulumi] {
            world.run_with(tool, &["refresh", "--yes", "--skip-preview"]).ok();
            assert_eq!(seen_by_reads(&world), expected, "{tool:?}, {program}");
            assert_eq!(kept(), before, "{tool:?}, {program}");
        }
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// An imported resource was never planned, so no provider has written its own limits down.
#[test]
fn limits_of_imports_reach_the_provider() {
    let world = World::new(Tool::Outrigger, &["classic", "wide"], "");
    for provider in ["classic", "wide"] {
        watch(&world, provider);
    }
    let imported = |custom: &str| {
        world.program(&read("", &format!("import: NAME, {custom}")));
        for (provider, kind, id) in [("classic", "slow", "a"), ("wide", "lasting", "b")] {
            world.put(provider, kind, id, &json!({"id": id, "value": "one"}));
        }
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let made = wanted(&world.sandbox);
        let found = (seen_by_reads(&world), ["a", "b"].map(|name| made[name]["outputs"].clone()));
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        found
    };
    let (limits, without) = imported("protect: false");
    assert_eq!(limits, ["8m0s", ""]);
    let (limits, with) = imported(READ);
    assert_eq!(limits, ["3m0s", "180s"]);
    assert_eq!(with, without);
}

/// From now on a reader of this file waits: the other end of the pipe has no writer.
fn pipe(file: &Path) {
    // There may be none.
    let _ = fs::remove_file(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
}

/// The output of a command that ends by itself.
fn ended(child: Child) -> Answer {
    let child = RefCell::new(child);
    awaited(|| child.borrow_mut().try_wait().unwrap());
    answer(child.into_inner())
}

/// A read that never ends takes as long as the user's limit, whether or not the resource has its own limits.
#[test]
fn a_read_that_hangs_ends_at_its_limit() {
    for (provider, kind, resource) in
        [("wide", "named", "{type: 'wide:Named', properties: {name: x}"), ("classic", "slow", "{type: 'classic:Slow'")]
    {
        let program = |options: &str| format!("resources:\n  a: {resource}, options: {{{options}}}}}\n");
        let file = |world: &World, id: &str| world.cloud(provider).join(kind).join(format!("{id}.json"));
        let (limit, says) =
            ("customTimeouts: {read: 1.5s}", "no answer within 1.5 s, the limit for a read in `customTimeouts`");
        let in_full = [&format!("plugin `{provider} 0.0.0` did not answer Read in time: {says}"), "[plugin-timeout]"];
        let mut world = World::new(Tool::Outrigger, &[provider], &program(limit));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let before = wanted(&world.sandbox);
        pipe(&file(&world, before["a"]["id"].as_str().unwrap()));
        for tool in [Tool::Outrigger, Tool::Pulumi] {
            world.tool = tool;
            let answer = ended(world.start(&["refresh", "--yes", "--skip-preview"])).failed().says(&[says]);
            if tool == Tool::Outrigger {
                answer.says(&in_full).says(&["could not read `a`"]);
            }
            world.assert_nobody_left();
            assert_eq!(wanted(&world.sandbox)["a"]["outputs"], before["a"]["outputs"], "{tool:?}");
        }

        let world = World::new(Tool::Outrigger, &[provider], &program(&format!("import: it, {limit}")));
        pipe(&file(&world, "it"));
        let answer = ended(world.start(&["up", "--yes", "--skip-preview"])).failed();
        answer.says(&in_full).says(&["could not import `a`", "Pulumi.yaml:"]);
        world.assert_nobody_left();
        assert_eq!(left(&world, "a"), Left::Nothing);
    }
}
