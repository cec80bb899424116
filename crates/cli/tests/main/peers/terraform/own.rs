//! Providers of our own on every framework: plugin framework over protocol 6 and 5, SDK 2 and 1, and both at once.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::life::Change::{Created, Deleted, Replaced, Updated};
use super::life::Life;
use super::world::{Tool, World};
use crate::peers::providers::life::{stack_outputs, wanted};

const LIFE: Life = Life {
    providers: &["wide", "narrow", "classic", "ancient", "mixed", "raised", "crude"],
    before: |world| {
        for (provider, kind, thing) in [
            ("wide", "named", json!({"id": "known", "name": "there", "value": "already"})),
            ("narrow", "named", json!({"id": "known", "name": "there", "value": "already"})),
            ("classic", "named", json!({"name": "there", "value": "already"})),
            ("ancient", "named", json!({"name": "there", "value": "already"})),
            ("mixed", "fixed", json!({"value": "already"})),
            ("mixed", "chosen_id", json!({"id": "known", "value": "already"})),
            ("raised", "fixed", json!({"value": "already"})),
            ("raised", "chosen_id", json!({"id": "known", "value": "already"})),
        ] {
            world.put(provider, kind, "known", &thing);
        }
    },
    program: include_str!("own.yaml"),
    look: |world| {
        let outputs = stack_outputs(&world.sandbox);
        let entries = json!([{"entryName": "it/1", "tag": {"a": "b"}}, {"entryName": "it/2", "tag": {}}]);
        for (name, expected) in [
            ("ancientSize", json!(2)),
            ("classicEntries", entries.clone()),
            ("mixedEntries", entries),
            ("raisedVault", json!("password of it")),
            ("doubled", json!(42)),
            ("joined", json!("a+b")),
            ("described", json!({"givenWord": "hello", "wordLength": 5})),
            ("mixedDoubled", json!(3)),
            ("raisedDoubled", json!(-8)),
            ("assumed", json!("assumed")),
            ("got", json!("already")),
        ] {
            assert_eq!(outputs[name], expected, "{name}");
        }
        for looked in ["looked", "narrow"] {
            assert_eq!(outputs[looked]["filters"], json!([{"field": "f", "values": ["a"]}]), "{looked}");
        }
        assert!(outputs["vault"].as_str().unwrap().starts_with("made-"));
        assert_eq!(outputs["entries"]["filter"], json!({"prefix": "p"}));
        assert!(outputs["entries"]["entries"][0]["entryName"].as_str().unwrap().starts_with("made-"));
        assert_secrets_are_kept(world);
        assert_received(world, WRITTEN);
        assert_defaults_are_known(world);

        // A provider that the program declares works elsewhere, and a resource that needs a name gets one.
        let far = world.things("elsewhere", "named");
        assert_eq!(far.values().map(|thing| &thing["name"]).collect::<Vec<_>>(), ["far"]);
        let named = world.things("wide", "named");
        let own = named.values().map(|thing| thing["name"].as_str().unwrap()).find(|name| *name != "there").unwrap();
        assert!(own.starts_with("w-autonamed-") && own.len() == "w-autonamed-".len() + 7, "{own}");
    },
    edits: &[
        ("aString: wide one", "aString: wide two"),
        ("stringSets: [x, y]", "stringSets: [y, z]"),
        ("tags: [{key: a, value: wide}, {key: c}]", "tags: [{key: c}, {key: a, value: wider}]"),
        ("uniques: [{given: x}]", "uniques: [{given: y}, {given: x}]"),
        ("value: private one", "value: private two"),
        ("value: narrow private one", "value: narrow private two"),
        ("label: one", "label: two"),
        ("words: [deep one]", "words: [deep one, two]"),
        ("fixed: nested one", "fixed: nested two"),
        ("userName: login one", "userName: login two"),
        ("either: wide either", "either: {now: an object}"),
        ("anything: [narrow one, 2]", "anything: text"),
        ("top: wide one", "top: wide two"),
        ("value: away", "value: home"),
        ("anInt64: 70", "anInt64: 71"),
        ("top: narrow one", "top: narrow two"),
        ("anInt: 7}", "anInt: 8}"),
        // A write-only change cannot be detected, so a property beside it has to change.
        ("written: written-word,", "written: written-word too,"),
        ("writtenAgain: 1", "writtenAgain: 2"),
        ("writtenAgain: 3", "writtenAgain: 4"),
        ("intSets: [1, 2]", "intSets: [3, 1]"),
        ("growOnly: 3", "growOnly: 2"),
        ("fixed: ancient one", "fixed: ancient two"),
        ("settings: {level: 5}", "settings: {level: 6}"),
        ("free: mixed one", "free: mixed two"),
        ("requiredIdId: mine", "requiredIdId: yours"),
        ("precise: 0.1,", "precise: 0.2,"),
        ("flag: false, words: [], ", "whole: 8, "),
        ("group: {someText: crude one}", "group: {someText: crude two}"),
        ("k: {someText: a}, ", "l: {someText: c}, "),
        ("value: raised one", "value: raised two"),
        ("top: raised one", "top: raised two"),
        ("  w-gone: {type: 'wide:Versioned', properties: {amount: 3}}\n", ""),
        ("# imports\n", IMPORTS),
    ],
    edited: &[
        ("w-primitives", Updated),
        ("w-collections", Updated),
        ("w-blocks", Updated),
        ("w-nested", Updated),
        ("w-nested-made", Updated),
        ("w-nested-deep", Updated),
        ("w-nested-replaced", Replaced),
        ("w-nested-secret", Updated),
        ("w-dynamic", Updated),
        ("w-secret", Updated),
        ("w-private", Updated),
        ("w-replaced", Replaced),
        ("w-else", Updated),
        ("w-gone", Deleted),
        ("w-imported", Created),
        ("n-primitives", Updated),
        ("n-dynamic", Updated),
        ("n-private", Updated),
        ("n-replaced", Replaced),
        ("n-secret", Updated),
        ("n-imported", Created),
        ("c-primitives", Updated),
        ("c-collections", Updated),
        ("c-replaced", Replaced),
        ("c-imported", Created),
        ("a-primitives", Replaced),
        ("a-collections", Updated),
        ("a-imported", Created),
        ("m-required", Replaced),
        ("m-replaced", Updated),
        ("m-imported", Created),
        ("m-chosen", Created),
        ("k-blocks", Updated),
        ("w-numbers", Updated),
        ("w-defaults", Updated),
        ("r-noid", Updated),
        ("r-replaced", Replaced),
        ("r-imported", Created),
        ("r-chosen", Created),
    ],
    look_again: |world| {
        assert_secrets_are_kept(world);
        assert_received(world, WRITTEN_LATER);
        let made = wanted(&world.sandbox);
        for name in
            ["w-imported", "n-imported", "c-imported", "a-imported", "m-imported", "m-chosen", "r-imported", "r-chosen"]
        {
            assert_eq!(made[name]["id"], "known", "{name}");
            assert_eq!(made[name]["inputs"]["value"], "already", "{name}");
        }
        // Nothing of the replaced resources is left, and the resource that moved is the same.
        assert_eq!(world.things("wide", "replaced").len(), 1);
        assert_eq!(world.things("elsewhere", "named").values().next().unwrap()["value"], "home");
        assert!(world.things("mixed", "required_id").contains_key("yours"));
    },
    drift: |world| {
        let change = |provider: &str, kind: &str, property: &str, value: Json| {
            let (id, mut thing) = world.things(provider, kind).pop_first().unwrap();
            thing[property] = value;
            world.put(provider, kind, &id, &thing);
        };
        change("wide", "primitives", "a_string", json!("changed"));
        let ty = json!(["object", {"a": ["tuple", ["number", "string"]]}]);
        change("wide", "dynamic", "anything", json!({"type": ty, "value": {"a": [1, "changed"]}}));
        change("classic", "collections", "string_map", json!({"k": "changed"}));
        change("ancient", "collections", "string_set", json!(["a", "changed"]));
        change("mixed", "primitives", "a_string", json!("changed"));
        // A property that the program does not set is no change to correct.
        change("raised", "primitives", "made", json!("changed"));
        change("narrow", "primitives", "computed_string", json!("changed"));
        std::fs::remove_dir_all(world.cloud("narrow/blocks")).unwrap();
        std::fs::remove_dir_all(world.cloud("raised/replaced")).unwrap();
    },
    refreshed: &[
        ("w-primitives", Updated),
        // Members of sets come in the provider's order, as they do with Pulumi's bridge.
        ("w-blocks", Updated),
        ("w-nested", Updated),
        ("w-dynamic", Updated),
        // A write-only property is not read.
        ("w-nested-secret", Updated),
        ("w-secret", Updated),
        ("n-secret", Updated),
        ("c-primitives", Updated),
        ("n-blocks", Deleted),
        ("c-collections", Updated),
        ("a-collections", Updated),
        ("m-primitives", Updated),
        ("r-replaced", Deleted),
    ],
    look_refreshed: |world| {
        // How often it was changed is in the provider's private state, and shown when it is read.
        let known = wanted(&world.sandbox);
        for name in ["w-private", "n-private"] {
            assert_eq!(known[name]["outputs"]["changes"], r#"{"count":2}"#, "{name}");
        }
        assert_eq!(known["w-dynamic"]["outputs"]["anything"], json!({"a": [1, "changed"]}));
        assert_eq!(known["r-primitives"]["outputs"]["made"], "changed");
        assert_eq!(known["n-primitives"]["outputs"]["computedString"], "changed");
    },
    mended: &[
        ("w-primitives", Updated),
        ("w-dynamic", Updated),
        ("n-blocks", Created),
        ("c-collections", Updated),
        ("a-collections", Updated),
        ("m-primitives", Updated),
        ("r-replaced", Created),
    ],
    // It plans removals, and records that it was asked to.
    remains: &["crude/planned_removals/crude_blocks.json"],
};

const IMPORTS: &str = "  \
  w-imported: {type: 'wide:Named', properties: {name: there, value: already}, options: {import: known}}
  n-imported: {type: 'narrow:Named', properties: {name: there, value: already}, options: {import: known}}
  c-imported: {type: 'classic:Named', properties: {name: there, value: already}, options: {import: known}}
  a-imported: {type: 'ancient:Named', properties: {name: there, value: already}, options: {import: known}}
  m-imported: {type: 'mixed:Fixed', properties: {value: already}, options: {import: known}}
  m-chosen: {type: 'mixed:ChosenId', properties: {chosenIdId: known, value: already}, options: {import: known}}
  r-imported: {type: 'raised:Fixed', properties: {value: already}, options: {import: known}}
  r-chosen: {type: 'raised:ChosenId', properties: {chosenIdId: known, value: already}, options: {import: known}}
";

/// A property that is sensitive in the schema is in the project file and in the cloud, and nowhere else; a write-only one is not even there.
fn assert_secrets_are_kept(world: &World) {
    let program = world.sandbox.path("project/Pulumi.yaml");
    let elsewhere = |path: &PathBuf| *path != program && !path.starts_with(world.cloud(""));
    for word in ["hunter2", "hidden-word", "explicit-token", "explicit-key"] {
        let found: Vec<PathBuf> = world.sandbox.files_with(word).into_iter().filter(elsewhere).collect();
        assert_eq!(found, Vec::<PathBuf>::new(), "{word}");
    }
    assert_eq!(world.sandbox.files_with("written-word"), [program]);
    let outputs = stack_outputs(&world.sandbox);
    for secret in [&outputs["vault"], &outputs["raisedVault"], &outputs["entries"]["entries"][0]["owner"]["fullName"]] {
        assert_eq!(world.sandbox.files_with(secret.as_str().unwrap()), Vec::<PathBuf>::new());
    }
}

/// The SHA-256 digests of `written-word` and `written-word too`.
const WRITTEN: &str = "1a97c145a25a300508817c190680cfbe65625f55cf14ac59551869e8132c92a1";
const WRITTEN_LATER: &str = "6037786eaa0caa4c57bbc3897a0ea25773bbb4ccfe11ce3192dfd8988c2076d3";

/// A write-only property reaches the provider with each change: the output is the digest of its value.
fn assert_received(world: &World, digest: &str) {
    let made = wanted(&world.sandbox);
    for name in ["w-secret", "n-secret", "c-primitives"] {
        assert_eq!(made[name]["outputs"]["received"], digest, "{name}");
    }
}

/// Properties that the program does not set have the provider's defaults.
fn assert_defaults_are_known(world: &World) {
    let known = wanted(&world.sandbox);
    let defaults = &known["w-defaults"]["outputs"];
    for (property, value) in [
        ("text", json!("given")),
        ("flag", json!(false)),
        ("whole", json!(7)),
        ("fraction", json!(0.5)),
        ("words", json!([])),
    ] {
        assert_eq!(defaults[property], value, "{property}");
    }
    let numbers = world.things("wide", "numbers").pop_first().unwrap().1;
    assert_eq!(numbers["large_int64"].as_f64(), Some(4_611_686_018_427_387_904.0));
}

#[test]
fn under_outrigger() {
    LIFE.live(Tool::Outrigger);
}

#[test]
fn under_pulumi() {
    LIFE.live(Tool::Pulumi);
}

/// The command imports an existing resource through a provider in the state: it does not know the parameters of the project's packages.
#[test]
fn imported_by_a_command_of_pulumi() {
    let provider = "resources:\n  mine: {type: 'pulumi:providers:wide', properties: {directory: CLOUD/mine}}\n";
    let world = World::new(Tool::Pulumi, &["wide"], provider);
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    world.put("mine", "named", "known", &json!({"id": "known", "name": "there", "value": "already"}));
    let mine = "mine=urn:pulumi:dev::shop::pulumi:providers:wide::mine";
    let what = ["wide:index/named:Named", "found", "known", "--provider", mine];
    // Its code would be generated from the package of the bridge's version, which the state has in place of the provider's.
    let import = [&["import", "--yes", "--protect=false", "--generate-code=false"][..], &what].concat();
    let answer = world.run(&import).ok();
    let found = wanted(&world.sandbox)["found"].clone();
    assert_eq!((&found["id"], &found["outputs"]["value"]), (&json!("known"), &json!("already")), "{}", answer.text());
    // With the imported values the program changes nothing.
    let named =
        "  found: {type: 'wide:Named', properties: {name: there, value: already}, options: {provider: '${mine}'}}\n";
    world.program(&format!("{provider}{named}"));
    for tool in [Tool::Pulumi, Tool::Outrigger] {
        world.run_with(tool, &["preview", "--expect-no-changes"]).ok();
    }
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new());
}
