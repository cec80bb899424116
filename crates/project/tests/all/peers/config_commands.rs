//! `config set`, `rm`, `get` and the listing work like the real ones: the same values in the file, the same answers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use outrigger_project::Project;
use outrigger_project::config::{self, Config, ConfigKey, ConfigPath, ConfigText, ListedValue};
use outrigger_project::stack_config::{NewValue, StackConfig};
use outrigger_secrets::{Crypter, Passphrase, Phrase};

use super::pulumi::{PASSPHRASE, Peer};

const PROJECT: &str = "name: p
runtime: yaml
config:
  count: {type: integer, default: 5}
  names: {type: array, items: {type: string}, default: [x, 'y']}
  greeting: hello
  on: true
  share: {default: 1.5}
  aws:region: eu-west-1
  deep.inside: 7
";

const OLD: &str = "config:
  # the first
  p:a: one   # why
  b: 5
  m:
    x: 1
    'y': 'two'
    z: [1, {q: r}]
    8080: port
  l:
  - a
  - b: c
    d: e
  aws:region: us
  f: {u: v, w: 1.50}
  d: 2024-01-02
  t: |
    some
    text

  e: ''
  n: 0x10
  big: 12345678901234567890
";

/// Arguments after `pulumi config`; `OLD` is the file before unless the case says `new:` first.
const CASES: &[&str] = &[
    "set|a|two",
    "set|p:a|two words",
    "set|b|true",
    "set|new|",
    "set|new|123",
    "set|new|0123",
    "set|new| lead and trail ",
    "set|new|a: b # c",
    "set|new|multi\nline\ntext",
    "set|new|ends\n\n",
    "set|new|\u{1}\t\"quoted\" \\ é漢🦀\u{2028}",
    "set|new|2024-01-02",
    "set|new|{\"json\":[1]}",
    "set|aws:region|eu",
    "set|other:key|v",
    "set|p:config:a|old form",
    "set|a:b:c|v",
    "set|m|flat",
    "set|--path|m.x|2",
    "set|--path|m.x|true",
    "set|--path|m.x|007",
    "set|--path|--|m.x|-5",
    "set|--path|m.x|18446744073709551615",
    "set|--path|m.x|1.5",
    "set|--path|m.new.deeper|v",
    "set|--path|m.z[0]|v",
    "set|--path|m.z[2]|v",
    "set|--path|m.z[1].q|v",
    "set|--path|m.z[7]|v",
    "set|--path|m.x.y|v",
    "set|--path|m.z.k|v",
    "set|--path|l[2]|c",
    "set|--path|l[1].b|c2",
    "set|--path|fresh[2]|third",
    "set|--path|fresh.a[0].b|v",
    "set|--path|a.b|v",
    "set|--path|[\"dotted.key\"][\"a.b\"]|v",
    "set|--path|fresh.secure|v",
    "set|--path|.a|v",
    "set|--path|a[|v",
    "set|--path|f.w|x,y",
    "set|--path|new|5",
    "set|--secret|pw|hunter2",
    "set|--secret|a|multi\nline",
    "set|--secret|--path|m.secret|s3cr3t",
    "set|--secret|--path|l[0]|s3cr3t",
    "rm|a",
    "rm|nothing",
    "rm|t",
    "rm|--path|m[\"8080\"]",
    "rm|--path|m.x",
    "rm|--path|m.z[0]",
    "rm|--path|m.z[1].q",
    "rm|--path|l[1].b",
    "rm|--path|l[9]",
    "rm|--path|f.u",
    "rm|--path|f",
    "new:set|a|v",
    "new:set|--path|a.b[0]|v",
    "new:set|deep|x",
    "new:rm|a",
];

#[test]
fn as_the_real_one() {
    let crypter = Passphrase::create(Phrase::new(PASSPHRASE)).unwrap();
    let old = StackConfig::parse("Pulumi.dev.yaml", Some(OLD.as_bytes()), "p").unwrap();
    let old = old.set_encryption_salt(crypter.salt_string()).unwrap();
    let new = format!("encryptionsalt: {}\n", crypter.salt_string());
    let cases = Mutex::new(CASES.iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let peer = Peer::new(PROJECT);
                let next = || cases.lock().unwrap().next();
                while let Some(case) = next() {
                    let (before, arguments) = match case.strip_prefix("new:") {
                        Some(arguments) => (&new, arguments),
                        None => (&old, *case),
                    };
                    if let Err(difference) = compare(&peer, before, arguments, &crypter) {
                        failures.lock().unwrap().push(format!("{case:?}: {difference}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), CASES.len(), failures.join("\n"));
}

fn compare(peer: &Peer, before: &str, arguments: &str, crypter: &Passphrase) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.split('|').collect();
    let file = peer.directory().join("Pulumi.dev.yaml");
    std::fs::write(&file, before).unwrap();
    let theirs = peer.run(&[&["config"], arguments.as_slice()].concat());
    let their_file = std::fs::read(&file).unwrap();

    let ours = ours(before, &arguments, crypter);
    if theirs.status.success() != ours.is_ok() {
        return Err(format!("exit {}: {}; ours {ours:?}", theirs.status, String::from_utf8_lossy(&theirs.stderr)));
    }
    let Ok(our_file) = ours else { return Ok(()) };
    let (theirs, ours) = (values(&their_file, crypter)?, values(our_file.as_bytes(), crypter)?);
    if theirs != ours {
        return Err(format!("values {theirs:?}\n ours {ours:?}\n file {our_file}"));
    }

    std::fs::write(&file, &our_file).unwrap();
    let project = Project::load(&peer.directory().join("Pulumi.yaml"), "Pulumi.yaml").unwrap();
    let stack = StackConfig::parse("Pulumi.dev.yaml", Some(our_file.as_bytes()), "p").unwrap();
    // Each run of the real one takes a quarter of a second; half of the files are enough for the listing.
    if arguments.concat().len().is_multiple_of(2) {
        let shown = config::list(&project, &stack, true, crypter).map_err(|problem| problem.to_string())?;
        same("list", &peer.run(&["config", "--json", "--show-secrets"]), Ok(ListedValue::json(&shown)))?;
    }

    let path = arguments.contains(&"--path");
    let key = arguments.iter().skip(1).find(|argument| !argument.starts_with("--")).unwrap();
    let get = |json: bool| {
        let path = ConfigPath::parse(key, "p", path).map_err(|problem| problem.to_string())?;
        let found = config::get(&project, &stack, "dev", &path, crypter).map_err(|problem| problem.to_string())?;
        Ok(if json { found.json() } else { found.text().to_owned() })
    };
    let mut command = vec!["config", "get", key];
    command.extend(path.then_some("--path"));
    let json = our_file.len().is_multiple_of(2);
    command.extend(json.then_some("--json"));
    same("get", &peer.run(&command), get(json))
}

fn ours(before: &str, arguments: &[&str], crypter: &Passphrase) -> Result<String, String> {
    let stack = StackConfig::parse("Pulumi.dev.yaml", Some(before.as_bytes()), "p").unwrap();
    let words: Vec<&&str> = arguments.iter().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let path =
        ConfigPath::parse(words[0], "p", arguments.contains(&"--path")).map_err(|problem| problem.to_string())?;
    let result = match arguments[0] {
        "set" if arguments.contains(&"--secret") => {
            stack.set(&path, NewValue::Secure(crypter.encrypt(words[1]).unwrap()))
        }
        "set" => stack.set(&path, NewValue::Plain((*words[1]).to_owned())),
        _ => stack.remove(&path),
    };
    result.map_err(|problem| problem.to_string())
}

fn values(file: &[u8], crypter: &Passphrase) -> Result<BTreeMap<ConfigKey, (ConfigText, String)>, String> {
    let stack = StackConfig::parse("Pulumi.dev.yaml", Some(file), "p").map_err(|problems| format!("{problems:?}"))?;
    let items = stack.entries().iter().map(|(key, entry)| (key.clone(), entry.item.clone())).collect();
    let config = Config::decrypt(&items, crypter).unwrap();
    // `Debug` hides secrets, so the plain text is compared too.
    Ok(config.entries().iter().map(|(key, text)| (key.clone(), (text.clone(), text.text.clone()))).collect())
}

fn same(what: &str, theirs: &std::process::Output, ours: Result<String, String>) -> Result<(), String> {
    let text = String::from_utf8_lossy(&theirs.stdout);
    let theirs_text = text.strip_suffix('\n').unwrap_or(&text);
    match (theirs.status.success(), &ours) {
        (true, Ok(ours)) if theirs_text == ours => Ok(()),
        (false, Err(_)) => Ok(()),
        _ => Err(format!("{what}: {theirs_text}{}\n ours {ours:?}", String::from_utf8_lossy(&theirs.stderr))),
    }
}
