//! Providers published by others: random, time, tls, null and local, in one project.

use std::fs;

use serde_json::json;

use super::life::Change::{Created, Deleted, Replaced, Updated};
use super::life::Life;
use super::world::{Tool, World};
use crate::peers::providers::life::{stack_outputs, wanted};

/// The ids of the imported resources, as they are in the program.
const KNOWN: &str = "6b0f3b6e-6b1c-4d6b-9d0f-3b6e6b1c4d6b";
const SINCE: &str = "2019-01-02T03:04:05Z";

const LIFE: Life = Life {
    providers: &["random", "time", "tls", "null", "local"],
    before: |world| fs::write(world.cloud("given.txt"), "given").unwrap(),
    program: "\
resources:
  pet: {type: 'random:Pet', properties: {length: 2, prefix: my}}
  word: {type: 'random:String', properties: {length: 8, keepers: {since: monday}}}
  password: {type: 'random:Password', properties: {length: 24, special: false}}
  shuffled: {type: 'random:Shuffle', properties: {inputs: [a, b, c], resultCount: 2}}
  known: {type: 'random:Uuid', options: {import: 6b0f3b6e-6b1c-4d6b-9d0f-3b6e6b1c4d6b}}
  since: {type: 'time:Static', properties: {rfc3339: '2019-01-02T03:04:05Z', triggers: {}}, options: {import: '2019-01-02T03:04:05Z'}}
  marked: {type: 'time:Static', properties: {triggers: {mark: first}}}
  begun: {type: 'time:Static', properties: {rfc3339: '2020-02-12T06:36:13Z'}}
  later: {type: 'time:Offset', properties: {baseRfc3339: '${begun.rfc3339}', offsetDays: 7}}
  key: {type: 'tls:PrivateKey', properties: {algorithm: ED25519}}
  signed:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${key.privateKeyPem}
      validityPeriodHours: 12
      allowedUses: [digital_signature]
      subjects: [{commonName: example.com}]
  renewed:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${key.privateKeyPem}
      validityPeriodHours: 12
      earlyRenewalHours: 1
      allowedUses: [digital_signature]
  nothing: {type: 'null:Resource', properties: {triggers: {pet: '${pet.id}'}}}
  file: {type: 'local:File', properties: {filename: CLOUD/file.txt, content: 'hello ${word.result}'}}
variables:
  given: {'fn::invoke': {function: 'local:getFile', arguments: {filename: CLOUD/given.txt}, return: content}}
  public: {'fn::invoke': {function: 'tls:getPublicKey', arguments: {privateKeyPem: '${key.privateKeyPem}'}}}
  parsed: {'fn::invoke': {function: 'time:rfc3339Parse', arguments: {timestamp: '${later.rfc3339}'}}}
  echoed: {'fn::invoke': {function: 'null:getDataSource', arguments: {inputs: {a: b}}}}
  there: {'fn::invoke': {function: 'local:direxists', arguments: {path: CLOUD}, return: result}}
  nowhere: {'fn::invoke': {function: 'local:direxists', arguments: {path: CLOUD/nowhere}, return: result}}
outputs:
  later: ${later.rfc3339}
  given: ${given}
  algorithm: ${public.algorithm}
  day: ${parsed.yearDay}
  echoed: ${echoed.outputs}
  assumed: ${echoed.hasComputedDefault}
  there: ['${there}', '${nowhere}']
",
    look: |world| {
        let outputs = stack_outputs(&world.sandbox);
        let expected = json!({
            "later": "2020-02-19T06:36:13Z", "given": "given", "algorithm": "ED25519", "day": 50, "echoed": {"a": "b"},
            "assumed": "default", "there": [true, false],
        });
        assert_eq!(outputs, expected);
        let made = wanted(&world.sandbox);
        // An existing resource is imported by its id, and the provider adds the rest.
        assert_eq!((&made["known"]["id"], &made["known"]["outputs"]["result"]), (&json!(KNOWN), &json!(KNOWN)));
        assert_eq!((&made["since"]["id"], &made["since"]["outputs"]["unix"]), (&json!(SINCE), &json!(1_546_398_245)));
        let text = |name: &str, property: &str| made[name]["outputs"][property].as_str().unwrap().to_owned();
        assert!(text("pet", "id").starts_with("my-"), "{}", made["pet"]);
        assert_eq!(fs::read_to_string(world.cloud("file.txt")).unwrap(), format!("hello {}", text("word", "result")));
        // A property that a provider calls sensitive is in no file in clear.
        for (name, property) in [("password", "result"), ("password", "bcryptHash"), ("key", "privateKeyPem")] {
            let secret: String =
                serde_json::from_str(made[name]["outputs"][property]["plaintext"].as_str().unwrap()).unwrap();
            let line = secret.lines().last().unwrap();
            assert_eq!(world.sandbox.files_with(line), Vec::<std::path::PathBuf>::new(), "{property} of {name}");
        }
    },
    edits: &[
        ("prefix: my", "prefix: our"),
        ("since: monday", "since: tuesday"),
        ("  known: {type: 'random:Uuid', options: {import: 6b0f3b6e-6b1c-4d6b-9d0f-3b6e6b1c4d6b}}\n", ""),
        ("offsetDays: 7", "offsetDays: 8"),
        ("example.com", "example.org"),
        ("mark: first", "mark: second"),
        ("earlyRenewalHours: 1\n", "earlyRenewalHours: 2\n"),
    ],
    edited: &[
        ("pet", Replaced),
        ("word", Replaced),
        ("known", Deleted),
        ("later", Updated),
        ("marked", Replaced),
        ("signed", Replaced),
        ("renewed", Updated),
        ("nothing", Replaced),
        ("file", Replaced),
    ],
    look_again: |world| assert_eq!(stack_outputs(&world.sandbox)["day"], 51),
    drift: |world: &World| fs::write(world.cloud("file.txt"), "somebody else's").unwrap(),
    refreshed: &[("file", Deleted)],
    look_refreshed: |_| {},
    mended: &[("file", Created)],
    remains: &["given.txt"],
};

#[test]
fn under_outrigger() {
    LIFE.live(Tool::Outrigger);
}

#[test]
fn under_pulumi() {
    LIFE.live(Tool::Pulumi);
}
