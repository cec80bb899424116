use std::path::Path;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_syntax::Document;
use outrigger_value::Value;

use super::{Config, ConfigPath, ListedValue, get, list, looks_like_secret, merge};
use crate::project::Project;
use crate::stack_config::StackConfig;

/// `<x>` is the ciphertext of `x`.
struct Brackets;

impl Crypter for Brackets {
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
        Ok(format!("<{plaintext}>"))
    }

    fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
        let inside = ciphertext.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        inside.map(str::to_owned).ok_or_else(|| Diagnostic::error("test", "no ciphertext"))
    }
}

/// Must not be used.
struct Untouched;

impl Crypter for Untouched {
    fn encrypt(&self, _: &str) -> Result<String, Diagnostic> {
        panic!("the key was asked for")
    }

    fn decrypt(&self, _: &str) -> Result<String, Diagnostic> {
        panic!("the key was asked for")
    }
}

fn project(config: &str) -> Project {
    let text = format!("name: p\nruntime: yaml\nconfig:\n{config}");
    Project::from_document(Path::new("Pulumi.yaml"), Document::parse("Pulumi.yaml", text).unwrap()).unwrap()
}

fn stack(config: &str) -> StackConfig {
    let text = format!("config:\n{config}");
    StackConfig::parse("Pulumi.dev.yaml", Some(text.as_bytes()), "p").unwrap()
}

fn merged(declared: &str, given: &str) -> Result<Config, Vec<Diagnostic>> {
    merge(&project(declared), &stack(given), "dev", &Brackets)
}

fn texts(config: &Config) -> String {
    let shown: Vec<String> = config.entries().iter().map(|(key, entry)| format!("{key}={}", entry.text)).collect();
    shown.join(" ")
}

fn codes(result: Result<Config, Vec<Diagnostic>>) -> String {
    let found = result.unwrap_err();
    found.iter().map(|one| format!("{} {}", one.code, one.place.as_ref().unwrap())).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_stack_wins_over_the_project() {
    let declared = "  a: 1\n  b: {type: boolean, default: true}\n  c: {value: [1, {k: v}]}\n  aws:region: eu\n  p:d: x\n  f: {default: 1.5}\n  o.p: 7\n";
    let config = merged(declared, "  a: 2\n  aws:region: us\n  extra: {k: 1}\n").unwrap();
    assert_eq!(
        texts(&config),
        r#"aws:region=us p:a=2 p:b=true p:c=[1,{"k":"v"}] p:d=x p:extra={"k":1} p:f=1.5 p:o={"p":7}"#
    );
}

#[test]
fn what_is_missing_is_said_at_once() {
    let found = merged("  zed: {type: string}\n  a: {secret: true}\n  m: {type: object}\n  given: 1\n", "  x: y\n")
        .unwrap_err();
    assert_eq!(found[0].summary, "stack `dev` is missing the configuration values `a`, `m` and `zed`");
    assert_eq!(found[0].hints.len(), 3);
    assert_eq!(found[0].hints[0], "Run `outrigger config set --secret a VALUE`.");
    assert_eq!(found[0].place.as_ref().unwrap().to_string(), "Pulumi.yaml:5:3");
    let found = merged("  one: {type: string}\n", "  x: y\n").unwrap_err();
    assert_eq!(found[0].summary, "stack `dev` is missing the configuration value `one`");
}

#[test]
fn types_are_checked() {
    let declared = "  n: {type: integer}\n  l: {type: array, items: {type: boolean}}\n  o: {type: object}\n";
    assert!(merged(declared, "  n: '5'\n  l: [true, 'false']\n  o: {}\n").is_ok());
    assert_eq!(
        codes(merged(declared, "  n: x\n  l: [1]\n  o: 5\n")),
        "config-type Pulumi.dev.yaml:3:3, config-type Pulumi.dev.yaml:2:3, config-type Pulumi.dev.yaml:4:3"
    );
    assert!(merged("  s: {type: string, secret: true}\n", "  s: {secure: <x>}\n").is_ok());
    assert_eq!(
        codes(merged("  s: {type: string, secret: true}\n", "  s: x\n")),
        "config-not-secret Pulumi.dev.yaml:2:3"
    );
    assert_eq!(
        codes(merged("  s: {type: string, secret: true, default: x}\n", "  y: x\n")),
        "config-not-secret Pulumi.yaml:4:44"
    );
    assert!(merged("  n: {type: integer}\n", "  n: {secure: <7>}\n").is_ok());
}

#[test]
fn secrets_are_opened_late_and_hidden() {
    assert!(merge(&project("  a: 1\n"), &stack("  b: 2\n"), "dev", &Untouched).is_ok());
    let config =
        merged("  a: 1\n", "  s: {secure: <hush>}\n  m: {k: {secure: <hush>}, n: 1}\n  aws:token: {secure: <t>}\n")
            .unwrap();
    assert!(!format!("{config:?}").contains("hush"));
    assert_eq!(texts(&config), r#"aws:token=t p:a=1 p:m={"k":"hush","n":1} p:s=hush"#);
    let values = config.values();
    assert_eq!(values["p:a"], Value::Number(1.0));
    assert_eq!(values["p:s"], Value::secret(Value::String("hush".into())));
    assert!(matches!(&values["p:m"], Value::Secret(inner) if inner.as_map().is_some()));
    assert_eq!(config.package("aws")["token"], Value::secret(Value::String("t".into())));
    assert_eq!(config.plugin_environment("aws"), r#"{"token":"t"}"#);
    assert_eq!(config.plugin_environment("none"), "{}");
    assert_eq!(config.secret_texts().count(), 3);
    let wrong = merged("  a: 1\n", "  s: {secure: bad}\n").unwrap_err();
    assert_eq!(wrong[0].notes, ["while decrypting the configuration value `p:s`"]);
}

#[test]
fn getting_and_listing() {
    let (project, stack) = (project("  d: 5\n"), stack("  s: {secure: <hush>}\n  m: {k: [true]}\n"));
    let path = |text: &str| ConfigPath::parse(text, "p", true).unwrap();
    assert_eq!(get(&project, &stack, "dev", &path("d"), &Untouched).unwrap().text(), "5");
    assert_eq!(get(&project, &stack, "dev", &path("m.k[0]"), &Untouched).unwrap().text(), "true");
    let secret = get(&project, &stack, "dev", &path("s"), &Brackets).unwrap();
    assert_eq!((secret.text(), secret.secret()), ("hush", true));
    assert!(!format!("{secret:?}").contains("hush"));
    let missing = get(&project, &stack, "dev", &path("m.x"), &Untouched).unwrap_err();
    assert_eq!(missing.summary, "stack `dev` has no configuration value `p:m.x`");
    let listed = list(&project, &stack, false, &Untouched).unwrap();
    let lines: Vec<String> = listed.iter().map(|line| format!("{} {}", line.shown_key, line.text)).collect();
    assert_eq!(lines, ["d 5", "m {\"k\":[true]}", "s [secret]"]);
    assert!(ListedValue::json(&listed).contains("\"p:s\": {\n    \"secret\": true\n  }"));
    assert_eq!(ListedValue::json(&[]), "{}");
}

#[test]
fn names_that_speak_of_secrets() {
    let key = |name: &str| ConfigPath::parse(name, "p", false).unwrap().key;
    assert!(looks_like_secret(&key("dbPassword"), "correct horse"));
    assert!(!looks_like_secret(&key("dbPassword"), "off"));
    assert!(!looks_like_secret(&key("region"), "correct horse"));
}

#[test]
fn an_environment_of_pulumi_cloud_is_refused() {
    let stack = StackConfig::parse("s.yaml", Some(b"environment: [prod]\n"), "p").unwrap();
    let found = merge(&project("  a: 1\n"), &stack, "dev", &Brackets).unwrap_err();
    assert_eq!(found[0].code, "stack-config-environment");
}
