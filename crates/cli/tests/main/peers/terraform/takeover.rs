//! A stack goes from Pulumi's own bridge to ours, under either tool, and back, without any change.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::life::{Change, changes};
use super::processes;
use super::world::{Bridge, Tool, World};
use crate::peers::providers::life::wanted;
use crate::sandbox::Answer;

/// One resource for each special way of spelling, storing or comparing values.
const PROGRAM: &str = "\
resources:
  elsewhere:
    type: pulumi:providers:wide
    properties:
      directory: CLOUD/elsewhere
      token: {'fn::secret': explicit-token}
      endpoints: [{serviceUrl: 'http://a', apiKey: explicit-key}]
  far: {type: 'wide:Named', properties: {name: far, value: away}, options: {provider: '${elsewhere}'}}
  pet: {type: 'random:Pet', properties: {length: 2}}
  password: {type: 'random:Password', properties: {length: 12}}
  key: {type: 'tls:PrivateKey', properties: {algorithm: ED25519}}
  later: {type: 'time:Offset', properties: {baseRfc3339: '2020-02-12T06:36:13Z', offsetDays: 7}}
  trigger: {type: 'null:Resource', properties: {triggers: {a: b}}}
  file: {type: 'local:File', properties: {filename: CLOUD/file.txt, content: hello}}
  primitives: {type: 'wide:Primitives', properties: {aString: one, aNumber: 1.5}}
  collections:
    type: wide:Collections
    properties:
      stringSets: [b, a]
      objectSets: [{leftSide: l, rightSide: 2}, {leftSide: a, rightSide: 3}]
      mapOfSets: {k: [b, a]}
  blocks: {type: 'wide:Blocks', properties: {title: t, rules: [{action: allow}], tags: [{key: c}, {key: a, value: b}]}}
  nested: {type: 'wide:Nested', properties: {items: [{given: a, hidden: h}], uniques: [{given: x}], keyed: {k: {given: z}}}}
  dynamic: {type: 'wide:Dynamic', properties: {anything: {a: [1, two]}}}
  secret: {type: 'wide:Secret', properties: {label: l, password: hunter2, secretMap: {a: b}}}
  written: {type: 'wide:Secret', properties: {label: l, password: hunter2, written: written-word}}
  numbers: {type: 'wide:Numbers', properties: {bigWhole: 9007199254740991, precise: 0.1, numbers: [0.1, 3], echoedBig: 5}}
  defaults: {type: 'wide:Defaults', properties: {flag: false, precise: 2.5}}
  private: {type: 'wide:Private', properties: {value: one}}
  versioned: {type: 'wide:Versioned', properties: {amount: 3}}
  named: {type: 'wide:Named', properties: {value: one}}
  chosen: {type: 'wide:ChosenId', properties: {chosenIdId: mine, value: one}}
  nothing: {type: 'wide:NoId', properties: {label: l, value: one}}
  plurals: {type: 'wide:Plurals', properties: {statuses: [a], people: [b], entries: [{children: c}]}}
  n-collections: {type: 'narrow:Collections', properties: {stringSets: [b, a], mapOfSets: {k: [b, a]}}}
  n-blocks: {type: 'narrow:Blocks', properties: {title: t, rules: [{action: allow}], tags: [{key: c}, {key: a, value: b}]}}
  n-secret: {type: 'narrow:Secret', properties: {label: l, password: hunter2}}
  n-private: {type: 'narrow:Private', properties: {value: one}}
  classic: {type: 'classic:Primitives', properties: {aString: one, anInt: 1, hidden: hunter2}}
  suppressed: {type: 'classic:Suppressed', properties: {word: Word}}
  slow: {type: 'classic:Slow', properties: {value: one}}
  ancient: {type: 'ancient:Collections', properties: {stringSets: [b, a], settings: {level: 2}, tags: [{key: a}]}}
  a-slow: {type: 'ancient:Slow', properties: {value: one, timeouts: {create: 3m, delete: 1m}}}
  m-collections: {type: 'mixed:Collections', properties: {stringSets: [b, a], intSets: [2, 1]}}
  m-required: {type: 'mixed:RequiredId', properties: {requiredIdId: mine, value: one}}
  r-collections: {type: 'raised:Collections', properties: {stringSets: [b, a], intSets: [2, 1]}}
  r-number: {type: 'raised:NumberId', properties: {value: one}}
";

const PROVIDERS: [&str; 11] =
    ["random", "tls", "time", "null", "local", "wide", "narrow", "classic", "ancient", "mixed", "raised"];

#[test]
fn there_and_back() {
    let world = World::new(Tool::Pulumi, &PROVIDERS, PROGRAM);
    world.find(Bridge::Go);
    go(&world, &["up", "--yes", "--skip-preview"]).ok();
    let made = wanted(&world.sandbox);

    // Ours sees no difference, and an update does nothing, also not to the state of any resource.
    world.find(Bridge::Ours);
    for tool in [Tool::Pulumi, Tool::Outrigger] {
        world.run_with(tool, &["preview", "--expect-no-changes"]).ok();
        world.run_with(tool, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
        assert_eq!(kept(&wanted(&world.sandbox)), kept(&made), "{tool:?}");
    }
    // A refresh takes over values that providers return in their own form, such as the order of a set; it is no difference.
    for tool in [Tool::Pulumi, Tool::Outrigger] {
        world.run_with(tool, &["refresh", "--yes", "--skip-preview"]).ok();
        assert_eq!(ids(&wanted(&world.sandbox)), ids(&made), "{tool:?}");
        world.run_with(tool, &["preview", "--expect-no-changes"]).ok();
    }

    // Pulumi's bridge accepts the changes, creations and deletions of ours.
    let program = PROGRAM.replace(
        "blocks: {type: 'wide:Blocks', properties: {title: t, rules: [{action: allow}], tags: [{key: c}, {key: a",
        "blocks: {type: 'wide:Blocks', properties: {title: t, rules: [{action: allow}], tags: [{key: c}, {key: d",
    );
    let program = program.replace("uniques: [{given: x}]", "uniques: [{given: y}, {given: x}]");
    let program = program.replace(
        "private: {type: 'wide:Private', properties: {value: one",
        "private: {type: 'wide:Private', properties: {value: two",
    );
    let program = program.replace("value: away", "value: home");
    let program = program.replace("  later: {type: 'time:Offset'", "  afterwards: {type: 'time:Offset'");
    let program =
        program.replace("stringSets: [b, a], settings: {level: 2}", "stringSets: [b, c], settings: {level: 3}");
    let before = wanted(&world.sandbox);
    world.program(&program);
    world.run_with(Tool::Outrigger, &["up", "--yes", "--skip-preview"]).ok();
    let after = wanted(&world.sandbox);
    let expected = [
        ("afterwards", Change::Created),
        ("ancient", Change::Updated),
        ("blocks", Change::Updated),
        ("far", Change::Updated),
        ("later", Change::Deleted),
        ("nested", Change::Updated),
        ("private", Change::Updated),
    ];
    assert_eq!(changes(&before, &after), expected.map(|(name, change)| (name.to_owned(), change)).into());
    world.find(Bridge::Go);
    go(&world, &["preview", "--expect-no-changes"]).ok();
    go(&world, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
    assert_eq!(kept(&wanted(&world.sandbox)), kept(&after));
    go(&world, &["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// Pulumi's own bridge takes resources that ours has created, under either tool, as they are, and reads them without a difference.
#[test]
fn made_by_us() {
    for tool in [Tool::Pulumi, Tool::Outrigger] {
        let world = World::new(tool, &PROVIDERS, PROGRAM);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let made = wanted(&world.sandbox);
        world.find(Bridge::Go);
        go(&world, &["preview", "--refresh", "--expect-no-changes"]).ok();
        go(&world, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
        assert_eq!(kept(&wanted(&world.sandbox)), kept(&made), "{tool:?}");
        world.run_with(Tool::Outrigger, &["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}

/// A part of these blocks is never created, so an update is planned each time, with either bridge. It has no effect.
const ALWAYS_CHANGING: &str = "\
resources:
  blocks:
    type: classic:Blocks
    properties:
      title: t
      needed: {value: n}
      rules: [{action: a, weight: 1, matches: [{prefix: p}, {prefix: q, flag: true}]}, {action: b}]
      settings: {note: n, inner: {deepText: d}}
      onlyMember: {value: v}
      tags: [{key: b, value: two}, {key: a, value: one}]
      asAttributes: [{someValue: v}]
";

#[test]
fn blocks_that_always_change_stay_the_same() {
    for tool in [Tool::Pulumi, Tool::Outrigger] {
        let world = World::new(tool, &["classic"], ALWAYS_CHANGING);
        world.find(Bridge::Go);
        let update = ["up", "--yes", "--skip-preview"];
        // The first fills in the provider's defaults.
        for _ in 0..2 {
            go(&world, &update).ok();
        }
        let mut before = wanted(&world.sandbox);
        for bridge in [Bridge::Ours, Bridge::Go] {
            world.find(bridge);
            if bridge == Bridge::Go {
                go(&world, &update).ok()
            } else {
                world.run(&update).ok()
            };
            let after = wanted(&world.sandbox);
            assert_eq!(
                changes(&before, &after),
                [("blocks".to_owned(), Change::Updated)].into(),
                "{tool:?} {bridge:?}"
            );
            assert_eq!(kept(&after), kept(&before), "{tool:?} {bridge:?}");
            before = after;
        }
        world.find(Bridge::Ours);
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}

/// `pulumi` with Pulumi's bridge, which leaves providers behind.
pub(super) fn go(world: &World, arguments: &[&str]) -> Answer {
    let answer = world.sandbox.pulumi(&[arguments, &["--stack", "dev"]].concat());
    for process in processes::marked(&world.mark()) {
        processes::kill(&process);
    }
    answer
}

fn ids(resources: &BTreeMap<String, Json>) -> BTreeMap<&String, &Json> {
    resources.iter().map(|(name, resource)| (name, &resource["id"])).collect()
}

/// The state of each resource: its id, inputs and outputs.
fn kept(resources: &BTreeMap<String, Json>) -> BTreeMap<&String, [&Json; 3]> {
    resources.iter().map(|(name, resource)| (name, ["id", "inputs", "outputs"].map(|field| &resource[field]))).collect()
}
