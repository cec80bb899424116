//! A project and its stack's configuration are accepted or refused as by the real `preview`.

use outrigger_project::Project;
use outrigger_project::config;
use outrigger_project::stack_config::StackConfig;
use outrigger_secrets::{Passphrase, Phrase};

use super::pulumi::{PASSPHRASE, Peer};

/// The `config` block of the project file, that of the stack's file, and whether `preview` runs.
const CASES: &[(&str, &str, bool)] = &[
    ("{a: 1, b: x, c: true, d: [1]}", "{}", true),
    ("{a: {type: string}}", "{}", false),
    ("{a: {type: string}}", "{p:a: 5}", true),
    ("{a: {type: integer}}", "{a: '5'}", true),
    ("{a: {type: integer}}", "{a: 5.5}", false),
    ("{a: {type: boolean}}", "{a: 'true'}", true),
    ("{a: {type: boolean}}", "{a: yes}", false),
    ("{a: {type: array, items: {type: integer}}}", "{a: [1, '2', 3.0]}", true),
    ("{a: {type: array, items: {type: string}}}", "{a: [1]}", false),
    ("{a: {type: array}}", "{}", false),
    ("{a: {type: object}}", "{a: {b: c}}", true),
    ("{a: {type: object}}", "{a: text}", false),
    ("{a: {type: number}}", "{a: 1}", false),
    ("{a: {type: string, secret: true}}", "{a: text}", false),
    ("{a: {secret: true}}", "{a: text}", true),
    ("{a: {type: string, secret: true, default: x}}", "{}", false),
    ("{a: {type: integer, default: x}}", "{}", false),
    ("{a: {default: 1, value: 2}}", "{}", false),
    ("{aws:region: {default: x}}", "{}", false),
    ("{aws:region: {value: x}}", "{}", true),
    ("{a: 1.5}", "{}", false),
    ("{a.b: {type: integer}}", "{a: {c: 2}}", false),
    ("{a: ~}", "{a: 1}", false),
];

#[test]
fn as_the_real_one() {
    let crypter = Passphrase::create(Phrase::new(PASSPHRASE)).unwrap();
    let project = |config: &str| format!("name: p\nruntime: yaml\nconfig: {config}\n");
    let peer = Peer::new(&project("{}"));
    let mut failures = Vec::new();
    for (declared, given, runs) in CASES {
        let project = project(declared);
        let stack = format!("encryptionsalt: {}\nconfig: {given}\n", crypter.salt_string());
        let path = peer.directory().join("Pulumi.yaml");
        std::fs::write(&path, &project).unwrap();
        std::fs::write(peer.directory().join("Pulumi.dev.yaml"), &stack).unwrap();
        let theirs = peer.run(&["preview", "--non-interactive"]);
        let ours = Project::load(&path, "Pulumi.yaml").and_then(|project| {
            let stack = StackConfig::parse("Pulumi.dev.yaml", Some(stack.as_bytes()), "p")?;
            config::merge(&project, &stack, "dev", &crypter)
        });
        if theirs.status.success() != *runs || ours.is_ok() != *runs {
            let stderr =
                String::from_utf8_lossy(&theirs.stderr).into_owned() + &String::from_utf8_lossy(&theirs.stdout);
            failures.push(format!("{declared} with {given}: {}, {stderr}\n ours {ours:?}", theirs.status));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
