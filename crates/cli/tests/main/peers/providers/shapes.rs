//! Values of every shape: how they come back, and the effect of an edit.

use serde_json::json;

use super::life::{Change, Life, Refreshed, stack_outputs};

#[test]
fn simple() {
    Life {
        made: json!({"a": {"value": true}, "b": {"value": true}}),
        edit: ["Pulumi.yaml", "flag: true", "flag: false"],
        changes: &[("a", Change::Updated), ("b", Change::Updated)],
        edited: json!({"a": {"value": false}, "b": {"value": false}}),
        // It always reads true, whatever it was given.
        refreshed: Refreshed::Drifted(json!({"a": {"value": true}, "b": {"value": true}})),
        ..Life::of(
            &[("simple", "2.0.0")],
            "
variables:
  flag: true
resources:
  a: {type: 'simple:Resource', properties: {value: '${flag}'}}
  b: {type: 'simple:Resource', properties: {value: '${a.value}'}}
",
        )
    }
    .live();
}

#[test]
fn primitive() {
    let it = |string: &str| {
        json!({"it": {
            "boolean": true, "float": 3.5, "integer": 42, "string": string,
            "numberArray": [-1, 0, 1.25], "booleanMap": {"t": true, "f": false},
        }})
    };
    Life {
        made: it("hello"),
        edit: ["Pulumi.yaml", "hello", "good bye"],
        changes: &[("it", Change::Replaced)],
        edited: it("good bye"),
        ..Life::of(
            &[("primitive", "7.0.0")],
            "
resources:
  it:
    type: primitive:Resource
    properties:
      boolean: true
      float: 3.5
      integer: 42
      string: hello
      numberArray: [-1, 0, 1.25]
      booleanMap: {t: true, f: false}
    options:
      # It has no Update.
      replaceOnChanges: [string]
",
        )
    }
    .live();
}

#[test]
fn primitive_defaults() {
    let it = |integer: u32| json!({"it": {"boolean": true, "float": 1.5, "integer": integer, "string": "own"}});
    Life {
        made: it(1),
        edit: ["Pulumi.yaml", "integer: 1", "integer: 7"],
        changes: &[("it", Change::Updated)],
        edited: it(7),
        ..Life::of(
            &[("primitive-defaults", "8.0.0")],
            "
resources:
  it: {type: 'primitive-defaults:Resource', properties: {boolean: true, float: 1.5, integer: 1, string: own}}
",
        )
    }
    .live();
}

#[test]
fn replaceonchanges() {
    let all = |flag: bool| {
        json!({
            "bySchema": {"value": true, "replaceProp": flag},
            "byOption": {"value": flag},
            "inPlace": {"value": flag},
            "untouched": {"value": true},
        })
    };
    Life {
        made: all(true),
        edit: ["Pulumi.yaml", "flag: true", "flag: false"],
        changes: &[("bySchema", Change::Replaced), ("byOption", Change::Replaced), ("inPlace", Change::Updated)],
        edited: all(false),
        ..Life::of(
            &[("replaceonchanges", "25.0.0")],
            "
variables:
  flag: true
resources:
  bySchema: {type: 'replaceonchanges:ResourceA', properties: {value: true, replaceProp: '${flag}'}}
  byOption:
    type: replaceonchanges:ResourceB
    properties: {value: '${flag}'}
    options: {replaceOnChanges: [value], deleteBeforeReplace: true}
  inPlace: {type: 'replaceonchanges:ResourceB', properties: {value: '${flag}'}}
  untouched:
    type: replaceonchanges:ResourceB
    properties: {value: true}
    options: {replaceOnChanges: [value]}
",
        )
    }
    .live();
}

#[test]
fn output() {
    let all = |value: u32, text: &str| {
        json!({
            "plain": {"value": value, "output": text, "secretOutput": {"secret": text}},
            "complex": {
                "value": value,
                "outputArray": [text],
                "outputMap": {"a": text, "d": text, "m": text, "t": text, "x": text, "z": text},
                "outputObject": {"output": text},
            },
        })
    };
    Life {
        made: all(1, "hello"),
        look: |sandbox| assert_eq!(stack_outputs(sandbox), json!({"all": "hello, hello, hello", "secret": "hello"})),
        edit: ["Pulumi.yaml", "value: 1", "value: 2"],
        changes: &[("plain", Change::Updated), ("complex", Change::Updated)],
        edited: all(2, "hellohello"),
        refreshed: Refreshed::Same,
        ..Life::of(
            &[("output", "23.0.0")],
            "
resources:
  plain: {type: 'output:Resource', properties: {value: 1}}
  complex: {type: 'output:ComplexResource', properties: {value: '${plain.value}'}}
outputs:
  all: ${complex.outputArray[0]}, ${complex.outputMap.x}, ${complex.outputObject.output}
  secret: ${plain.secretOutput}
",
        )
    }
    .live();
}

#[test]
fn nestedobject() {
    Life {
        made: json!({
            "container": {"inputs": ["a", "b"], "details": [
                {"key": "a", "value": "computed-a"}, {"key": "b", "value": "computed-b"},
            ]},
            "receiver": {"details": [
                {"key": "a", "value": "computed-a"}, {"key": "b", "value": "computed-b"},
            ]},
            "target": {"name": "computed-b"},
            "tags": {"tags": {"first": "a", "second": "b"}},
        }),
        edit: ["Pulumi.yaml", "names: [a, b]", "names: [a, c]"],
        changes: &[
            ("container", Change::Replaced),
            ("receiver", Change::Updated),
            ("target", Change::Updated),
            ("tags", Change::Updated),
        ],
        edited: json!({
            "container": {"inputs": ["a", "c"], "details": [
                {"key": "a", "value": "computed-a"}, {"key": "c", "value": "computed-c"},
            ]},
            "receiver": {"details": [
                {"key": "a", "value": "computed-a"}, {"key": "c", "value": "computed-c"},
            ]},
            "target": {"name": "computed-c"},
            "tags": {"tags": {"first": "a", "second": "c"}},
        }),
        refreshed: Refreshed::Same,
        ..Life::of(
            &[("nestedobject", "1.42.0")],
            "
variables:
  values: {'fn::invoke': {function: 'nestedobject:getValues', arguments: {names: [a, b]}, return: results}}
resources:
  container:
    type: nestedobject:Container
    properties: {inputs: '${values}'}
    options:
      # An update of it loses the details.
      replaceOnChanges: [inputs]
  receiver: {type: 'nestedobject:Receiver', properties: {details: '${container.details}'}}
  target: {type: 'nestedobject:Target', properties: {name: '${container.details[1].value}'}}
  tags: {type: 'nestedobject:MapContainer', properties: {tags: {first: '${values[0]}', second: '${values[1]}'}}}
",
        )
    }
    .live();
}

#[test]
fn keywords() {
    let of = |lambda: &str| json!({"builtins": "builtins", "lambda": lambda, "property": "property"});
    Life {
        made: json!({"first": of("lambda"), "second": of("lambda")}),
        edit: ["Pulumi.yaml", "lambda: lambda", "lambda: other"],
        changes: &[("first", Change::Updated), ("second", Change::Updated)],
        edited: json!({"first": of("other"), "second": of("other")}),
        // It reads every property as its own name.
        refreshed: Refreshed::Drifted(json!({"first": of("lambda"), "second": of("lambda")})),
        ..Life::of(
            &[("keywords", "20.0.0")],
            "
resources:
  first:
    type: keywords:SomeResource
    properties: {builtins: builtins, lambda: lambda, property: property}
  second:
    type: keywords:lambda:SomeResource
    properties: {builtins: '${first.builtins}', lambda: '${first.lambda}', property: '${first.property}'}
",
        )
    }
    .live();
}

#[test]
fn camel_names() {
    Life {
        made: json!({"it": {"theOutput": true, "resourceName": "one"}}),
        edit: ["Pulumi.yaml", "one", "two"],
        changes: &[("it", Change::Updated)],
        // An update of it answers with its inputs.
        edited: json!({"it": {"theInput": true, "resourceName": "two"}}),
        refreshed: Refreshed::Drifted(json!({"it": {"theOutput": true}})),
        ..Life::of(
            &[("camelNames", "19.0.0")],
            "
resources:
  it: {type: 'camelNames:CoolModule:SomeResource', properties: {theInput: true, resourceName: one}}
",
        )
    }
    .live();
}
