//! Resources come, stay, change, are replaced, drift and go.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;

fn pet(length: u32, prefix: &str) -> String {
    format!(
        "name: shop\nruntime: yaml\nresources:\n  pet:\n    type: random:RandomPet\n    properties:\n      length: {length}\n      prefix: {prefix}\noutputs:\n  name: ${{pet.id}}\n"
    )
}

/// The ids of the custom resources that are not providers, by name.
fn ids(export: &Json) -> Vec<(String, String)> {
    let resources = export["deployment"]["resources"].as_array().cloned().unwrap_or_default();
    let mut found: Vec<(String, String)> = resources
        .iter()
        .filter(|resource| resource["custom"] == true)
        .filter(|resource| !resource["type"].as_str().unwrap().starts_with("pulumi:providers:"))
        .map(|resource| {
            let name = resource["urn"].as_str().unwrap().rsplit("::").next().unwrap().to_owned();
            (name, resource["id"].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn random_from_nothing_to_nothing() {
    let sandbox = Sandbox::with_stack(&pet(2, "one"));
    sandbox.outrigger(&["preview"]).ok().says(&[
        "+  pet random:index:RandomPet create",
        "+ 2 to create",
        "outrigger up",
    ]);
    assert!(ids(&sandbox.export()).is_empty(), "a preview made something");
    sandbox.outrigger(&["up", "--yes"]).ok().says(&[
        "pet random:index:RandomPet created",
        "+ name: \"one-",
        "+ 2 created",
    ]);
    let first = ids(&sandbox.export());
    assert_eq!(first.len(), 1);

    sandbox.outrigger(&["up", "--yes", "--expect-no-changes"]).ok().says(&["2 unchanged"]);
    assert_eq!(ids(&sandbox.export()), first);

    sandbox.write("Pulumi.yaml", &pet(2, "two"));
    sandbox
        .outrigger(&["preview", "--expect-no-changes"])
        .ended(7)
        .says(&["no changes were expected", "+- 1 to replace"]);
    sandbox.outrigger(&["preview", "--diff"]).ok().says(&[
        "~ prefix: \"one\" -> \"two\" (forces replacement)",
        "~ name: \"one-",
        "-> (known after up)",
    ]);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok().says(&[
        "created replacement",
        "deleted original",
        "+- 1 replaced",
    ]);
    let second = ids(&sandbox.export());
    assert_ne!(first, second);

    sandbox.outrigger(&["refresh", "--yes"]).ok().says(&["unchanged"]);
    assert_eq!(ids(&sandbox.export()), second);
    sandbox
        .outrigger(&["destroy", "--yes"])
        .ok()
        .says(&["pet random:index:RandomPet deleted", "outrigger stack rm dev"]);
    assert!(ids(&sandbox.export()).is_empty());
    sandbox.outrigger(&["stack", "rm", "--yes"]).ok();
    sandbox.outrigger(&["stack", "output"]).ended(1).says(&["no stack is selected"]);
}

#[test]
fn tls_with_secrets_and_invokes() {
    let sandbox = Sandbox::with_stack(
        "name: certs\nruntime: yaml\nresources:\n  key:\n    type: tls:PrivateKey\n    properties: {algorithm: ED25519}\nvariables:\n  public:\n    fn::invoke:\n      function: tls:getPublicKey\n      arguments: {privateKeyOpenssh: '${key.privateKeyOpenssh}'}\noutputs:\n  fingerprint: ${key.publicKeyFingerprintSha256}\n  private: ${key.privateKeyPem}\n  again: ${public.publicKeyFingerprintSha256}\n",
    );
    let up = sandbox.outrigger(&["up", "--yes"]).ok();
    assert!(!up.text().contains("PRIVATE KEY"), "{}", up.text());
    let shown = sandbox.outrigger(&["stack", "output", "--json", "--show-secrets"]).ok().stdout;
    let outputs: Json = serde_json::from_str(&shown).unwrap();
    assert_eq!(outputs["fingerprint"], outputs["again"]);
    assert!(outputs["private"].as_str().unwrap().contains("PRIVATE KEY"));
    assert_eq!(sandbox.outrigger(&["stack", "output", "private"]).ok().stdout.trim(), "[secret]");
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    sandbox.outrigger(&["destroy", "--yes", "--remove"]).ok();
    assert_eq!(sandbox.outrigger(&["stack", "ls", "--json"]).ok().stdout.trim(), "[]");
}

#[test]
fn a_failure_leaves_what_was_made() {
    let project = |value: &str| {
        format!(
            "name: half\nruntime: yaml\nresources:\n  good:\n    type: simple:Resource\n    properties: {{value: true}}\n  bad:\n    type: fail_on_create:Resource\n    properties: {{value: false}}\n    options: {{dependsOn: ['${{good}}']}}\noutputs: {{x: {value}}}\n"
        )
    };
    let sandbox = Sandbox::new(&project("1"));
    for (name, version) in [("simple", "2.0.0"), ("fail_on_create", "4.0.0")] {
        let lock = format!("packageDeclarationVersion: 1\nname: {name}\nversion: {version}\n");
        sandbox.write(&format!("sdks/{name}-{version}.yaml"), &lock);
    }
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(&["could not create `bad`", "fail_on_create"]);
    let names: Vec<String> = ids(&sandbox.export()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["good"]);
    sandbox.outrigger(&["destroy", "--yes"]).ok();
}

#[test]
fn events_are_one_object_a_line() {
    let sandbox = Sandbox::with_stack(&pet(2, "one"));
    let answer = sandbox.outrigger(&["up", "--yes", "--json-events"]).ok();
    let events: Vec<Json> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().enumerate().all(|(index, event)| event["sequence"] == index && event["version"] == 1));
    let of = |phase: &str, kind: &str| {
        events.iter().filter(|event| event["phase"] == phase && event["type"] == kind).collect::<Vec<_>>()
    };
    assert_eq!(of("preview", "run-ended")[0]["changes"]["create"], 2);
    let end = of("update", "run-ended");
    assert_eq!((end.len(), &end[0]["ending"], &end[0]["changes"]["create"]), (1, &"succeeded".into(), &2.into()));
    assert!(end[0]["outputs"]["name"].as_str().unwrap().starts_with("one-"));
    assert!(of("update", "step-ended").iter().any(|event| event["name"] == "pet" && event["result"] == "done"));
}

#[test]
fn targets_that_are_whole_names_must_be_there() {
    let sandbox = Sandbox::with_stack(
        "name: shop\nruntime: yaml\nresources:\n  a: {type: 'random:RandomPet'}\n  b: {type: 'random:RandomPet'}\n",
    );
    let urn = |name: &str| format!("urn:pulumi:dev::shop::random:index/randomPet:RandomPet::{name}");
    sandbox.outrigger(&["up", "--yes", "--target", &urn("a")]).ok();
    assert_eq!(ids(&sandbox.export()).into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a"]);
    sandbox.outrigger(&["up", "--yes", "--target", "a"]).ok().says(&["2 unchanged"]);
    for command in ["up", "destroy"] {
        sandbox.outrigger(&[command, "--yes", "--target", "nope"]).ended(1).says(&["there is no resource `nope`"]);
    }
    sandbox
        .outrigger(&["up", "--yes", "--target", &urn("nope")])
        .ended(1)
        .says(&["there is no resource", "state list"]);
    sandbox.outrigger(&["destroy", "--yes", "--target", &urn("nope")]).ended(1).says(&["there is no resource"]);
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox.outrigger(&["destroy", "--yes", "--target", &urn("a")]).ok();
    assert_eq!(ids(&sandbox.export()).into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn what_needs_no_program_works_in_any_runtime() {
    let sandbox = Sandbox::with_stack(&pet(2, "one"));
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox.write("Pulumi.yaml", "name: shop\nruntime:\n  name: nodejs\n  options: {typescript: true}\n");
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&[
        "Pulumi.yaml:3:",
        "`nodejs` cannot be run yet",
        "`pulumi up`",
        "refresh",
    ]);
    sandbox.outrigger(&["preview"]).ended(1).says(&["`nodejs`"]);
    sandbox.outrigger(&["refresh", "--yes"]).ok();
    sandbox.outrigger(&["config", "set", "a", "b"]).ok();
    sandbox.outrigger(&["stack", "--show-urns", "--show-ids"]).ok().says(&["RandomPet::pet", "ID: one-"]);
    sandbox.outrigger(&["destroy", "--yes"]).ok();
}
