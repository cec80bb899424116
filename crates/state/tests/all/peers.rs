//! One state, two engines.

use std::sync::Arc;

use outrigger_secrets::{Crypter as _, Passphrase, Phrase};
use outrigger_state::{
    EntryKey, Home, Journal as _, LocalDisk, Record, Resource, SecretsProviderState, Session, SystemClock, cancel,
    fold, holders,
};
use outrigger_value::Value;
use serde_json::{Value as Json, json};

use crate::peer::{PHRASE, Scratch, info, keys, machine, stack, wrong_keys};

const PROGRAM: &str = "\
name: shop
runtime: yaml
resources:
  password:
    type: random:RandomPassword
    properties: {length: 12}
  pet:
    type: random:RandomPet
    properties: {prefix: '${password.result}'}
    options: {protect: true}
outputs:
  password: ${password.result}
  number: 1.5
";

/// A stack that the real `pulumi` deployed.
fn deployed() -> Scratch {
    let scratch = Scratch::new(PROGRAM);
    scratch.pulumi(&["stack", "init", "dev"]);
    scratch.pulumi(&["up", "--yes", "--skip-preview"]);
    scratch
}

fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// The state without the parts that a write changes: the manifest, and the order, which is canonical only in our files.
fn settled(text: &str) -> Json {
    let mut json = parse(text);
    json["deployment"]["manifest"] = Json::Null;
    if let Some(resources) = json["deployment"]["resources"].as_array_mut() {
        resources.sort_by_key(|entry| entry["urn"].as_str().map(str::to_owned));
    }
    json
}

fn append(session: &Session, record: Record) {
    block_on(session.append(record)).unwrap();
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn what_pulumi_wrote_is_read_exported_and_written_back() {
    let scratch = deployed();
    let theirs = scratch.pulumi(&["stack", "export"]);
    let backend = scratch.backend();
    assert_eq!(parse(&backend.export_stack(&stack()).unwrap()), parse(&theirs));

    // Its secrets open with the passphrase, and the export in clear equals Pulumi's.
    let viewed = Session::view(&backend, &stack(), &keys).unwrap();
    assert!(viewed.findings.is_empty() && viewed.base.obstacles().is_empty());
    let root = &viewed.base.resources[0];
    assert!(
        matches!(&root.outputs["password"], Value::Secret(text) if text.as_str().is_some_and(|text| text.len() == 12))
    );
    let shown = backend.export_stack_shown(&stack(), &keys, &SystemClock::default()).unwrap();
    assert_eq!(settled(&shown), settled(&scratch.pulumi(&["stack", "export", "--show-secrets"])));
    let refusal = Session::view(&backend, &stack(), &wrong_keys).err().unwrap();
    assert_eq!(refusal.code, "passphrase-wrong");

    // A run that changes nothing leaves the same state, and pulumi has nothing to do in it.
    scratch.session(&stack()).unwrap().session.finish(info()).unwrap();
    assert_eq!(settled(&scratch.pulumi(&["stack", "export"])), settled(&theirs));
    scratch.pulumi(&["preview", "--expect-no-changes"]);
    let history = parse(&scratch.pulumi(&["stack", "history", "--json"]));
    assert_eq!(history[0]["message"], "from outrigger");
}

#[test]
fn what_we_wrote_pulumi_opens_secrets_included() {
    let scratch = deployed();
    let opened = scratch.session(&stack()).unwrap();
    let root = opened.base.resources.iter().position(|resource| resource.urn.is_stack()).unwrap();
    let mut changed = Resource::clone(&opened.base.resources[root]);
    changed
        .outputs
        .insert("ours".into(), Value::secret(Value::List(vec!["<canary>".into(), Value::secret("inner".into())])));
    append(&opened.session, Record { put: vec![(EntryKey(root as u64), Arc::new(changed))], ..Record::default() });
    opened.session.finish(info()).unwrap();

    let outputs = parse(&scratch.pulumi(&["stack", "output", "--json", "--show-secrets"]));
    assert_eq!(outputs["ours"], json!(["<canary>", "inner"]));
    assert_eq!(outputs["number"], json!(1.5));
    scratch.pulumi(&["refresh", "--yes", "--skip-preview"]);
    // After pulumi has written it again, we can read it again.
    let viewed = Session::view(&scratch.backend(), &stack(), &keys).unwrap();
    assert_eq!(viewed.base.resources.len(), 4);
}

#[test]
fn a_killed_run_is_seen_by_pulumi_and_taken_over_by_us() {
    let scratch = deployed();
    let opened = scratch.session(&stack()).unwrap();
    let pet = opened.base.resources.iter().position(|resource| resource.urn.name() == "pet").unwrap();
    let mut made = Resource::clone(&opened.base.resources[pet]);
    made.urn = made.urn.renamed("second");
    made.protect = false;
    append(&opened.session, Record { put: vec![(EntryKey(99), Arc::new(made))], ..Record::default() });
    drop(opened);

    let refused = scratch.try_pulumi(&["refresh", "--yes", "--skip-preview"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert!(!refused.status.success() && words.contains("outrigger cancel"), "{words}");

    // The keeper folds without a key; after `pulumi cancel`, pulumi continues with the whole state.
    assert_eq!(fold(&scratch.backend(), &stack(), &SystemClock::default()).unwrap().len(), 1);
    assert_eq!(holders(&scratch.backend(), &stack()).unwrap().len(), 1);
    scratch.pulumi(&["cancel", "--yes"]);
    let urns: Vec<Json> = parse(&scratch.pulumi(&["stack", "export"]))["deployment"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["urn"].clone())
        .collect();
    assert!(urns.iter().any(|urn| urn.as_str().unwrap().ends_with("::second")), "{urns:?}");
    scratch.pulumi(&["up", "--yes", "--skip-preview"]);
    assert_eq!(scratch.backend().summary(&stack()).unwrap().resources, Some(4));
}

#[test]
fn a_live_lock_of_ours_stops_pulumi_and_cancel_frees_it() {
    let scratch = deployed();
    let opened = scratch.session(&stack()).unwrap();
    assert!(!scratch.try_pulumi(&["refresh", "--yes", "--skip-preview"]).status.success());
    // A preview takes no lock.
    scratch.pulumi(&["preview"]);
    assert_eq!(scratch.session(&stack()).err().unwrap().code, "stack-locked");
    assert_eq!(cancel(&scratch.backend(), &stack()).unwrap().len(), 1);
    let lost = opened.session.finish(info()).unwrap_err();
    assert_eq!(lost.code, "lock-lost");
    scratch.pulumi(&["refresh", "--yes", "--skip-preview"]);
}

#[test]
fn a_stack_that_we_made_and_selected_is_pulumis_too() {
    let scratch = Scratch::new(PROGRAM);
    let salt = Passphrase::create(Phrase::new(PHRASE)).unwrap();
    let provider = SecretsProviderState { kind: "passphrase".into(), state: json!({"salt": salt.salt_string()}) };
    scratch.backend().create_stack(&stack(), Some(&provider), &machine(), &SystemClock::default()).unwrap();
    let home = Home::new(Arc::new(LocalDisk::new(scratch.home())));
    home.select_stack("shop", &scratch.project_file(), Some(&stack())).unwrap();
    let settings = format!(
        "encryptionsalt: {}\nconfig:\n  shop:token:\n    secure: {}\n",
        salt.salt_string(),
        salt.encrypt("canary").unwrap()
    );
    let file = std::path::Path::new(&scratch.project_file()).with_file_name("Pulumi.dev.yaml");
    std::fs::write(file, settings).unwrap();

    let listed = parse(&scratch.pulumi(&["stack", "ls", "--json"]));
    assert_eq!((&listed[0]["name"], &listed[0]["current"]), (&json!("dev"), &json!(true)));
    assert_eq!(scratch.pulumi(&["config", "get", "token"]).trim(), "canary");
    scratch.pulumi(&["up", "--yes", "--skip-preview"]);
    scratch.pulumi(&["stack", "init", "other"]);
    assert_eq!(home.selected_stack("shop", &scratch.project_file()).unwrap().unwrap().stack(), "other");
    let names: Vec<String> = scratch.backend().stacks().unwrap().iter().map(|name| name.stack().to_owned()).collect();
    assert_eq!(names, ["dev", "other"]);
}

#[test]
fn an_export_goes_through_import_both_ways() {
    let scratch = deployed();
    let clear = scratch.pulumi(&["stack", "export", "--show-secrets"]);
    let backend = scratch.backend();
    let clock = SystemClock::default();
    let findings =
        backend.import_stack(&stack(), (clear.as_bytes(), "clear.json"), false, &keys, &machine(), &clock).unwrap();
    assert!(findings.is_empty());
    let stored = std::fs::read_to_string(scratch.state().join(".pulumi/stacks/shop/dev.json")).unwrap();
    assert!(!stored.contains("plaintext"), "secrets that came in clear are stored encrypted");
    assert_eq!(settled(&scratch.pulumi(&["stack", "export", "--show-secrets"])), settled(&clear));

    let ours = backend.export_stack(&stack()).unwrap();
    let path = scratch.state().join("export.json");
    std::fs::write(&path, &ours).unwrap();
    scratch.pulumi(&["stack", "import", "--file", path.to_str().unwrap()]);
    scratch.pulumi(&["preview", "--expect-no-changes"]);
}
