//! `--json` beside that of the real `pulumi`: the document of a preview, the events of an update.

use serde_json::Value as Json;

use super::event_log::shape;
use crate::sandbox::{Answer, Sandbox};

const FIRST: &str = "name: shop
runtime: yaml
config:
  shop:colour: {type: string, default: red}
resources:
  pet: {type: 'random:RandomPet', properties: {length: 2, prefix: one}}
  old: {type: 'random:RandomPet', properties: {length: 2}}
  kept: {type: 'oracle:Thing', properties: {value: same}}
  thing: {type: 'oracle:Thing', properties: {value: {'fn::secret': canary}}}
outputs:
  pet: ${pet.id}
  secret: {'fn::secret': canary}
";

/// One step of every kind: same with another protection, update, replace in both orders, import, read, create, delete.
const SECOND: &str = "name: shop
runtime: yaml
resources:
  provider: {type: 'pulumi:providers:random'}
  renamed:
    type: random:RandomPet
    properties: {length: 3, prefix: '<&>'}
    options:
      provider: ${provider}
      additionalSecretOutputs: [prefix]
      aliases: [{name: pet}]
      deleteBeforeReplace: true
      customTimeouts: {create: 5m}
      retainOnDelete: true
  kept: {type: 'oracle:Thing', properties: {value: same}, options: {protect: true}}
  thing: {type: 'oracle:Thing', properties: {value: new, replaceKey: a}, options: {dependsOn: ['${renamed}']}}
  more: {type: 'oracle:Thing', properties: {value: '${renamed.id}'}}
  got: {type: 'random:RandomPet', get: {id: some-pet, state: {length: 2}}}
  adopted:
    type: random:RandomPassword
    properties: {length: 4, special: true, numeric: true, upper: true, lower: true, number: true, minLower: 0, minNumeric: 0, minSpecial: 0, minUpper: 0}
    options: {import: abcd}
";

const MISTAKEN: &str = "name: shop
runtime: yaml
resources:
  kept: {type: 'oracle:Thing', properties: {value: same, colour: red}}
";

/// The document without the parts that differ from run to run: how long it took, the order of steps and reasons, places in the Go code that evaluates
/// a program. The diagnostics are reduced to whether there is an error.
fn document(answer: &Answer) -> Json {
    let mut document: Json = serde_json::from_str(&answer.stdout).unwrap();
    assert!(!answer.stdout.contains("canary"), "{document}");
    assert!(document["duration"].take().is_u64(), "{document}");
    let diagnostics = document["diagnostics"].take();
    let is_error = |text: &str, severity: &Json| severity == "error" || text.contains("Error\u{1b}[0m: ");
    let failed = diagnostics.as_array().into_iter().flatten().any(|one| {
        let text = one["message"].as_str().unwrap();
        assert!(text.ends_with('\n'), "{one}");
        is_error(text, &one["severity"])
    });
    document["diagnostics"] = failed.into();
    let steps = document["steps"].as_array_mut().unwrap();
    steps.sort_by_key(|step| step["urn"].to_string());
    for step in steps {
        for reasons in ["diffReasons", "replaceReasons"] {
            if let Some(reasons) = step.get_mut(reasons).and_then(Json::as_array_mut) {
                reasons.sort_by_key(Json::to_string);
            }
        }
        for side in ["oldState", "newState"] {
            if let Some(state) = step.get_mut(side).and_then(Json::as_object_mut) {
                state.retain(|name, _| name != "sourcePosition" && name != "stackTrace");
            }
        }
    }
    document
}

#[test]
fn a_preview_is_pulumis_document() {
    let sandbox = Sandbox::with_stack(FIRST);
    sandbox.outrigger(&["config", "set", "--secret", "token", "canary"]).ok();
    let same = |arguments: &[&str], ops: &[&str]| {
        let (ours, theirs) = (sandbox.outrigger(arguments), sandbox.pulumi(arguments));
        assert_eq!(ours.code == 0, theirs.code == 0, "{}\n{}", ours.text(), theirs.text());
        let (ours, theirs) = (document(&ours), document(&theirs));
        assert!(ours == theirs, "{arguments:?}\n{ours:#}\n{theirs:#}");
        let found: Vec<&Json> = ours["steps"].as_array().unwrap().iter().map(|step| &step["op"]).collect();
        assert!(ops.iter().all(|op| found.contains(&&Json::from(*op))), "{ours:#}");
    };
    same(&["preview", "--json"], &["create"]);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    same(&["preview", "-j"], &["same"]);
    same(&["preview", "--json", "--show-sames", "--show-secrets"], &["same"]);
    same(&["destroy", "--preview-only", "--json"], &["delete"]);
    sandbox.write("Pulumi.yaml", SECOND);
    same(&["preview", "--json"], &["same", "create", "replace", "import", "read", "delete"]);
    sandbox.write("Pulumi.yaml", &FIRST.replace("value: same", "value: other"));
    same(&["preview", "--json", "--diff"], &["same", "update"]);
    sandbox.write("Pulumi.yaml", MISTAKEN);
    same(&["preview", "--json"], &["same"]);
}

/// The preview's document and the shapes of the events that follow it.
fn update(answer: &Answer) -> (Json, Vec<String>) {
    let mut values = serde_json::Deserializer::from_str(&answer.stdout).into_iter::<Json>().map(Result::unwrap);
    let document = values.next().unwrap();
    let mut shapes: Vec<String> = values.filter_map(|event| shape(&event)).collect();
    shapes.sort();
    (document["changeSummary"].clone(), shapes)
}

#[test]
fn an_update_is_pulumis_document_and_events() {
    let (ours, theirs) = (Sandbox::with_stack(FIRST), Sandbox::with_stack(FIRST));
    for arguments in [&["up", "--yes", "--json"], &["destroy", "--yes", "--json"]] {
        let (ours, theirs) = (ours.outrigger(arguments).ok(), theirs.pulumi(arguments).ok());
        assert!(!ours.text().contains("canary"), "{}", ours.text());
        let ((ours, ours_events), (theirs, their_events)) = (update(&ours), update(&theirs));
        assert_eq!(ours, theirs);
        assert_eq!(ours_events, their_events, "{ours_events:#?}\n{their_events:#?}");
        assert!(ours_events.iter().any(|event| event.starts_with("summaryEvent")), "{ours_events:#?}");
    }
}

#[test]
fn a_failed_update_still_ends_its_events() {
    let sandbox = Sandbox::with_stack(&FIRST.replace("value: same", "value: same, failOn: create"));
    let text = sandbox.outrigger(&["up", "--yes", "--skip-preview", "--json"]).ended(1).stdout;
    let events: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().any(|event| event.get("resOpFailedEvent").is_some()), "{text}");
    assert_eq!(events[events.len() - 2]["summaryEvent"]["result"], "failed", "{text}");
    assert!(events[events.len() - 1].get("cancelEvent").is_some(), "{text}");
}
