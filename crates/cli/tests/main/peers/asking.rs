//! Calls to plugins by hand, and the log of calls.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use crate::place::peer;
use crate::sandbox::{Sandbox, install};

const CANARY: &str = "canary-51d07e9b";

/// A directory with executables of Terraform providers.
pub(crate) fn sandbox(project: &str) -> Sandbox {
    let sandbox = Sandbox::new(project);
    for name in ["crude", "local", "narrow", "random", "tls", "wide"] {
        let name = format!("terraform-provider-{name}");
        symlink(peer(format!("terraform/{name}")), sandbox.path("project").join(&name)).unwrap();
    }
    sandbox
}

pub(crate) fn asked(sandbox: &Sandbox, provider: &str, arguments: &[&str]) -> Vec<Value> {
    let provider = format!("./terraform-provider-{provider}");
    let whole: Vec<&str> = ["plugin", "call", "--terraform", &provider].iter().chain(arguments).copied().collect();
    let answer = sandbox.outrigger(&whole).ok();
    answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_the_page_shows_happens() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/asking-plugins.md");
    let page = fs::read_to_string(page).unwrap();
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let bin = sandbox.path("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_outrigger"), bin.join("outrigger")).unwrap();
    let mut sandbox = sandbox;
    sandbox.prefer(&bin);
    let mut count = 0;
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for part in block.split("$ ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap();
            let answer = sandbox.run(Path::new("/bin/sh"), &["-c", command]);
            assert_eq!(answer.stdout, expected, "{command}\n{}", answer.stderr);
            count += 1;
        }
    }
    assert_eq!(count, 9);
}

#[test]
fn schemas_are_those_of_the_package_and_of_the_provider() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let schema = |arguments: &[&str]| -> Value {
        let whole: Vec<&str> = ["plugin", "schema"].iter().chain(arguments).copied().collect();
        serde_json::from_str(&sandbox.outrigger(&whole).ok().stdout).unwrap()
    };
    assert_eq!(schema(&["random"])["name"], "random");
    let package = schema(&["terraform-provider", "./terraform-provider-wide"]);
    assert_eq!(
        (&package["name"], &package["parameterization"]["baseProvider"]["name"]),
        (&"wide".into(), &"terraform-provider".into())
    );
    for arguments in [
        ["--terraform", "./terraform-provider-wide"].as_slice(),
        &["--terraform", "terraform-provider", "./terraform-provider-wide"],
    ] {
        let own = &schema(arguments)["provider_schemas"]["wide"];
        let nested = &own["resource_schemas"]["wide_nested"]["block"]["attributes"]["keyed"]["nested_type"];
        assert_eq!(nested["nesting_mode"], "map");
        assert_eq!(nested["attributes"]["hidden"]["sensitive"], true);
        assert_eq!(own["resource_schemas"]["wide_blocks"]["block"]["block_types"]["rule"]["nesting_mode"], "list");
        assert_eq!(own["resource_identity_schemas"]["wide_identified"]["attributes"]["code"]["type"], "string");
        assert!(own["functions"]["double"]["return_type"].is_string());
        assert!(own["ephemeral_resource_schemas"]["wide_lease"].is_object());
        assert!(own["list_resource_schemas"]["wide_identified"].is_object());
    }
}

#[test]
fn an_ephemeral_resource_is_opened_renewed_and_closed() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let request = r#"{"type_name": "wide_lease", "config": {"name": "a"}}"#;
    let hidden = asked(&sandbox, "wide", &["OpenEphemeralResource", request]);
    assert_eq!((&hidden[0]["result"]["token"], &hidden[0]["result"]["name"]), (&"[secret]".into(), &"a".into()));
    assert!(hidden[0]["private"]["length"].is_u64());
    let open = asked(&sandbox, "wide", &["OpenEphemeralResource", request, "--show-secrets"]);
    assert_ne!(open[0]["result"]["token"], "[secret]");
    let next = serde_json::json!({"type_name": "wide_lease", "private": open[0]["private"]}).to_string();
    let renewed = asked(&sandbox, "wide", &["RenewEphemeralResource", &next]);
    assert!(renewed[0]["renew_at"].as_str().unwrap().ends_with('Z') && renewed[0]["diagnostics"].is_null());
    assert_eq!(asked(&sandbox, "wide", &["CloseEphemeralResource", &next]), [serde_json::json!({})]);
    let lost = asked(&sandbox, "wide", &["CloseEphemeralResource", r#"{"type_name": "wide_lease"}"#]);
    assert_eq!(lost[0]["diagnostics"][0]["summary"], "Never opened");
}

#[test]
fn what_exists_is_listed_and_imported_by_its_identity() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    fs::create_dir(sandbox.path("project/world")).unwrap();
    let config = r#"{"directory": "world"}"#;
    let made = serde_json::json!({
        "type_name": "wide_identified",
        "planned_state": {"id": {"$unknown": true}, "region": "north", "value": "v"},
        "config": {"region": "north", "value": "v"},
    });
    let made = asked(&sandbox, "wide", &["--config", config, "ApplyResourceChange", &made.to_string()]);
    let identity = &made[0]["new_identity"];
    assert_eq!(identity["region"], "north", "{made:?}");
    let request = r#"{"type_name": "wide_identified", "config": {}, "limit": 5}"#;
    let found = asked(&sandbox, "wide", &["--config", config, "ListResource", request]);
    assert_eq!(found.len(), 1);
    assert_eq!(&found[0]["identity"], identity);
    let request = serde_json::json!({"type_name": "wide_identified", "identity": identity}).to_string();
    let imported = asked(&sandbox, "wide", &["--config", config, "ImportResourceState", &request]);
    assert_eq!(imported[0]["imported_resources"][0]["type_name"], "wide_identified", "{imported:?}");
}

#[test]
fn what_came_before_an_error_is_shown() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let world = sandbox.path("project/world/identified");
    fs::create_dir_all(&world).unwrap();
    for (id, region) in [("a", "north"), ("b", "unspeakable")] {
        fs::write(world.join(format!("{id}.json")), format!(r#"{{"region": "{region}"}}"#)).unwrap();
    }
    let request = r#"{"type_name": "wide_identified", "config": {}, "limit": 5}"#;
    let provider = ["plugin", "call", "--terraform", "./terraform-provider-wide"];
    let call = ["--config", r#"{"directory": "world"}"#, "ListResource", request];
    let answer = sandbox.outrigger(&[provider, call].concat()).ended(1);
    let shown: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(shown[0]["identity"], serde_json::json!({"region": "north", "code": "a"}));
    drop(answer.says(&["error[plugin-call]", "did not answer ListResource", "invalid UTF-8"]));
}

#[test]
fn errors_about_the_schema_are_told() {
    let mut sandbox = sandbox("name: asking\nruntime: yaml\n");
    sandbox.set("CRUDE_SCHEMA_ERROR", Some("The parts do not fit together."));
    let crude = "./terraform-provider-crude";
    for arguments in [
        ["call", "--terraform", crude, "GetMetadata"].as_slice(),
        &["schema", "--terraform", crude],
        &["schema", "terraform-provider", crude],
    ] {
        let answer = sandbox.outrigger(&[&["plugin"], arguments].concat()).ended(1);
        assert_eq!(answer.stdout, "");
        drop(answer.says(&["error[plugin-call]", "No schema", "The parts do not fit together."]));
    }
}

#[test]
fn wrong_requests_are_told_with_their_place() {
    let sandbox = sandbox("name: asking\nruntime: yaml\n");
    let refused = |arguments: &[&str], parts: &[&str]| {
        let whole: Vec<&str> = ["plugin", "call"].iter().chain(arguments).copied().collect();
        drop(sandbox.outrigger(&whole).ended(1).says(parts));
    };
    let random = "./terraform-provider-random";
    refused(
        &["--terraform", random, "ReadResorce"],
        &["has no call `ReadResorce`", "Did you mean `ReadResource`?", "ValidateProviderConfig"],
    );
    refused(&["--terraform", random, "ReadResource", "{"], &["error[plugin-request]", "the request is not JSON"]);
    refused(&["--terraform", random, "ReadResource"], &["`type_name` needs a name"]);
    refused(&["--terraform", random, "ReadResource", r#"{"type_name": "random_x"}"#], &["has no `random_x`"]);
    let wrong = r#"{"type_name": "random_pet", "config": {"length": [1]}}"#;
    refused(&["--terraform", random, "ValidateResourceConfig", wrong], &["config.length: number is needed here"]);
    let wrong = r#"{"type_name": "random_pet", "confg": {}}"#;
    refused(&["--terraform", random, "ValidateResourceConfig", wrong], &["confg: the message has no such field"]);
    // Protocol 5 before the call was there.
    refused(&["--terraform", "./terraform-provider-tls", "GetMetadata"], &["unknown method GetMetadata"]);
    refused(&["simple", "NoSuchCall"], &["has no call `NoSuchCall`", "The calls are: ", "CheckConfig"]);
    refused(&["simple", "Check", r#"{"urm": "x"}"#], &["the request was not sent", "urm"]);
}

/// The lines of a log, each of them an entry as Pulumi writes it.
fn log(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(sandbox.path("project").join(name)).unwrap();
    assert!(!text.contains(CANARY), "{:#?}", text.lines().filter(|line| line.contains(CANARY)).collect::<Vec<_>>());
    let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for entry in &entries {
        assert!(entry["method"].is_string() && entry["timestamp"].is_string(), "{entry}");
        assert_eq!(entry["metadata"]["mode"], "client");
    }
    entries
}

fn completed<'e>(entries: &'e [Value], method: &str) -> Vec<&'e Value> {
    entries
        .iter()
        .filter(|entry| entry["progress"] == "response_completed")
        .filter(|entry| entry["method"].as_str().unwrap().ends_with(&format!("/{method}")))
        .collect()
}

#[test]
fn every_call_is_logged_and_no_secret_is() {
    let program = format!(
        "name: birds\nruntime: yaml\nconfig:\n  wide:directory: {{value: world}}\nresources:\n  password:\n    type: random:Password\n    properties: {{length: 12, keepers: {{song: {{'fn::secret': {CANARY}}}}}}}\n  kept:\n    type: wide:Secret\n    properties: {{label: plain, password: {CANARY}}}\n  simple:\n    type: simple:Resource\n    properties: {{value: true}}\n    options: {{version: 2.0.0}}\n  key:\n    type: tls:PrivateKey\n    properties: {{algorithm: RSA}}\n"
    );
    let mut sandbox = sandbox(&program);
    fs::create_dir(sandbox.path("project/world")).unwrap();
    sandbox.set("PULUMI_DEBUG_GRPC", Some("calls.jsonl"));
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    for name in ["random", "wide"] {
        let path = format!("./terraform-provider-{name}");
        sandbox.outrigger(&["package", "add", "terraform-provider", &path]).ok();
    }
    sandbox.outrigger(&["install"]).ok().says(&["All plugins are installed."]);
    sandbox.outrigger(&["up", "--yes"]).ok();
    let entries = log(&sandbox, "calls.jsonl");
    let created = completed(&entries, "ApplyResourceChange");
    let password = created.iter().find(|entry| entry["request"]["type_name"] == "random_password").unwrap();
    assert_eq!(password["response"]["new_state"]["result"], "[secret]");
    assert_eq!(password["request"]["config"]["keepers"]["song"], "[secret]");
    assert_eq!(password["request"]["config"]["length"], 12);
    let kept = created.iter().find(|entry| entry["request"]["type_name"] == "wide_secret").unwrap();
    assert_eq!(
        (&kept["request"]["config"]["label"], &kept["request"]["config"]["password"]),
        (&"plain".into(), &"[secret]".into())
    );
    let simple = completed(&entries, "Create");
    assert!(
        simple
            .iter()
            .any(|entry| entry["metadata"]["name"] == "simple" && entry["request"]["properties"]["value"] == true)
    );
    let made = |entry: &&&Value| entry["metadata"]["name"] == "tls" && entry["request"]["preview"].is_null();
    let key = simple.iter().find(made).unwrap();
    assert_eq!(key["response"]["properties"]["privateKeyPem"]["value"], "[secret]");
    sandbox.set("PULUMI_TF_DEBUG_GRPC", Some("terraform.jsonl"));
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert!(
        log(&sandbox, "terraform.jsonl").iter().all(|entry| entry["method"].as_str().unwrap().starts_with("/tfplugin"))
    );
    sandbox.set("PULUMI_DEBUG_GRPC", Some("no/such/directory"));
    sandbox.outrigger(&["preview"]).ended(1).says(&["error[call-log]", "PULUMI_DEBUG_GRPC"]);
}

/// A value that is not a string arrives as JSON in a string, and is decoded for the provider.
#[test]
fn secrets_inside_settings_are_not_logged() {
    let program = format!(
        "name: birds\nruntime: yaml\nresources:\n  elsewhere:\n    type: pulumi:providers:wide\n    properties:\n      directory: world\n      labels: {{'fn::secret': {{song: {CANARY}}}}}\n      endpoints: [{{serviceUrl: {{'fn::secret': 'http://{CANARY}'}}}}]\n  named:\n    type: wide:Named\n    properties: {{name: a, value: plain}}\n    options: {{provider: '${{elsewhere}}'}}\n"
    );
    let mut sandbox = sandbox(&program);
    fs::create_dir(sandbox.path("project/world")).unwrap();
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox.outrigger(&["package", "add", "terraform-provider", "./terraform-provider-wide"]).ok();
    for (command, name) in [("up", "up.jsonl"), ("destroy", "destroy.jsonl")] {
        sandbox.set("PULUMI_DEBUG_GRPC", Some(name));
        sandbox.outrigger(&[command, "--yes"]).ok();
        let entries = log(&sandbox, name);
        let configured = completed(&entries, "ConfigureProvider");
        let config = &configured[0]["request"]["config"];
        assert_eq!(config["labels"]["song"], "[secret]", "{config}");
        assert_eq!(config["endpoint"][0]["service_url"], "[secret]", "{config}");
        assert_eq!(config["directory"], "world");
    }
    assert!(sandbox.read("up.jsonl").contains("/ValidateProviderConfig"));
}

#[test]
fn the_bridge_under_pulumi_logs_its_own_calls() {
    let program = format!(
        "name: birds\nruntime: yaml\nresources:\n  password:\n    type: random:Password\n    properties: {{length: 12, keepers: {{song: {{'fn::secret': {CANARY}}}}}}}\n"
    );
    let mut sandbox = sandbox(&program);
    let home = sandbox.path("home/.pulumi/plugins/resource-terraform-provider-v1.0.0");
    fs::create_dir_all(&home).unwrap();
    let plugin = home.join("pulumi-resource-terraform-provider");
    let ours = Path::new(env!("CARGO_BIN_EXE_outrigger"));
    install(ours, &plugin);
    sandbox.outrigger(&["package", "add", "terraform-provider", "./terraform-provider-random"]).ok();
    sandbox.set("PULUMI_TF_DEBUG_GRPC", Some(sandbox.path("project/terraform.jsonl").to_str().unwrap()));
    sandbox.pulumi(&["stack", "init", "dev"]).ok();
    sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ok();
    let entries = log(&sandbox, "terraform.jsonl");
    let applied = completed(&entries, "ApplyResourceChange");
    assert_eq!(applied[0]["request"]["config"]["keepers"]["song"], "[secret]", "{applied:?}");

    // Pulumi's own log gets them, too, each line whole.
    sandbox.set("PULUMI_TF_DEBUG_GRPC", None);
    sandbox.set("PULUMI_DEBUG_GRPC", Some(sandbox.path("project/all.jsonl").to_str().unwrap()));
    sandbox.pulumi(&["destroy", "--yes", "--skip-preview"]).ok();
    let text = sandbox.read("all.jsonl");
    let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let asked = |method: &str| entries.iter().filter(|entry| entry["method"] == method).count();
    assert!(asked("/pulumirpc.ResourceProvider/Delete") > 0, "{entries:?}");
    assert!(asked("/tfplugin5.Provider/ApplyResourceChange") > 0, "{entries:?}");
}
