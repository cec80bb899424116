//! `outrigger check`: all mistakes in one run, without a stack, a backend or a passphrase.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;

const PROGRAM: &str = "name: shop
runtime: yaml
config:
  size: {type: integer}
  region: eu
resources:
  pet:
    type: random:RandomPet
    properties: {length: '${size}', lenght: 2, prefix: '${word}'}
  nobody: {properties: {a: '${pet.id}'}}
  password: {type: 'random:RandomPassword', properties: {length: [1]}}
variables:
  broken: ${pet.idd}
  unclosed: ${pet
outputs:
  fine: ${nobody.anything}
  typo: ${pett.id}
";

fn places(report: &Json) -> Vec<String> {
    let place = |finding: &Json| {
        let (place, start) = (&finding["place"], &finding["place"]["start"]);
        format!("{}:{}:{} {}", place["file"].as_str().unwrap(), start["line"], start["column"], finding["code"])
            .replace('"', "")
    };
    report["findings"].as_array().unwrap().iter().map(place).collect()
}

fn report(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Json {
    serde_json::from_str(&sandbox.outrigger(arguments).ended(code).stdout).unwrap()
}

#[test]
fn a_project_file_and_its_program_are_wrong_together() {
    let sandbox = Sandbox::new("name: shop\nruntime: yaml\nbackend: {uri: x}\nresources: {a: 1}\n");
    let found = report(&sandbox, &["check", "--json"], 1);
    assert_eq!(places(&found), ["Pulumi.yaml:3:11 project-unknown-key", "Pulumi.yaml:4:16 yaml-wrong-kind"]);
    sandbox.write("Pulumi.yaml", "name: [");
    assert_eq!(places(&report(&sandbox, &["check", "--json"], 1)), ["Pulumi.yaml:1:7 yaml-syntax"]);
    sandbox.write("Pulumi.yaml", "name: shop\nruntime: nodejs\n");
    assert_eq!(places(&report(&sandbox, &["check", "--json"], 1)), ["Pulumi.yaml:2:10 project-runtime"]);
    std::fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    sandbox.outrigger(&["check"]).ended(1).says(&["there is no project here"]);
}

mod peers {
    use super::*;

    #[test]
    fn every_mistake_at_once_without_anything_set_up() {
        let mut sandbox = Sandbox::new(PROGRAM);
        for name in ["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"] {
            sandbox.set(name, None);
        }
        let found = report(&sandbox, &["check", "--json"], 1);
        let program = [
            "Pulumi.yaml:9:37 yaml-unknown-property",
            "Pulumi.yaml:9:56 yaml-unknown-name",
            "Pulumi.yaml:10:3 yaml-missing-type",
            "Pulumi.yaml:11:66 yaml-type",
            "Pulumi.yaml:13:11 yaml-unknown-property",
            "Pulumi.yaml:14:13 yaml-interpolation",
            "Pulumi.yaml:17:9 yaml-unknown-name",
        ];
        assert_eq!(places(&found), program);
        assert_eq!((&found["errors"], &found["warnings"]), (&7.into(), &0.into()));
        assert!(found["unchecked"][0].as_str().unwrap().contains("no stack is chosen"), "{found}");
        // A key that another stack sets counts as defined; its value is unknown here.
        sandbox.write("Pulumi.prod.yaml", "config:\n  shop:word: x\n");
        assert_eq!(places(&report(&sandbox, &["check", "--json"], 1)).len(), 6);
        let shown = sandbox.outrigger(&["check"]).ended(1);
        assert_eq!(shown.stdout, "6 mistakes and no warnings found\n");
        shown.says(&["--> Pulumi.yaml:9:37", "Did you mean `length`?", "Not checked: configuration values"]);
    }

    #[test]
    fn a_stack_is_checked_with_its_configuration() {
        let sandbox = Sandbox::new(
            "name: shop\nruntime: yaml\nconfig:\n  size: {type: integer}\n  key: {type: string, secret: true}\nresources:\n  pet: {type: 'random:RandomPet', properties: {length: '${size}', prefix: '${key}'}}\n",
        );
        let found = report(&sandbox, &["check", "--json", "--stack", "dev"], 1);
        assert_eq!(places(&found), ["Pulumi.yaml:5:3 config-missing"]);
        sandbox.write("Pulumi.dev.yaml", "config:\n  shop:size: large\n  shop:key: open\n");
        let found = report(&sandbox, &["check", "--json", "--stack", "dev"], 1);
        assert_eq!(places(&found), ["Pulumi.dev.yaml:2:3 config-type", "Pulumi.dev.yaml:3:3 config-not-secret"]);
        sandbox.write("Pulumi.dev.yaml", "config:\n  shop:size: 3\n  shop:key: {secure: v1:unreadable}\n");
        let found = report(&sandbox, &["check", "--json", "--stack", "dev"], 0);
        assert!(found["unchecked"][0].as_str().unwrap().contains("1 value of the configuration"), "{found}");
    }

    #[test]
    fn aliases_are_checked_where_they_are_written() {
        let sandbox = Sandbox::new(
            "name: shop\nruntime: yaml\nvariables:\n  common: &common {length: 2, sperator: '-'}\nresources:\n  a: {type: 'random:RandomPet', properties: *common}\n  b: {type: 'random:RandomPet', properties: {<<: *common, length: 3}}\n",
        );
        let found = report(&sandbox, &["check", "--json"], 1);
        // Written once, used twice, reported once.
        assert_eq!(places(&found), ["Pulumi.yaml:4:31 yaml-unknown-property"]);
        sandbox.write("Pulumi.yaml", &sandbox.read("Pulumi.yaml").replace("sperator", "separator"));
        sandbox.outrigger(&["stack", "init", "dev"]).ok();
        sandbox.outrigger(&["up", "--yes"]).ok();
        let export = sandbox.export().to_string();
        assert!(export.contains("\"length\":3") && export.matches("\"separator\":\"-\"").count() >= 4, "{export}");
    }
}
