//! The registrations that a program makes.

use outrigger_provider::{Alias, AliasParent, Program as _};
use outrigger_value::{ArchiveSource, AssetSource, OutputValue, PropertyMap, Value};

use crate::stand_in::{preview, program, run, run_program, run_with, thing, urn};

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<PropertyMap>())
}

#[test]
fn dependencies_follow_values() {
    let done = run("
name: shop
variables:
  pair: {left: \"${a.text}\", right: \"${b.key}\"}
resources:
  c:
    type: test:Thing
    properties:
      text: ${a.text}
      any: {inner: [\"${b.id}\", plain], none: null}
      number: 5
      tags: {x: \"${pair.left}\"}
      part: null
    options: {dependsOn: [\"${d}\"]}
  a: {type: test:Thing, properties: {text: hello}}
  b: {type: test:Thing}
  d: {type: test:Thing}
outputs:
  whole: ${pair}
  res: ${a}
  gone: null
");
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    let c = done.goal("c");
    assert_eq!(c.dependencies, [thing("a"), thing("b"), thing("d")]);
    let by_property: Vec<_> = c.property_dependencies.iter().map(|(k, v)| (k.as_str(), v.clone())).collect();
    assert_eq!(
        by_property,
        [
            ("any", vec![thing("b")]),
            ("number", vec![]),
            // A part of an object with outputs in it waits for all of them.
            ("tags", vec![thing("a"), thing("b")]),
            ("text", vec![thing("a")]),
        ]
    );
    assert_eq!(c.inputs["any"], map(&[("inner", Value::List(vec!["id-b".into(), "plain".into()]))]));
    assert_eq!(c.inputs["tags"], map(&[("x", Value::secret("hello".into()))]));
    assert!(c.custom && c.parent.is_none() && c.provider.is_none());
    assert_eq!(c.package.as_ref().unwrap().version.as_deref(), Some("1.0.0"));
    assert_eq!(c.source.as_ref().unwrap().to_string(), "Pulumi.yaml:6:3");
    let stands = |path: &str| c.places.of(&path.parse().unwrap()).map(|place| place.to_string());
    for (path, place) in [
        ("number", Some("Pulumi.yaml:11:15")),
        ("any.inner[1]", Some("Pulumi.yaml:10:32")),
        // A part that is not literal has the place of the innermost literal that contains it.
        ("any.inner[7].further", Some("Pulumi.yaml:10:20")),
        ("text.further", Some("Pulumi.yaml:9:13")),
        ("other", None),
    ] {
        assert_eq!(stands(path).as_deref(), place, "{path}");
    }
    assert_eq!(
        done.output("whole"),
        Some(&Value::secret(map(&[("left", "hello".into()), ("right", "s3cr3t".into())])))
    );
    assert!(matches!(done.output("res"), Some(Value::Resource(reference)) if reference.urn == thing("a")));
    assert_eq!(done.output("gone"), None);
}

#[test]
fn expressions_and_functions() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.txt"), "hi").unwrap();
    let text = "
name: shop
config: {size: 1048576}
variables:
  list: [a, b, 1.5]
  nested: {x: {y: [10, 20]}}
resources:
  r: {type: test:Thing, properties: {text: t}}
outputs:
  text: \"$$ ${size} ${flag} ${list} ${nested} ${none}\"
  number: ${size}
  own: ${shop:size}
  foreign: ${aws:region}
  deep: ${nested.x.y[1]}
  builtin: \"${pulumi.project} ${pulumi.stack} ${pulumi.organization}\"
  join: {fn::join: [\"-\", [a, \"${r.text}\"]]}
  split: {fn::split: [\",\", \"a,b,\"]}
  select: {fn::select: [1, \"${r.list}\"]}
  json: {fn::toJSON: {b: \"<\", a: [1, true, null]}}
  base64: {fn::toBase64: hi}
  unbase64: {fn::fromBase64: aGk=}
  secret: {fn::secret: {a: b}}
  unsecret: {fn::unsecret: \"${r.key}\"}
  read: {fn::readFile: a.txt}
  file64: {fn::filebase64: a.txt}
  sha256: {fn::filebase64sha256: a.txt}
  sha1: {fn::sha1: hi}
  length: {fn::length: \"e\\u0301x\"}
  single: {fn::singleOrNone: [x]}
  name: {fn::pulumiResourceName: \"${r}\"}
  type: {fn::pulumiResourceType: \"${r}\"}
  asset: {fn::fileAsset: ./a.txt}
  archive: {fn::assetArchive: {a: {fn::stringAsset: x}, b: {fn::fileArchive: ./dir}}}
  key: {\"${r.text}-key\": 1}
  friend: ${r.friend.text}
  friendId: ${r.friend.id}
";
    let config = [
        ("shop:size", Value::from(1_048_576.0)),
        ("shop:flag", true.into()),
        ("shop:none", Value::Null),
        ("aws:region", "eu".into()),
    ];
    let program = program(text, &config, directory.path().to_owned()).unwrap();
    let done = run_program(&program, false);
    assert_eq!(done.result, Ok(()), "{:#?}", done.records.reports);
    let strings = |items: &[&str]| Value::List(items.iter().map(|item| Value::from(*item)).collect());
    for (name, expected) in [
        ("text", Value::from("$ 1.048576e+06 true [a b 1.5] map[x:map[y:[10 20]]] <nil>")),
        ("number", 1_048_576.0.into()),
        ("own", 1_048_576.0.into()),
        ("foreign", "eu".into()),
        ("deep", 20.0.into()),
        ("builtin", "shop dev organization".into()),
        ("join", "a-t".into()),
        ("split", strings(&["a", "b", ""])),
        ("select", "b".into()),
        ("json", r#"{"a":[1,true,null],"b":"\u003c"}"#.into()),
        ("base64", "aGk=".into()),
        ("unbase64", "hi".into()),
        ("secret", Value::secret(map(&[("a", "b".into())]))),
        ("unsecret", "s3cr3t".into()),
        ("read", "hi".into()),
        ("file64", "aGk=".into()),
        ("sha256", "j0NDRmSPa5bfid2pAcUXaxCm2Dlh3TwayItZstwyeqQ=".into()),
        ("sha1", "c22b5f9178342609428d6f51b2c5af4c0bde6a42".into()),
        ("length", 2.0.into()),
        ("single", "x".into()),
        ("name", "r".into()),
        ("type", "test:index/thing:Thing".into()),
        ("key", map(&[("t-key", 1.0.into())])),
        ("friend", "far".into()),
        ("friendId", "f".into()),
    ] {
        assert_eq!(done.output(name), Some(&expected), "{name}");
    }
    assert!(
        matches!(done.output("asset"), Some(Value::Asset(asset)) if asset.source == AssetSource::Path("./a.txt".to_owned()))
    );
    let Some(Value::Archive(archive)) = done.output("archive") else { panic!() };
    assert!(matches!(&archive.source, ArchiveSource::Assets(assets) if assets.len() == 2));
}

#[test]
fn a_preview_knows_what_it_does_not_know() {
    let done = preview(
        "
name: shop
resources:
  a: {type: test:Thing, properties: {text: t}}
  b:
    type: test:Thing
    properties:
      text: ${a.text}
      any: {id: \"${a.id}\", key: \"${a.key}\", plain: x, text: \"id=${a.id}\"}
  c: {type: test:Thing, get: {id: \"${a.id}\"}}
variables:
  called: {fn::test:echo: {text: \"${a.id}\"}}
outputs:
  all: {known: x, unknown: \"${a.id}\"}
  called: ${called.text}
",
    );
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    assert_eq!(done.input("b", "text"), &Value::from("t"));
    let unknown = Value::Unknown;
    let expected =
        map(&[("id", unknown.clone()), ("key", unknown.clone()), ("plain", "x".into()), ("text", unknown.clone())]);
    assert_eq!(done.input("b", "any"), &expected);
    assert_eq!(done.output("all"), Some(&unknown));
    assert_eq!(done.output("called"), Some(&unknown));
    assert!(done.records.invokes.is_empty());
    assert_eq!(done.records.reads[0].id, Some(unknown));
}

#[test]
fn secrets_come_from_config_schema_and_functions() {
    let config = [("shop:pw", Value::secret("canary".into()))];
    let done = run_with(
        "
name: shop
resources:
  a:
    type: test:Thing
    properties: {text: \"x ${pw} y\", password: plain, any: {p: \"${pw}\", q: r}}
    options: {additionalSecretOutputs: [text]}
variables:
  called: {fn::invoke: {function: test:echo, arguments: {text: \"${pw}\"}, return: text}}
outputs:
  called: ${called}
",
        &config,
        false,
    );
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    assert_eq!(done.input("a", "text"), &Value::secret("x canary y".into()));
    assert_eq!(done.input("a", "password"), &Value::secret("plain".into()));
    assert_eq!(done.input("a", "any"), &map(&[("p", Value::secret("canary".into())), ("q", "r".into())]));
    assert_eq!(done.goal("a").additional_secret_outputs, ["text", "key"]);
    assert_eq!(done.goal("a").replace_on_changes, ["key"]);
    assert_eq!(done.records.invokes[0].arguments["text"], "canary".into());
    assert_eq!(done.output("called"), Some(&Value::secret("canary".into())));
    assert!(!format!("{:?} {:?}", done.records.outputs, done.records.goals).contains("canary"));
}

#[test]
fn options_reach_the_goal() {
    let done = run("
name: shop
resources:
  p: {type: pulumi:providers:test, properties: {token: t}, options: {envVarMappings: {NEW: OLD}}}
  a: {type: test:Thing, options: {provider: \"${p}\"}}
  b:
    type: test:index:Thing
    name: other
    properties: {text: \"${a.text}\"}
    options:
      parent: ${a}
      protect: ${yes}
      ignoreChanges: [text]
      replaceOnChanges: [\"tags.*\"]
      hideDiffs: [number]
      retainOnDelete: true
      deleteBeforeReplace: false
      import: some-id
      version: v2.1
      pluginDownloadURL: https://example.com
      customTimeouts: {create: 5m, delete: 1h30m}
      deletedWith: ${a}
      replaceWith: [\"${a}\"]
      replacementTrigger: ${a.id}
      aliases:
        - urn:pulumi:dev::shop::test:index:Thing::old
        - {name: older, noParent: true}
        - {type: x:y:Z, parent: \"${p}\"}
variables:
  yes: true
  called: {fn::invoke: {function: test:index:echo, options: {parent: \"${b}\", dependsOn: [\"${a}\"]}}}
outputs: {called: \"${called.length}\"}
");
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    let provider = done.goal("p");
    assert_eq!(provider.inputs["token"], Value::secret("t".into()));
    assert_eq!(provider.package.as_ref().unwrap().env_var_mappings["NEW"], "OLD");
    let reference = done.goal("a").provider.clone().unwrap();
    assert_eq!((reference.urn.clone(), reference.id.as_str()), (urn("pulumi:providers:test", "p"), "id-p"));
    let b = done.goal("other");
    assert_eq!(b.ty, "test:index/thing:Thing");
    assert_eq!(b.provider, Some(reference.clone()), "inherited from the parent");
    assert_eq!(b.parent, Some(thing("a")));
    assert_eq!((b.protect, b.retain_on_delete, b.delete_before_replace), (Some(true), Some(true), Some(false)));
    assert_eq!((b.ignore_changes.clone(), b.hide_diffs.clone()), (vec!["text".to_owned()], vec!["number".to_owned()]));
    assert_eq!(b.replace_on_changes, ["tags.*", "key"]);
    assert_eq!(b.import_id.as_deref(), Some("some-id"));
    let package = b.package.clone().unwrap();
    assert_eq!(
        (package.version.as_deref(), package.download_url.as_deref()),
        (Some("2.1.0"), Some("https://example.com"))
    );
    assert_eq!((b.custom_timeouts.create, b.custom_timeouts.delete), (300.0, 5400.0));
    assert_eq!((b.deleted_with.clone(), b.replace_with.clone()), (Some(thing("a")), vec![thing("a")]));
    assert_eq!(b.replacement_trigger, Some("id-a".into()));
    assert_eq!(b.dependencies, [thing("a")]);
    let spec = |name: Option<&str>, ty: Option<&str>, parent: AliasParent| Alias::Spec {
        name: name.map(str::to_owned),
        ty: ty.map(str::to_owned),
        stack: None,
        project: None,
        parent,
    };
    assert_eq!(
        b.aliases,
        [
            Alias::Urn(urn("test:index:Thing", "old")),
            spec(Some("older"), None, AliasParent::None),
            spec(None, Some("x:y:Z"), AliasParent::Urn(urn("pulumi:providers:test", "p"))),
            spec(None, Some("test:index:OldThing"), AliasParent::Same),
        ]
    );
    assert_eq!(done.records.invokes[0].provider, Some(reference));
}

#[test]
fn default_providers_reads_and_stack_references() {
    let done = run("
name: shop
resources:
  a: {type: test:Thing}
  prov: {type: pulumi:providers:test, defaultProvider: true}
  got: {type: test:Thing, get: {id: abc, state: {text: x}}}
  ref: {type: pulumi:pulumi:StackReference, properties: {name: org/p/s}}
  stash: {type: pulumi:Stash, properties: {input: \"${ref.outputs.s}\"}}
  strict: {type: test:Strict, properties: {must: x}}
variables:
  called: {fn::test:scalar: {text: x}}
outputs:
  x: ${ref.outputs[\"x\"]}
  none: ${ref.outputs.nothing}
  old: {fn::stackReference: [org/p/s2, x]}
  again: {fn::stackReference: [org/p/s2, s]}
  scalar: ${called}
");
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    let provider = Some(urn("pulumi:providers:test", "prov"));
    assert_eq!(done.goal("a").provider.as_ref().map(|p| p.urn.clone()), provider);
    assert_eq!(done.records.invokes[0].provider.as_ref().map(|p| p.urn.clone()), provider);
    let got = done.records.reads.iter().find(|read| read.name == "got").unwrap();
    assert_eq!((got.id.clone(), got.properties["text"].clone()), (Some("abc".into()), "x".into()));
    assert_eq!(got.provider.as_ref().map(|p| p.urn.clone()), provider);
    let reference = done.records.reads.iter().find(|read| read.name == "ref").unwrap();
    assert_eq!(
        (reference.id.clone(), reference.properties["name"].clone()),
        (Some("org/p/s".into()), "org/p/s".into())
    );
    assert_eq!(done.records.reads.iter().filter(|read| read.name == "org/p/s2").count(), 1);
    assert_eq!(done.goal("stash").ty, "pulumi:index:Stash");
    assert_eq!(done.input("stash", "input"), &Value::secret("hidden".into()));
    assert_eq!(done.input("strict", "kind"), &Value::from("Strict"));
    assert_eq!((done.output("x"), done.output("none")), (Some(&"plain".into()), Some(&Value::Null)));
    assert_eq!(
        (done.output("old"), done.output("again")),
        (Some(&"plain".into()), Some(&Value::secret("hidden".into())))
    );
    assert_eq!(done.output("scalar"), Some(&"x".into()));
}

#[test]
fn whole_properties_from_one_expression() {
    let done = run("
name: shop
variables:
  plain: {text: x, number: 1}
resources:
  a: {type: test:Thing, properties: \"${plain}\"}
  b: {type: test:Thing, properties: {any: \"${a.text}\"}}
  c: {type: test:Thing, properties: \"${mixed}\"}
outputs: {}
"
    .replace("variables:\n", "variables:\n  mixed: {text: \"${a.text}\", number: 2}\n")
    .as_str());
    assert_eq!(done.result, Ok(()), "{:?}", done.reports());
    assert_eq!(done.goal("a").inputs.keys().collect::<Vec<_>>(), ["number", "text"]);
    let c = done.goal("c");
    assert_eq!((c.inputs["text"].clone(), c.inputs["number"].clone()), ("x".into(), 2.0.into()));
    assert_eq!(c.property_dependencies["number"], [thing("a")]);
}

#[test]
fn a_failure_stops_what_depends_on_it_and_nothing_else() {
    let done = run("
name: shop
resources:
  broken: {type: test:Thing}
  after: {type: test:Thing, properties: {text: \"${v}\"}}
  independent: {type: test:Thing}
variables:
  v: ${broken.text}
outputs:
  lost: ${after.id}
  kept: ${independent.id}
");
    assert!(done.result.is_err());
    assert!(done.reports().is_empty(), "the engine has said it: {:?}", done.reports());
    assert_eq!(done.records.goals.iter().map(|goal| goal.name.as_str()).collect::<Vec<_>>(), ["independent"]);
    assert_eq!((done.output("lost"), done.output("kept")), (None, Some(&"id-independent".into())));
}

#[test]
fn after_an_error_nothing_later_is_registered() {
    let done = run("
name: shop
resources:
  first: {type: test:Thing}
  wrong: {type: test:Thing, properties: {text: {fn::fromBase64: \"*\"}}}
  later: {type: test:Thing}
");
    assert!(done.result.is_err());
    assert_eq!(done.reports(), ["5:65 yaml-function"]);
    assert_eq!(done.records.goals.iter().map(|goal| goal.name.as_str()).collect::<Vec<_>>(), ["first"]);
}

/// Forty lines of which each repeats the one before it ask for a terabyte.
#[test]
fn values_that_repeat_each_other_are_refused_at_their_place() {
    let kinds = [
        "\"${LAST}${LAST}\"",
        "[\"${LAST}\", \"${LAST}\"]",
        "{a: \"${LAST}\", b: \"${LAST}\"}",
        "{fn::toJSON: [\"${LAST}\"]}",
    ];
    for kind in kinds.into_iter().chain(["{fn::join: [\"${LAST}\", [\"${LAST}\", \"${LAST}\"]]}"]) {
        let mut text = "name: shop\nvariables:\n  v0: \"0123456789\\\"\"\n".to_owned();
        for index in 1..=40 {
            text.push_str(&format!("  v{index}: {}\n", kind.replace("LAST", &format!("v{}", index - 1))));
        }
        let done = run(&text);
        assert!(done.result.is_err(), "{kind}");
        let [report] = &done.reports()[..] else { panic!("{kind}: {:?}", done.reports()) };
        assert!(report.ends_with(" yaml-value-too-large"), "{kind}: {report}");
    }
    let split = "name: shop\nvariables:\n  v: {fn::split: [\"\", \"TEXT\"]}\n".replace("TEXT", &"x".repeat(3 << 20));
    assert_eq!(run(&split).reports(), ["3:6 yaml-value-too-large"]);
    let large =
        "name: shop\nvariables:\n  v: \"TEXT\"\n  w: [\"${v}\", \"${v}\"]\n".replace("TEXT", &"x".repeat(4 << 20));
    assert_eq!(run(&large).result, Ok(()));
}

#[test]
fn ten_thousand_resources_in_a_chain() {
    let mut text = String::from("name: shop\nresources:\n  r0: {type: test:Thing, properties: {text: x}}\n");
    for number in (1..10_000).rev() {
        text.push_str(&format!(
            "  r{number}: {{type: test:Thing, properties: {{text: \"${{r{}.text}}\"}}}}\n",
            number - 1
        ));
    }
    let done = run(&text);
    assert_eq!(done.result, Ok(()));
    assert_eq!(done.records.goals.len(), 10_000);
    assert_eq!(done.records.goals[9_999].dependencies, [thing("r9998")]);
}

#[test]
fn required_packages_come_from_lock_files_or_first_mentions() {
    let text = "
name: shop
resources:
  a: {type: other:Thing, options: {version: 1.2, pluginDownloadURL: https://x}}
  b: {type: other:Thing, options: {version: 9.9.9}}
  c: {type: pulumi:providers:third}
  d: {type: test:Thing, options: {version: 7.0.0}}
  e: {type: pulumi:pulumi:StackReference}
variables: {v: {fn::fourth:mod:func: {}}}
"
    .replace("version: 1.2,", "version: '1.2',");
    let program = program(&text, &[], "/project".into()).unwrap();
    let packages: Vec<_> =
        program.required_packages().into_iter().map(|p| (p.name, p.version, p.download_url)).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        packages,
        [
            ("fourth".to_owned(), None, None),
            ("other".to_owned(), some("1.2.0"), some("https://x")),
            ("test".to_owned(), some("1.0.0"), None),
            ("third".to_owned(), None, None),
        ]
    );
}

#[test]
fn a_component_gets_outputs_with_where_they_came_from() {
    let done = run("
resources:
  p: {type: pulumi:providers:test}
  a: {type: test:Thing}
  c:
    type: test:Component
    properties: {text: \"${a.key}\", any: [\"${a}\", plain, \"${a.id}\"]}
    options: {providers: [\"${p}\"]}
  child: {type: test:Thing, options: {parent: \"${c}\"}}
");
    let goal = done.goal("c");
    assert!(goal.remote && !goal.custom);
    let from_a = |value: Value, secret| {
        Value::Output(Box::new(OutputValue { value: Some(value), secret, dependencies: vec![thing("a")] }))
    };
    assert_eq!(goal.inputs["text"], from_a("s3cr3t".into(), true));
    let Value::List(items) = &goal.inputs["any"] else { panic!("{:?}", goal.inputs) };
    assert!(matches!(&items[0], Value::Resource(reference) if reference.urn == thing("a")));
    assert_eq!(items[1..], ["plain".into(), from_a("id-a".into(), false)]);
    assert_eq!(goal.property_dependencies["any"], [thing("a")]);
    assert_eq!(goal.providers["test"].urn, urn("pulumi:providers:test", "p"));
    assert_eq!(goal.provider.as_ref().map(|provider| &provider.urn), Some(&urn("pulumi:providers:test", "p")));
    let child = done.goal("child");
    assert_eq!(child.provider.as_ref().map(|provider| &provider.urn), Some(&urn("pulumi:providers:test", "p")));
}
