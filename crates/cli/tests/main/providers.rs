//! Pulumi's own conformance providers, each from nothing to nothing, with a real `pulumi` looking at the state between.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::sandbox::Sandbox;

/// What an edit does to a resource that was there before.
#[derive(Clone, Copy)]
enum Change {
    Updated,
    Replaced,
}

/// What a refresh finds after the edit.
enum Refreshed {
    /// Everything as it was left.
    Same,
    /// The provider tells something else: these are the resources then.
    Drifted(Json),
    /// The provider cannot read, so nothing may change.
    Unreadable,
}

/// The life of one provider's resources.
struct Life {
    /// Names and versions: these providers refuse to work without their version.
    packages: &'static [(&'static str, &'static str)],
    /// Files of the project beside the program.
    files: &'static [(&'static str, &'static str)],
    config: &'static [(&'static str, &'static str)],
    program: &'static str,
    /// The outputs of all resources, by name.
    made: Json,
    /// Looks closer at what is there after the first update.
    look: fn(&Sandbox),
    /// A file, a text in it, and what stands there later.
    edit: [&'static str; 3],
    /// What becomes of each resource that the edit changes.
    changes: &'static [(&'static str, Change)],
    edited: Json,
    refreshed: Refreshed,
}

impl Life {
    fn of(packages: &'static [(&'static str, &'static str)], program: &'static str) -> Self {
        Self {
            packages,
            files: &[],
            config: &[],
            program,
            made: Json::Null,
            look: |_| {},
            edit: ["Pulumi.yaml", "", ""],
            changes: &[],
            edited: Json::Null,
            refreshed: Refreshed::Unreadable,
        }
    }

    fn live(self) {
        let sandbox = project(self.packages, self.program);
        for (name, text) in self.files {
            sandbox.write(name, text);
        }
        for (key, value) in self.config {
            sandbox.outrigger(&["config", "set", key, value]).ok();
        }
        sandbox.outrigger(&["up", "--yes"]).ok();
        assert_eq!(outputs(&sandbox), self.made);
        (self.look)(&sandbox);
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
        sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();

        let [file, from, to] = self.edit;
        let text = sandbox.read(file);
        assert!(text.contains(from), "`{from}` is not in {file}");
        sandbox.write(file, &text.replace(from, to));
        let before = times(&sandbox);
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ended(7);
        sandbox.outrigger(&["up", "--yes"]).ok();
        assert_eq!(outputs(&sandbox), self.edited);
        let after = times(&sandbox);
        for (name, (created, modified)) in &before {
            let Some((created_now, modified_now)) = after.get(name) else { continue };
            let change = self.changes.iter().find(|(changed, _)| changed == name).map(|(_, change)| change);
            let expected = match change {
                None => (true, true),
                Some(Change::Updated) => (true, false),
                Some(Change::Replaced) => (false, false),
            };
            assert_eq!((created == created_now, modified == modified_now), expected, "kept its times: `{name}`");
        }
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();

        match self.refreshed {
            Refreshed::Same => {
                sandbox.outrigger(&["refresh", "--yes", "--expect-no-changes"]).ok();
                assert_eq!(outputs(&sandbox), self.edited);
            }
            Refreshed::Drifted(found) => {
                sandbox.outrigger(&["refresh", "--yes"]).ok().says(&["was changed", "updated"]);
                assert_eq!(outputs(&sandbox), found);
                sandbox.pulumi(&["refresh", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
                sandbox.outrigger(&["preview", "--expect-no-changes"]).ended(7);
            }
            Refreshed::Unreadable => {
                sandbox.outrigger(&["refresh", "--yes"]).ended(1).says(&["could not read", "does not have Read"]);
                assert_eq!(times(&sandbox), after);
            }
        }
        sandbox.outrigger(&["destroy", "--yes"]).ok();
        assert_eq!(resources(&sandbox), Vec::<Json>::new());
    }
}

/// A project with the stack `dev` and a lock file for each package.
fn project(packages: &[(&str, &str)], program: &str) -> Sandbox {
    let sandbox = Sandbox::new(&format!("name: shop\nruntime: yaml\n{program}"));
    for (name, version) in packages {
        let lock = format!("packageDeclarationVersion: 1\nname: {name}\nversion: {version}\n");
        sandbox.write(&format!("sdks/{name}.yaml"), &lock);
    }
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox
}

/// Everything in the state, secrets readable.
fn resources(sandbox: &Sandbox) -> Vec<Json> {
    let export = sandbox.outrigger(&["stack", "export", "--show-secrets"]).ok().stdout;
    let export: Json = serde_json::from_str(&export).unwrap();
    export["deployment"]["resources"].as_array().cloned().unwrap_or_default()
}

/// The resources that the program asked for, by name.
fn wanted(sandbox: &Sandbox) -> BTreeMap<String, Json> {
    let wanted = resources(sandbox).into_iter().filter(|resource| !text(resource, "type").starts_with("pulumi:"));
    wanted
        .map(|resource| {
            assert_ne!(resource["delete"], true, "left over: {resource}");
            (text(&resource, "urn").rsplit("::").next().unwrap().to_owned(), resource)
        })
        .collect()
}

/// The outputs of each resource; a secret is `{"secret": value}`.
fn outputs(sandbox: &Sandbox) -> Json {
    wanted(sandbox).into_iter().map(|(name, resource)| (name, shown(&resource["outputs"]))).collect()
}

/// When each resource was made and last changed; null for one that is only read.
fn times(sandbox: &Sandbox) -> BTreeMap<String, (Json, Json)> {
    let times = |resource: &Json| (resource["created"].clone(), resource["modified"].clone());
    wanted(sandbox).into_iter().map(|(name, resource)| (name, times(&resource))).collect()
}

fn text(resource: &Json, field: &str) -> String {
    resource[field].as_str().unwrap_or_else(|| panic!("no {field}: {resource}")).to_owned()
}

fn shown(value: &Json) -> Json {
    match value {
        Json::Object(object) => match object.get("plaintext").and_then(Json::as_str) {
            Some(plain) => json!({"secret": serde_json::from_str::<Json>(plain).unwrap()}),
            None => object.iter().map(|(key, value)| (key.clone(), shown(value))).collect(),
        },
        Json::Array(items) => items.iter().map(shown).collect(),
        other => other.clone(),
    }
}

/// The stack's outputs.
fn stack_outputs(sandbox: &Sandbox) -> Json {
    serde_json::from_str(&sandbox.outrigger(&["stack", "output", "--json", "--show-secrets"]).ok().stdout).unwrap()
}

#[test]
fn simple() {
    Life {
        made: json!({"a": {"value": true}, "b": {"value": true}}),
        edit: ["Pulumi.yaml", "flag: true", "flag: false"],
        changes: &[("a", Change::Updated), ("b", Change::Updated)],
        edited: json!({"a": {"value": false}, "b": {"value": false}}),
        // Whatever it was told, it reads true.
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
fn secret() {
    let it = |private: &str| {
        json!({"it": {
            "private": {"secret": private},
            "public": "open",
            "privateData": {"secret": {"private": "hidden-1f6b", "public": "open"}},
            // Programs in YAML heed a schema's word at the top only; so does Pulumi.
            "publicData": {"private": "shown", "public": "open"},
        }})
    };
    Life {
        made: it("hidden-1f6b"),
        look: |sandbox| {
            let export = sandbox.outrigger(&["stack", "export"]).ok().stdout;
            assert!(export.contains("ciphertext") && !export.contains("hidden-1f6b"), "{export}");
            // Only the program itself says it.
            assert_eq!(sandbox.files_with("hidden-1f6b"), [sandbox.path("project/Pulumi.yaml")]);
            assert_eq!(stack_outputs(sandbox), json!({"private": "hidden-1f6b"}));
            sandbox.outrigger(&["stack", "output", "private"]).ok().says(&["[secret]"]);
        },
        edit: ["Pulumi.yaml", "private: hidden-1f6b # outer", "private: hidden-2a7c"],
        changes: &[("it", Change::Replaced)],
        edited: it("hidden-2a7c"),
        ..Life::of(
            &[("secret", "14.0.0")],
            "
resources:
  it:
    type: secret:Resource
    properties:
      private: hidden-1f6b # outer
      public: open
      privateData: {private: hidden-1f6b, public: open}
      publicData: {private: shown, public: open}
    options:
      replaceOnChanges: [private]
outputs:
  private: ${it.private}
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
fn asset_archive() {
    Life {
        files: &[("note.txt", "one"), ("folder/inner.txt", "inside")],
        made: Json::Null,
        edit: ["note.txt", "one", "two"],
        changes: &[("file", Change::Replaced), ("archive", Change::Replaced)],
        edited: Json::Null,
        ..Life::of(
            &[("asset-archive", "5.0.0")],
            "
resources:
  file:
    type: asset-archive:AssetResource
    properties: {value: {'fn::fileAsset': ./note.txt}}
    options: {replaceOnChanges: [value]}
  string:
    type: asset-archive:AssetResource
    properties: {value: {'fn::stringAsset': one}}
  folder:
    type: asset-archive:ArchiveResource
    properties: {value: {'fn::fileArchive': ./folder}}
  archive:
    type: asset-archive:ArchiveResource
    properties:
      value:
        fn::assetArchive:
          note: {'fn::fileAsset': ./note.txt}
          more: {'fn::fileArchive': ./folder}
    options: {replaceOnChanges: [value]}
",
        )
    }
    .live();
}

#[test]
fn config() {
    let program = "
resources:
  it:
    type: config:Resource
    properties: {text: hello}
    options: {replaceOnChanges: [text]}
";
    project(&[("config", "9.0.0")], program).outrigger(&["up", "--yes"]).ended(1).says(&["missing name"]);
    Life {
        config: &[("config:name", "ours")],
        // It puts an empty prefix before what it is told.
        made: json!({"it": {"text": ": hello"}}),
        look: |sandbox| {
            let all = resources(sandbox);
            let provider = all.iter().find(|resource| resource["type"] == "pulumi:providers:config").unwrap();
            assert_eq!(provider["inputs"]["name"], "ours");
        },
        edit: ["Pulumi.yaml", "hello", "good bye"],
        changes: &[("it", Change::Replaced)],
        edited: json!({"it": {"text": ": good bye"}}),
        ..Life::of(&[("config", "9.0.0")], program)
    }
    .live();
}

#[test]
fn simple_invoke() {
    Life {
        made: json!({"it": {"name": "hello world"}}),
        look: |sandbox| {
            let expected = json!({"unit": "Hello world", "response": "quiet-83d1 world"});
            assert_eq!(stack_outputs(sandbox), expected);
            sandbox.outrigger(&["stack", "output", "response"]).ok().says(&["[secret]"]);
            assert_eq!(sandbox.files_with("quiet-83d1"), [sandbox.path("project/Pulumi.yaml")]);
        },
        edit: ["Pulumi.yaml", "value: hello", "value: good bye"],
        changes: &[("it", Change::Updated)],
        edited: json!({"it": {"name": "good bye world"}}),
        refreshed: Refreshed::Same,
        ..Life::of(
            &[("simple-invoke", "10.0.0"), ("nestedobject", "1.42.0")],
            "
variables:
  said: {'fn::invoke': {function: 'simple-invoke:myInvoke', arguments: {value: hello}}}
resources:
  it: {type: 'nestedobject:Target', properties: {name: '${said.result}'}}
outputs:
  unit: {'fn::invoke': {function: 'simple-invoke:unit', return: result}}
  response:
    fn::invoke:
      function: simple-invoke:secretInvoke
      arguments: {value: quiet-83d1, secretResponse: true}
      return: response
",
        )
    }
    .live();
}

#[test]
fn multi_argument_invoke() {
    Life {
        made: json!({"it": {"name": "one two"}}),
        look: |sandbox| assert_eq!(stack_outputs(sandbox), json!({"alone": "one"})),
        edit: ["Pulumi.yaml", "[one, two]", "[one, three]"],
        changes: &[("it", Change::Updated)],
        edited: json!({"it": {"name": "one three"}}),
        refreshed: Refreshed::Same,
        ..Life::of(
            &[("multi-argument-invoke", "44.0.0"), ("nestedobject", "1.42.0")],
            "
variables:
  words: [one, two]
  joined:
    fn::invoke:
      function: multi-argument-invoke:multiArgumentInvoke
      arguments: {first: '${words[0]}', second: '${words[1]}'}
      return: result
resources:
  it: {type: 'nestedobject:Target', properties: {name: '${joined}'}}
outputs:
  alone: {'fn::invoke': {function: 'multi-argument-invoke:multiArgumentInvoke', arguments: {first: one}, return: result}}
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

#[test]
fn read() {
    Life {
        made: json!({"it": {"lookup": "one", "value": true}}),
        edit: ["Pulumi.yaml", "lookup: one", "lookup: two"],
        changes: &[],
        edited: json!({"it": {"lookup": "two", "value": true}}),
        refreshed: Refreshed::Same,
        ..Life::of(
            &[("read", "39.0.0")],
            "
resources:
  it: {type: 'read:Resource', get: {id: existing, state: {lookup: one}}}
",
        )
    }
    .live();
}

#[test]
fn parameterized() {
    Life {
        files: &[(
            "sdks/subpackage.yaml",
            "packageDeclarationVersion: 1\nname: parameterized\nversion: 1.2.3\nparameterization: {name: subpackage, version: 2.0.0, value: SGVsbG9Xb3JsZA==}\n",
        )],
        made: json!({"one": {"parameterValue": "HelloWorld"}}),
        look: |sandbox| assert_eq!(stack_outputs(sandbox), json!({"said": "to HelloWorld"})),
        edit: ["Pulumi.yaml", "  one:", "  two:"],
        edited: json!({"two": {"parameterValue": "HelloWorld"}}),
        ..Life::of(
            &[],
            "
resources:
  one: {type: 'subpackage:HelloWorld'}
outputs:
  said: {'fn::invoke': {function: 'subpackage:doHelloWorld', arguments: {input: 'to '}, return: output}}
",
        )
    }
    .live();
}

#[test]
fn fail_on_create() {
    let good = "resources:\n  good: {type: 'simple:Resource', properties: {value: true}}\n";
    let bad = "  bad: {type: 'fail_on_create:Resource', properties: {value: '${good.value}'}}\n  after: {type: 'simple:Resource', properties: {value: '${bad.value}'}}\n";
    let sandbox = project(&[("simple", "2.0.0"), ("fail_on_create", "4.0.0")], &format!("{good}{bad}"));
    let failed = sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1);
    failed.says(&["could not create `bad`", "failed create", "good created"]);
    assert_eq!(outputs(&sandbox), json!({"good": {"value": true}}));
    let made = times(&sandbox);

    sandbox.write("Pulumi.yaml", &format!("name: shop\nruntime: yaml\n{good}"));
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert_eq!(times(&sandbox), made);
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert_eq!(resources(&sandbox), Vec::<Json>::new());
}
