//! Features that only some providers have: secrets, assets, configuration, functions, reads, parameters, failures.

use serde_json::{Value as Json, json};

use super::life::{Change, Life, Refreshed, outputs, project, resources, stack_outputs, wanted};

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
            // Only the program itself contains it.
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
fn asset_archive() {
    const ASSET: &str = "c44067f5952c0a294b673a41bacd8c17";
    const ARCHIVE: &str = "0def7320c3a5731c473e5ecbe6d01bc7";
    const ONE: &str = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    const TWO: &str = "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3";
    const FOLDER: &str = "57fb529acb6ebaaeba2ec1e5b3beb780e387cdbab355d0039a472a6724f0a465";
    const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
    // The hashes are Pulumi's.
    let all = |note: &str, archive: &str| {
        let file = json!({SIGNATURE: ASSET, "hash": note, "path": "./note.txt"});
        let folder = json!({SIGNATURE: ARCHIVE, "hash": FOLDER, "path": "./folder"});
        let assets = json!({"note": file, "more": folder});
        json!({
            "file": {"value": file},
            "string": {"value": {SIGNATURE: ASSET, "hash": ONE, "text": "one"}},
            "folder": {"value": folder},
            "archive": {"value": {SIGNATURE: ARCHIVE, "hash": archive, "assets": assets}},
        })
    };
    Life {
        files: &[("note.txt", "one"), ("folder/inner.txt", "inside")],
        made: all(ONE, "c125cccfa6176f87dd1574a22694318bf8d9e20cfab0e7c1e524f03119d838fe"),
        edit: ["note.txt", "one", "two"],
        changes: &[("file", Change::Replaced), ("archive", Change::Replaced)],
        edited: all(TWO, "55492cf57e4b6f252ca046a156e110de3075fc909db9255933214d1ee3748556"),
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
        // It adds an empty prefix to its input.
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
fn read() {
    Life {
        made: json!({"it": {"lookup": "one", "value": true}}),
        edit: ["Pulumi.yaml", "lookup: one", "lookup: two"],
        changes: &[("it", Change::Updated)],
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
    failed.says(&["could not create `bad`", "failed create", "good simple:index:Resource created"]);
    let made = wanted(&sandbox);
    assert_eq!(outputs(&made), json!({"good": {"value": true}}));

    sandbox.write("Pulumi.yaml", &format!("name: shop\nruntime: yaml\n{good}"));
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert_eq!(wanted(&sandbox), made);
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert_eq!(resources(&sandbox), Vec::<Json>::new());
}
