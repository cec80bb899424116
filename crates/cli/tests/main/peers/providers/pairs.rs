//! The same program under both engines: the same resources, the same outputs, and neither sees anything to do for the other.

use serde_json::Value as Json;

use super::life::{outputs, project, stack_outputs, wanted};
use crate::sandbox::Sandbox;

/// The package, its version, and a program that uses it.
const PROGRAMS: [(&str, &str, &str); 10] = [
    (
        "any-handled",
        "42.0.0",
        "
resources:
  it: {type: 'any-handled:Resource', properties: {value: {a: [1, two, true], b: {c: null}}}}
outputs: {it: '${it.value}'}
",
    ),
    (
        "call",
        "15.7.9",
        "
resources:
  own: {type: 'pulumi:providers:call', properties: {value: mine}, options: {version: 15.7.9}}
  it: {type: 'call:Custom', properties: {value: text}, options: {provider: '${own}'}}
outputs: {it: '${it.value}'}
",
    ),
    (
        "config-enum",
        "41.0.0",
        "
resources:
  own:
    type: pulumi:providers:config-enum
    properties: {aEnum: two, aString: text}
    options: {version: 41.0.0}
  it:
    type: config-enum:Resource
    properties: {theEnum: two, theString: text}
    options: {provider: '${own}'}
outputs: {it: '${it.theEnum}'}
",
    ),
    (
        "configurer",
        "38.0.0",
        "
resources:
  it: {type: 'configurer:Configurer', properties: {providerConfig: text}}
outputs: {it: '${it.urn}'}
",
    ),
    ("constant", "43.0.0", "
resources:
  it: {type: 'constant:Resource', properties: {kind: Constant}}
outputs: {it: '${it.kind}'}
"),
    (
        "index-mod",
        "35.0.0",
        "
resources:
  a: {type: 'index-mod:indexMine:Resource', properties: {text: '${called.result}'}}
  b: {type: 'index-mod:indexMine/nested:Resource', properties: {text: far}}
variables:
  called: {fn::index-mod:indexMine:concatWorld: {value: hello}}
outputs: {a: '${a.text}', b: '${b.text}'}
",
    ),
    (
        "module-format",
        "29.0.0",
        "
resources:
  a: {type: 'module-format:mod_Resource:Resource', properties: {text: '${called.result}'}}
  b: {type: 'module-format:mod/nested_Resource:Resource', properties: {text: far}}
variables:
  called: {fn::invoke: {function: 'module-format:mod_concatWorld:concatWorld', arguments: {value: hello}}}
outputs: {a: '${a.text}', b: '${b.text}'}
",
    ),
    (
        "optional-primitive-ref",
        "40.0.0",
        "
resources:
  full:
    type: optional-primitive-ref:Resource
    properties:
      data: {boolean: true, float: 1.5, integer: 7, string: text, numberArray: [1, 2.5], booleanMap: {a: true}}
  empty: {type: 'optional-primitive-ref:Resource', properties: {data: {}}}
outputs: {full: '${full.data}', empty: '${empty.data}'}
",
    ),
    (
        "optionalprimitive",
        "34.0.0",
        "
resources:
  full:
    type: optionalprimitive:Resource
    properties: {boolean: true, float: 1.5, integer: 7, string: text, numberArray: [1, 2.5], booleanMap: {a: true}}
  empty: {type: 'optionalprimitive:Resource'}
  taken:
    type: optionalprimitive:Resource
    properties: {string: '${full.string}', integer: '${empty.integer}'}
outputs: {full: '${full.numberArray}', empty: '${empty.string}'}
",
    ),
    (
        "snake_names",
        "33.0.0",
        "
resources:
  a: {type: 'snake_names:cool_module:some_resource', properties: {the_input: true, nested: {nested_value: deep}}}
  b: {type: 'snake_names:cool_module:another_resource', properties: {the_input: '${called.nested_output[0][\"key\"].value}'}}
variables:
  called:
    fn::snake_names:cool_module:some_data: {the_input: '${a.the_output[\"someKey\"][0].nested_output}', nested: [{value: fuzzy}]}
",
    ),
];

#[test]
fn the_same_under_both() {
    for (package, version, program) in PROGRAMS {
        let ours = project(&[(package, version)], program);
        let theirs = project(&[(package, version)], program);
        let (our, their) = (ours.outrigger(&["up", "--yes"]), theirs.pulumi(&["up", "--yes", "--skip-preview"]));
        assert_eq!(our.code, their.code, "{package}:\n{}\n{}", our.text(), their.text());
        our.ok();
        assert_eq!(masked(outputs(&wanted(&ours))), masked(outputs(&wanted(&theirs))), "{package}");
        assert_eq!(stack_outputs(&ours), stack_outputs(&theirs), "{package}");
        // Some of them cannot compare: then neither engine can check its own work, nor the other's.
        let looks = |sandbox: &Sandbox| {
            let arguments = ["preview", "--expect-no-changes"];
            [sandbox.outrigger(&arguments).code == 0, sandbox.pulumi(&arguments).code == 0]
        };
        let can_compare = !["index-mod", "module-format", "optionalprimitive"].contains(&package);
        assert_eq!((looks(&ours), looks(&theirs)), ([can_compare; 2], [can_compare; 2]), "{package}");
    }
}

/// Without the ids of references: providers get new ones each time.
fn masked(value: Json) -> Json {
    match value {
        Json::Object(mut object) => {
            if object.contains_key("4dabf18193072939515e22adb298388d") {
                object.remove("id");
            }
            object.into_iter().map(|(key, value)| (key, masked(value))).collect()
        }
        Json::Array(items) => items.into_iter().map(masked).collect(),
        other => other,
    }
}

/// This schema refers to a type of another package, which is read only where it is needed; `pulumi` wants that package first.
#[test]
fn a_type_of_a_package_that_is_not_there() {
    let program = "resources:\n  it: {type: 'docs:Resource', properties: {in: true, externalEnum: three}}\n";
    let ours = project(&[("docs", "28.0.0")], program);
    ours.outrigger(&["up", "--yes"]).ok();
    ours.outrigger(&["preview", "--expect-no-changes"]).ok();
}

/// Packages whose schema is broken, or describes features of other languages only: both engines reject them.
#[test]
fn refused_by_both() {
    let programs = [
        ("bad", "3.0.0", "resources:\n  it: {type: 'bad:Resource', properties: {value: 1}}\n"),
        ("builtin-info-component", "37.0.0", "resources:\n  it: {type: 'builtin-info-component:BuiltinInfo'}\n"),
        (
            "conformance-component",
            "22.0.0",
            "resources:\n  it: {type: 'conformance-component:Simple', properties: {value: true}}\n",
        ),
    ];
    for (package, version, program) in programs {
        let ours = project(&[(package, version)], program);
        let theirs = project(&[(package, version)], program);
        let (our, their) = (ours.outrigger(&["up", "--yes"]), theirs.pulumi(&["up", "--yes", "--skip-preview"]));
        assert_ne!(their.code, 0, "{package}:\n{}", their.text());
        assert_ne!(our.code, 0, "{package}:\n{}", our.text());
        assert!(our.text().contains(package), "{package}:\n{}", our.text());
    }
}
