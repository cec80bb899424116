use outrigger_diagnostic::Diagnostic;

use super::{NewValue, StackConfig};
use crate::config::{ConfigPath, Item};

fn stack(text: &str) -> StackConfig {
    StackConfig::parse("Pulumi.dev.yaml", Some(text.as_bytes()), "p").unwrap()
}

fn set(text: &str, key: &str, value: &str) -> String {
    let path = ConfigPath::parse(key, "p", key.contains(['.', '['])).unwrap();
    stack(text).set(&path, NewValue::Plain(value.into())).unwrap()
}

fn secure(text: &str, key: &str, value: &str) -> String {
    let path = ConfigPath::parse(key, "p", key.contains(['.', '['])).unwrap();
    stack(text).set(&path, NewValue::Secure(value.into())).unwrap()
}

fn remove(text: &str, key: &str) -> String {
    let path = ConfigPath::parse(key, "p", key.contains(['.', '['])).unwrap();
    stack(text).remove(&path).unwrap()
}

#[test]
fn reading() {
    let read = stack(
        "encryptionsalt: v1:a:b\nsecretsprovider: passphrase\nconfig:\n  p:a: 1.50\n  b: true\n  aws:region: eu\n  empty:\n  p:s: {secure: xyz}\n  m: {l: [1, {secure: q}]}\n",
    );
    assert_eq!(read.encryption_salt(), Some("v1:a:b"));
    assert_eq!(read.secrets_provider(), Some("passphrase"));
    assert!(read.has_secrets());
    let shown: Vec<String> = read.entries().iter().map(|(key, entry)| format!("{key}={:?}", entry.item)).collect();
    assert_eq!(shown.first().unwrap(), "aws:region=String(\"eu\")");
    assert!(shown.contains(&"p:a=String(\"1.5\")".to_owned()));
    assert!(shown.contains(&"p:b=String(\"true\")".to_owned()));
    assert!(shown.contains(&"p:empty=String(\"\")".to_owned()));
    assert_eq!(read.warnings().len(), 1);
    for (text, code, place) in [
        ("config: [a]\n", "stack-config-wrong-kind", "1:9"),
        ("- a\n", "stack-config-not-object", "1:1"),
        ("config:\n  a:b:c: 1\n", "config-key", "2:3"),
        ("config:\n  a: 1\n  p:a: 2\n", "config-twice", "3:3"),
        ("config:\n  a: .inf\n", "config-number", "2:6"),
        ("encryptionsalt: [x]\n", "stack-config-wrong-kind", "1:17"),
        ("config:\n  80: x\n", "stack-config-key", "2:3"),
        ("config: {a: *x}\n", "yaml-alias", "1:13"),
    ] {
        let found = StackConfig::parse("s.yaml", Some(text.as_bytes()), "p").unwrap_err();
        assert_eq!((found[0].code, found[0].place.as_ref().unwrap().to_string()), (code, format!("s.yaml:{place}")));
    }
    assert_eq!(stack("environment: [prod]\n").check_environment().unwrap_err().code, "stack-config-environment");
    assert!(stack("environment: []\n").check_environment().is_ok());
}

#[test]
fn a_new_file() {
    let none = StackConfig::parse("Pulumi.dev.yaml", None, "p").unwrap();
    let path = ConfigPath::parse("a", "p", false).unwrap();
    assert_eq!(none.set(&path, NewValue::Plain("x".into())).unwrap(), "config:\n  p:a: x\n");
    assert_eq!(none.set_encryption_salt("v1:x").unwrap(), "encryptionsalt: v1:x\n");
    assert_eq!(none.remove(&path).unwrap(), "");
    let json = StackConfig::parse("Pulumi.dev.json", None, "p").unwrap();
    assert_eq!(json.set(&path, NewValue::Plain("x".into())).unwrap(), "{\"config\": {\"p:a\": \"x\"}}\n");
}

#[test]
fn setting_touches_nothing_else() {
    let file = "# top\nencryptionsalt:   v1:a:b   # salt\n\nconfig:   # all\n    # first\n    p:a:   'old'   # why\n    b: \"x\"\n# end\n";
    assert_eq!(set(file, "a", "new"), file.replace("'old'", "new"));
    assert_eq!(set(file, "b", "true"), file.replace("\"x\"", "\"true\""));
    assert_eq!(set(file, "c", "1"), file.replace("    b: \"x\"\n", "    b: \"x\"\n    p:c: \"1\"\n"));
    assert_eq!(set(file, "b.c[0]", "1"), file.replace("    b: \"x\"\n", "    b:\n      c:\n        - 1\n"));
    assert_eq!(secure(file, "a", "v1:zz"), file.replace("   'old'   # why", "   # why\n      secure: v1:zz"));
    assert_eq!(stack(file).set_encryption_salt("n").unwrap(), file.replace("v1:a:b", "\"n\""));
    let comment = "config:\n  m: # about m\n    a: 1\n    b: 2\n";
    assert_eq!(set(comment, "m", "flat"), "config:\n  m: flat # about m\n");
    assert_eq!(set(comment, "m.c", "3"), "config:\n  m: # about m\n    a: 1\n    b: 2\n    c: 3\n");
}

#[test]
fn lists_and_flow() {
    let file = "config:\n  l:\n  - a # 1\n  - b\n  f: {x: 1, y: [2, 3]}\n  e: {}\n";
    assert_eq!(set(file, "l[1]", "c"), file.replace("- b", "- c"));
    assert_eq!(set(file, "l[2]", "c"), file.replace("- b\n", "- b\n  - c\n"));
    assert_eq!(set(file, "f.z", "yes no"), file.replace("3]}", "3], z: yes no}"));
    assert_eq!(set(file, "f.y[2]", "a,b"), file.replace("3]}", "3, \"a,b\"]}"));
    assert_eq!(set(file, "e.k", "v"), file.replace("e: {}", "e:\n    k: v"));
    assert_eq!(secure(file, "f.y[0]", "q"), file.replace("[2,", "[{secure: q},"));
    assert_eq!(remove(file, "l[0]"), file.replace("  - a # 1\n", ""));
    assert_eq!(remove(file, "f.x"), file.replace("x: 1, ", ""));
    assert_eq!(remove(file, "f.y[1]"), file.replace(", 3", ""));
    assert_eq!(remove(&remove(file, "f.x"), "f.y"), file.replace("{x: 1, y: [2, 3]}", "{}"));
    let objects = "config:\n  l:\n    - a: 1\n      b: 2\n    - c: 3\n";
    assert_eq!(remove(objects, "l[0].a"), "config:\n  l:\n    - b: 2\n    - c: 3\n");
    assert_eq!(remove(objects, "l[1].c"), "config:\n  l:\n    - a: 1\n      b: 2\n    - {}\n");
    assert_eq!(set(objects, "l[1].d", "4"), "config:\n  l:\n    - a: 1\n      b: 2\n    - c: 3\n      d: 4\n");
}

#[test]
fn what_cannot_be_set() {
    let file = "config:\n  m: {a: 1, l: [1]}\n  s: {secure: x}\n";
    for (key, reason) in [
        ("m.a.x", "not a map"),
        ("m.l[5]", "past the end"),
        ("m.l.x", "not a map"),
        ("n.secure", "stands for a secret"),
    ] {
        let path = ConfigPath::parse(key, "p", true).unwrap();
        let found = stack(file).set(&path, NewValue::Plain("v".into())).unwrap_err();
        assert!(found.detail.as_ref().unwrap().contains(reason), "{found}");
    }
    // A whole value that is a scalar or a secret is replaced by a structured one.
    assert_eq!(set(file, "s.a", "1"), "config:\n  m: {a: 1, l: [1]}\n  s:\n    a: 1\n");
}

#[test]
fn removing() {
    let file =
        "# c\nencryptionsalt: s\nconfig:\n  # about a\n  a: 1 # x\n  p:b: |\n    text\n\n  c: 3\nother: {k: v}\n";
    assert_eq!(remove(file, "a"), file.replace("  a: 1 # x\n", ""));
    assert_eq!(remove(file, "b"), file.replace("  p:b: |\n    text\n", ""));
    assert_eq!(remove(file, "c"), file.replace("  c: 3\n", ""));
    assert_eq!(remove(file, "no"), file);
    assert_eq!(remove(file, "a.b"), file);
    assert_eq!(remove("a: 1\nconfig:\n  x: 1\n", "x"), "a: 1\n");
    assert_eq!(remove("# only\nconfig:\n  x: 1\n", "x"), "# only\n");
    assert_eq!(remove("config: {x: 1}", "x"), "");
}

#[test]
fn unusual_files() {
    // A block scalar that keeps its trailing lines would gain or lose one if something came after it.
    let keep = "config:\n  a: |+\n    x\n\n";
    let read = stack(&set(keep, "b", "1"));
    assert_eq!(read.entries().values().next().unwrap().item, Item::String("x\n\n".into()));
    assert_eq!(set("config:\r\n  a: 1\r\n", "b", "2"), "config:\r\n  a: 1\r\n  p:b: \"2\"\r\n");
    assert_eq!(set("config:\n  a: 1", "b", "2"), "config:\n  a: 1\n  p:b: \"2\"");
    assert_eq!(set("{config: {a: 1}}", "b", "2"), "{config: {a: 1, p:b: \"2\"}}");
    assert_eq!(set("config:\n", "b", "2"), "config:\n  p:b: \"2\"\n");
    assert_eq!(set("config: # none yet\n", "b", "2"), "config: # none yet\n  p:b: \"2\"\n");
    assert_eq!(set("\u{feff}config:\n  a: 1\n", "a", "z"), "\u{feff}config:\n  a: z\n");
    assert_eq!(set("config:\n  a: !!str 5\n", "a", "z"), "config:\n  a: z\n");
    assert_eq!(set("config:\n  ? a\n  : 1\n", "a", "z"), "config:\n  ? a\n  : z\n");
    let json = "{\n    \"config\": {\n        \"p:a\": \"1\"\n    }\n}\n";
    let read = StackConfig::parse("Pulumi.dev.json", Some(json.as_bytes()), "p").unwrap();
    let path = ConfigPath::parse("b.c", "p", true).unwrap();
    assert_eq!(
        read.set(&path, NewValue::Plain("true".into())).unwrap(),
        json.replace("\"1\"", "\"1\",\n        \"p:b\": {\"c\": true}")
    );
}

#[test]
fn anchors_survive_changes() {
    let file = "config:\n  p:base: &base\n    size: 1\n    tags: [a]\n  p:one: *base\n  p:two:\n    <<: *base\n    size: 2\n  p:n: &n 5\n  p:m: *n\n";
    let read = stack(file);
    let text = |key: &str| {
        let key = ConfigPath::parse(key, "p", false).unwrap().key;
        crate::config::to_json(&read.entries()[&key].item)
    };
    assert_eq!((text("one"), text("m")), ("{\"size\":1,\"tags\":[\"a\"]}".to_owned(), "\"5\"".to_owned()));
    assert_eq!(text("two"), "{\"size\":2,\"tags\":[\"a\"]}");
    // An alias is replaced by the value; its anchor stays.
    assert_eq!(set(file, "m", "x"), file.replace("p:m: *n", "p:m: x"));
    assert_eq!(set(file, "one.size", "7"), file.replace("p:one: *base", "p:one:\n    size: 7\n    tags:\n      - a"));
    // A key from a merge is overridden beside it.
    assert_eq!(set(file, "two.size", "7"), file.replace("size: 2", "size: 7"));
    assert_eq!(set(file, "two.tags", "x"), file.replace("size: 2", "size: 2\n    tags: x"));
    assert_eq!(set(file, "new", "x"), file.replace("p:m: *n", "p:m: *n\n  p:new: x"));
    assert_eq!(remove(file, "m"), file.replace("  p:m: *n\n", ""));
    // A shared value is not changed through one of its uses.
    for key in ["n", "base.size"] {
        let path = ConfigPath::parse(key, "p", true).unwrap();
        assert_eq!(read.set(&path, NewValue::Plain("9".into())).unwrap_err().code, "stack-config-edit", "{key}");
    }
}

#[test]
fn every_text_comes_back() {
    for text in [
        "",
        " ",
        "true",
        "False",
        "123",
        "0123",
        "1.5",
        "null",
        "~",
        "yes",
        "a b",
        " lead",
        "trail ",
        "a: b",
        "a #b",
        "a:",
        "#x",
        "- x",
        "-",
        "[a]",
        "{a}",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "'q'",
        "\"q\"",
        "back\\slash",
        "multi\nline",
        "end\n",
        "two\n\n",
        "\nstart",
        "  indented\nx",
        "a\n   b\n",
        "a\n \nb",
        "tab\tx",
        "\r\n",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}x",
        "é漢🦀",
        "2024-01-02",
        "1:30",
        "0x1f",
        "1_000",
        "<<",
        "=",
        "${a}",
        "a,b",
        "?",
        "? x",
        "|",
        "> x",
        "---",
        "...",
        "%YAML",
        "x\u{a0}",
        ".inf",
        "+1",
        "1e3",
        "a\u{200b}b",
    ] {
        for file in ["config:\n  p:k: old # c\n  z: 1\n", "config: {p:k: old, z: 1}\n", ""] {
            let new = set(file, "k", text);
            let read = stack(&new);
            let key = ConfigPath::parse("k", "p", false).unwrap().key;
            assert_eq!(read.entries()[&key].item, Item::String(text.into()), "{text:?} in {new:?}");
        }
    }
}

#[test]
fn secrets_get_another_ciphertext_and_the_rest_of_the_file_stays() {
    let text = "# ours\nencryptionsalt: old\nconfig:\n  p:a: '1' # one\n  p:s: {secure: xyz}\n  p:m:\n    l: [1, {secure: q}]\n";
    let anew = stack(text).reencrypted("new", &|ciphertext| Ok(format!("<{ciphertext}>"))).unwrap();
    assert!(anew.starts_with("# ours\nencryptionsalt: new\n") && anew.contains("p:a: '1' # one\n"), "{anew}");
    let items = |text: &str| -> Vec<Item> { stack(text).entries().values().map(|entry| entry.item.clone()).collect() };
    let expected = text.replace("xyz", "<xyz>").replace("secure: q", "secure: <q>").replace("salt: old", "salt: new");
    assert_eq!(items(&anew), items(&expected));
    let refusal = stack(text).reencrypted("new", &|_| Err(Diagnostic::error("ciphertext-refused", "no"))).unwrap_err();
    assert_eq!(refusal.code, "ciphertext-refused");
}
