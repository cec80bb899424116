//! Errors in a program are reported with their places, all at once, before any resource is registered.

use outrigger_syntax::Document;
use outrigger_value::Value;
use outrigger_yaml::program::Program;
use proptest::prelude::*;

use crate::stand_in::{program, run_program, run_with, shown};

/// The findings of a program that must not register anything.
fn refused(text: &str) -> Vec<String> {
    match program(text, &[("shop:taken", Value::from("x"))], "/project".into()) {
        Err(findings) => shown(&findings),
        Ok(program) => {
            let done = run_program(&program, false);
            assert!(done.result.is_err(), "nothing is wrong with {text}");
            assert!(done.records.root && done.records.goals.is_empty() && done.records.outputs.is_none(), "{text}");
            done.reports()
        }
    }
}

#[test]
fn every_mistake_has_its_place() {
    let cases = [
        // Shape.
        ("[]", "1:1 yaml-not-an-object"),
        ("resources: []", "1:12 yaml-wrong-kind"),
        ("resources: {a: 1}", "1:16 yaml-wrong-kind"),
        ("resources: {a: {properties: {}}}", "1:13 yaml-missing-type"),
        ("resources: {a: {type: 5}}", "1:23 yaml-wrong-kind"),
        ("resources: {a: {type: \"${x}\"}}", "1:23 yaml-not-a-literal"),
        ("resources: {a: {type: test:Thing, properties: 5}}", "1:47 yaml-wrong-kind"),
        ("resources: {a: {type: test:Thing, properties: }}", "1:46 yaml-wrong-kind"),
        ("resources: {a: {type: test:Thing, options: {bogus: 1}}}", "1:45 yaml-unknown-key"),
        ("resorces: {a: {type: test:Thing}}", "1:1 yaml-unknown-key"),
        ("resources: {a: {type: test:Thing, options: {retainOnDelete: maybe}}}", "1:61 yaml-wrong-kind"),
        ("resources: {a: {type: test:Thing, get: {state: {}}}}", "1:40 yaml-get-without-id"),
        ("components: {a: {}}", "1:1 yaml-components"),
        ("namespace: x", "1:1 yaml-namespace"),
        // Expressions.
        ("variables: {v: \"${\"}", "1:16 yaml-interpolation"),
        ("variables: {v: {fn::bogus: 1}}", "1:17 yaml-unknown-function"),
        ("variables: {v: {fn::join: [a]}}", "1:27 yaml-function"),
        ("variables: {v: {fn::stringAsset: x, more: 1}}", "1:16 yaml-function"),
        ("variables: {v: {fn::assetArchive: {a: \"${b}\"}}, b: 1}", "1:39 yaml-function"),
        ("variables: {v: {fn::invoke: {arguments: {}}}}", "1:29 yaml-function"),
        ("variables: {v: {fn::invoke: {function: test:echo, argumnets: {}}}}", "1:51 yaml-unknown-key"),
        // Names.
        ("outputs: {o: \"${nobody}\"}", "1:14 yaml-unknown-name"),
        ("resources: {pulumi: {type: test:Thing}}", "1:13 yaml-reserved-name"),
        ("resources: {a: {type: test:Thing}}\nvariables: {a: 1}", "2:13 yaml-duplicate-name"),
        ("resources: {taken: {type: test:Thing}}", "1:13 yaml-duplicate-name"),
        ("variables: {a: \"${b}\", b: \"x ${a}\"}", "1:27 yaml-cycle"),
        ("resources: {a: {type: test:Thing, properties: {text: \"${a.text}\"}}}", "1:54 yaml-cycle"),
        // Types.
        ("resources: {a: {type: test}}", "1:23 yaml-invalid-token"),
        ("resources: {a: {type: gone_thing}}", "1:23 yaml-invalid-token"),
        ("resources: {a: {type: test_thing}, b: {type: test:Thing}}", "1:23 yaml-unknown-type"),
        ("resources: {a: {type: test:Thnig}}", "1:23 yaml-unknown-type"),
        ("resources: {a: {type: gone:Thing}}", "1:23 plugin-missing"),
        ("resources: {a: {type: kubernetes:yaml:ConfigFile}}", "1:23 yaml-unsupported-type"),
        ("resources: {a: {type: test:Thing, options: {version: abc}}}", "1:54 yaml-version"),
        ("resources: {a: {type: test:Thing, text: x}}", "1:35 yaml-unknown-key"),
        ("resources: {a: {type: test:Thing, defaultProvider: true}}", "1:13 yaml-default-provider"),
        ("resources: {a: {type: test:Thing, properties: {txet: x}}}", "1:48 yaml-unknown-property"),
        ("resources: {a: {type: test:Thing, properties: {number: x}}}", "1:56 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {flag: \"true\"}}}", "1:54 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {text: [x]}}}", "1:54 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {color: green}}}", "1:55 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {part: {label: x}}}}", "1:54 yaml-missing-property"),
        ("resources: {a: {type: test:Thing, properties: {part: {size: x}}}}", "1:61 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {part: {size: 1, sise: 2}}}}", "1:64 yaml-unknown-property"),
        ("resources: {a: {type: test:Thing, properties: {parts: [{size: 1}, {size: x}]}}}", "1:74 yaml-type"),
        ("resources: {a: {type: test:Thing, properties: {tags: {a: [x]}}}}", "1:58 yaml-type"),
        ("resources: {a: {type: test:Strict, properties: {}}}", "1:13 yaml-missing-property"),
        ("resources: {a: {type: test:Thing, get: {id: x}, properties: {text: y}}}", "1:13 yaml-get-and-properties"),
        ("resources: {a: {type: test:Thing, get: {id: x, state: {bogus: y}}}}", "1:56 yaml-unknown-property"),
        ("resources: {a: {type: test:Thing}}\noutputs: {o: \"${a.txet}\"}", "2:14 yaml-unknown-property"),
        ("resources: {a: {type: test:Thing}}\noutputs: {o: \"${a.list.x}\"}", "2:14 yaml-access"),
        ("resources: {a: {type: test:Thing}}\noutputs: {o: \"${a.list[\\\"x\\\"]}\"}", "2:14 yaml-access"),
        ("resources: {a: {type: test:Thing, options: {dependsOn: x}}}", "1:56 yaml-type"),
        ("resources: {a: {type: test:Thing, options: {parent: x}}}", "1:53 yaml-type"),
        ("resources: {a: {type: test:Thing, options: {protect: 1}}}", "1:54 yaml-type"),
        ("resources: {a: {type: test:Thing, options: {providers: 5}}}", "1:56 yaml-type"),
        ("variables: {v: {fn::test:ehco: {}}}", "1:17 yaml-unknown-function"),
        ("variables: {v: {fn::invoke: {function: test:echo, return: txt}}}", "1:59 yaml-return"),
        ("variables: {v: {fn::invoke: {function: test:scalar, return: x}}}", "1:61 yaml-return"),
        ("config: {n: {type: number, name: other}}", "1:10 yaml-missing-config"),
        ("config: {taken: {type: boolean}}", "1:10 yaml-config-type"),
    ];
    let wrong: Vec<_> = cases
        .iter()
        .map(|(text, expected)| (text, refused(text), expected))
        .filter(|(_, found, expected)| found != &[**expected])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn mistakes_are_collected() {
    let found = refused(
        "
resources:
  a: {type: test:Thing, properties: {number: x, bogus: 1}}
  b: {type: test:Nothing}
outputs: {o: \"${nobody}\"}
",
    );
    assert_eq!(
        found,
        ["3:46 yaml-type", "3:49 yaml-unknown-property", "4:13 yaml-unknown-type", "5:14 yaml-unknown-name"]
    );
}

#[test]
fn what_pulumi_accepts_is_accepted() {
    let done = run_with(
        "
name: shop
config: {n: {type: number, default: 1}}
resources:
  a:
    type: test:Thing
    properties:
      text: 5
      color: ${free}
      number: ${n}
      any: [1, x, {y: null}]
      tags: {a: 1, b: true}
      parts: []
      part: ${any.thing}
      file: {fn::fileArchive: ./x}
  b: {type: test:Thing, properties: {text: \"${a}\", parts: [{size: 1, label: \"${a.id}\"}]}}
variables:
  any: {fn::secret: \"${a2.any}\"}
  called: {fn::invoke: {function: test:echo, arguments: {bogus: 1}}}
",
        &[
            ("shop:n", 2.0.into()),
            ("shop:free", "green".into()),
            (
                "shop:a2",
                Value::Map(
                    [(
                        "any".to_owned(),
                        Value::Map([("thing".to_owned(), Value::Map([("size".to_owned(), 1.0.into())].into()))].into()),
                    )]
                    .into(),
                ),
            ),
        ],
        false,
    );
    assert_eq!(done.reports(), ["~19:58 yaml-unknown-argument"]);
    assert_eq!(done.result, Ok(()));
}

#[test]
fn what_pulumi_only_warns_of_is_only_warned_of() {
    let done = run_with(
        "
name: shop
pulumi: {more: 1}
config: {n: {type: number, default: 1, more: 1}}
resources:
  a: {type: test:Thing, options: {customTimeouts: {make: 5m}}}
  b: {type: test:Thing, get: {id: x, more: 1}}
variables:
  v: {fn::invoke: {function: test:echo, options: {more: 1}}}
",
        &[],
        false,
    );
    let expected = ["3:10", "4:40", "6:52", "7:38", "9:51"].map(|place| format!("~{place} yaml-unknown-key"));
    assert_eq!(done.reports(), expected);
    assert_eq!(done.result, Ok(()));
}

#[test]
fn mistakes_at_run_time_have_their_place() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("outputs: {o: \"${v.a.b}\"}\nvariables: {v: {fn::secret: {a: null}}}", "1:14 yaml-access"),
        ("outputs: {o: \"${list[5]}\"}\nvariables: {list: [1]}", "1:14 yaml-access"),
        ("outputs: {o: \"x ${a}\"}\nresources: {a: {type: test:Thing}}", "1:14 yaml-text"),
        ("outputs: {o: {fn::join: [\"-\", [1]]}}", "1:31 yaml-function"),
        ("outputs: {o: {fn::select: [9, [1]]}}", "1:31 yaml-access"),
        ("outputs: {o: {fn::select: [1.5, [1]]}}", "1:28 yaml-function"),
        ("outputs: {o: {fn::readFile: /does/not/exist}}", "1:29 yaml-function"),
        ("outputs: {o: {fn::length: 1}}", "1:27 yaml-function"),
        ("outputs: {o: {fn::singleOrNone: [1, 2]}}", "1:33 yaml-function"),
        ("outputs: {o: {fn::pulumiResourceName: x}}", "1:39 yaml-function"),
        ("outputs: {o: {fn::toJSON: \"${a}\"}}\nresources: {a: {type: test:Thing}}", "1:14 yaml-function"),
        ("outputs: {o: {\"${n}\": 1}}\nvariables: {n: 5}", "1:15 yaml-key"),
        ("resources: {a: {type: test:Thing, options: {customTimeouts: {create: soon}}}}", "1:70 yaml-option"),
        ("resources: {a: {type: test:Thing, options: {aliases: [nonsense]}}}", "1:55 yaml-option"),
        ("resources: {a: {type: test:Thing, options: {aliases: [{nmae: x}]}}}", "1:56 yaml-unknown-key"),
        (
            "resources: {a: {type: test:Thing, options: {provider: \"${b}\"}}, b: {type: test:Thing}}",
            "1:55 yaml-option",
        ),
        (
            "resources: {a: {type: test:Thing, options: {protect: \"${b.any}\"}}, b: {type: test:Thing, properties: {any: true}}}",
            "1:54 yaml-option",
        ),
        ("pulumi: {requiredVersion: \">=99.0.0\"}", "1:27 yaml-required-version"),
    ] {
        let done = run_with(&format!("{text}\nname: shop"), &[], false);
        if done.result.is_ok() || done.reports() != [expected] {
            wrong.push((text, done.reports(), expected));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const PROGRAMS: &[&str] = &[
    "name: shop\nresources:\n  a:\n    type: test:Thing\n    properties: {text: \"${b.list[0]}\", part: {size: 1}}\n    options: {dependsOn: [\"${b}\"], aliases: [{name: x}]}\n  b: {type: test:Thing, get: {id: x}}\nvariables: {v: {fn::invoke: {function: test:echo, arguments: {text: x}, return: text}}}\noutputs: {o: \"$$ ${v} ${a[\\\"text\\\"]}\"}\n",
    "variables:\n  a: {fn::join: [\"\", [x, \"${b}\"]]}\n  b: {fn::select: [0, {fn::split: [\",\", \"a,b\"]}]}\n  c: {fn::assetArchive: {x: {fn::fileAsset: y}}}\n  d: {fn::stackReference: [s, o]}\n  e: {fn::test:scalar: {text: \"${pulumi.cwd}\"}}\nconfig: {n: {type: number, default: 3}}\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// No file can make parsing, checking or running panic.
    #[test]
    fn mutated_programs_do_not_panic(
        which in 0..PROGRAMS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"${}[]:\"'.,|-& \naetx0\\".to_vec()), any::<bool>()), 1..8),
    ) {
        let mut bytes = PROGRAMS[which].as_bytes().to_vec();
        for (at, sign, insert) in changes {
            let at = at.index(bytes.len());
            if insert { bytes.insert(at, sign) } else { bytes[at] = sign }
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(document) = Document::parse("Pulumi.yaml", text.as_str()) {
            Program::parse(&document);
        }
        if let Ok(program) = program(&text, &[], "/nowhere".into()) {
            run_program(&program, false);
        }
    }
}
