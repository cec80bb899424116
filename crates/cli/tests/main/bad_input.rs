//! Every mistake a user can make: the error has a place, a reason and a next step, and nothing is changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sandbox::{PASSPHRASE, Sandbox};

/// A program with a mistake, and the texts that the error must contain.
fn check(program: &str, expected: &[&str]) {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\n");
    sandbox.write("Pulumi.yaml", &format!("name: shop\nruntime: yaml\n{program}"));
    let before = fs::read(sandbox.checkpoint("shop", "dev")).unwrap();
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(expected);
    assert_eq!(fs::read(sandbox.checkpoint("shop", "dev")).unwrap(), before, "the state was changed");
}

#[test]
fn broken_yaml() {
    check("resources:\n  pet: [1, 2\n", &["Pulumi.yaml:", "error[", "help:"]);
    check("resources:\n  pet: {type: ${x}}\n", &["Pulumi.yaml:4:", "quote"]);
}

#[test]
fn projects_that_cannot_be_one() {
    let sandbox = Sandbox::new("name: ../../etc/passwd\nruntime: yaml\n");
    sandbox.outrigger(&["check"]).ended(1).says(&["error[project-name]", "Pulumi.yaml:1:7", "cannot be the name"]);
    sandbox.write("Pulumi.yaml", "name: shop\nruntime: yaml\n---\nresources: {}\n");
    sandbox.outrigger(&["check"]).ok().says(&["warning[yaml-documents]", "Pulumi.yaml:3:1"]);
    sandbox.write("Pulumi.yaml", "---\nname: shop\nruntime: yaml\n...\n");
    sandbox.outrigger(&["check"]).ok().says(&["no mistakes and no warnings"]);
    fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    fs::create_dir(sandbox.path("project/Pulumi.yaml")).unwrap();
    sandbox.outrigger(&["preview"]).ended(1).says(&["Pulumi.yaml` is a directory", "help:"]);
}

/// A few lines that repeat each other ask for a terabyte.
#[test]
fn a_value_without_end_has_a_place() {
    let lines: String = (1..=40).map(|line| format!("  v{line}: '${{v{0}}}${{v{0}}}'\n", line - 1)).collect();
    let sandbox = Sandbox::with_stack(&format!("name: shop\nruntime: yaml\nvariables:\n  v0: '0123456789'\n{lines}"));
    sandbox.outrigger(&["preview"]).ended(1).says(&["error[yaml-value-too-large]", "Pulumi.yaml:27:", "64 MiB"]);
}

#[test]
fn a_name_where_a_reference_belongs() {
    let command = "type: 'kit:process:Command', properties: {create: 'true'";
    let program = |rest: &str| {
        format!("name: shop\nruntime: yaml\nresources:\n  one: {{{command}}}}}\n  two: {{{command}{rest}\n")
    };
    let sandbox = Sandbox::new(&program("}, options: {dependsOn: one}}"));
    sandbox.outrigger(&["check"]).ended(1).says(&["Write `${one}` instead of `one`."]);
    sandbox.write("Pulumi.yaml", &program(", triggers: one}}"));
    sandbox.outrigger(&["check"]).ended(1).says(&["error[yaml-type]", "Write `${one}` instead of `one`."]);
    sandbox.write("Pulumi.yaml", &program(", triggers: 5}}"));
    sandbox.outrigger(&["check"]).ended(1).says(&["Write a list here"]);
}

#[test]
fn limits_of_the_system_are_named() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\n");
    let outrigger = env!("CARGO_BIN_EXE_outrigger");
    let limited = |files: u32| {
        let script = format!("ulimit -n {files}; exec '{outrigger}' up --yes --skip-preview");
        sandbox.run("/bin/sh".as_ref(), &["-c", &script]).failed().says(&["Too many open files", "ulimit -n"])
    };
    limited(5);
    limited(10);
    sandbox.write("Pulumi.yaml", "name: shop\nruntime: yaml\nvariables:\n  a: \"x\u{1}y\"\n");
    sandbox.outrigger(&["check"]).ended(1).says(&["error[yaml-syntax]", "control character"]);
}

#[test]
fn a_value_of_the_wrong_type_is_stored_with_a_warning() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\nconfig:\n  words: {type: integer}\n");
    let set = |value: &str| sandbox.outrigger(&["config", "set", "words", value]).ok().text();
    let warned = set("three");
    assert!(warned.contains("warning[config-type]") && warned.contains("`integer`"), "{warned}");
    assert_eq!(sandbox.outrigger(&["config", "get", "words"]).ok().stdout.trim(), "three");
    assert!(!set("3").contains("warning"));
}

#[test]
fn some_commands_need_no_directory() {
    let sandbox = Sandbox::new("name: shop\nruntime: yaml\n");
    let outrigger = env!("CARGO_BIN_EXE_outrigger");
    let gone = |arguments: &str| {
        let script = format!("mkdir gone && cd gone && rmdir ../gone && exec '{outrigger}' {arguments}");
        sandbox.run("/bin/sh".as_ref(), &["-c", &script])
    };
    gone("version").ok();
    gone("explain yaml-syntax").ok().says(&["What to do."]);
    gone("check").ended(1).says(&["error[no-directory]"]);
}

#[test]
fn missing_config_plugin_and_stack() {
    check("config:\n  size: {type: integer}\n", &["size", "outrigger config set"]);
    check(
        "resources:\n  x: {type: 'nowhere:Thing'}\n",
        &["plugin `nowhere` was not found", "Searched:", "PATH", "pulumi plugin install resource nowhere"],
    );
    let sandbox = Sandbox::new("name: shop\nruntime: yaml\n");
    sandbox.outrigger(&["up", "--yes", "--stack", "nope"]).ended(6).says(&["no stack `nope`", "stack init nope"]);
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["no stack is selected", "stack init", "stack select"]);
    fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["there is no project here", "--cwd"]);
}

#[test]
fn what_is_not_there_yet() {
    let mut sandbox = Sandbox::new("name: shop\nruntime: yaml\n");
    sandbox
        .outrigger(&["stack", "init", "dev", "--secrets-provider", "awskms://alias/x"])
        .ended(1)
        .says(&["`awskms` is not supported yet", "passphrase"]);
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    let file = sandbox.read("Pulumi.dev.yaml");
    sandbox.write("Pulumi.dev.yaml", &format!("{file}environment:\n  - prod\n"));
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["Pulumi.dev.yaml:2:1", "ESC", "`pulumi`"]);
    sandbox.write("Pulumi.dev.yaml", "secretsprovider: gcpkms://projects/x\nencryptedkey: abc\n");
    sandbox.outrigger(&["up", "--yes"]).ended(1).says(&["gcpkms", "not supported yet"]);
    for (url, word) in
        [("https://api.pulumi.com", "Pulumi Cloud"), ("s3://bucket", "object store"), ("azblob://x", "object store")]
    {
        sandbox.set("PULUMI_BACKEND_URL", Some(url));
        sandbox.outrigger(&["up", "--yes"]).ended(1).says(&[word, "not supported yet", "file://"]);
    }
}

#[test]
fn a_directory_that_may_not_be_written() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\nresources:\n  pet: {type: 'random:RandomPet'}\n");
    let directory = sandbox.path("state/.pulumi");
    if fs::metadata(&directory).is_ok() && is_root() {
        // Root may write everywhere; a file in the way of a directory refuses it too.
        fs::write(directory.join("locks"), "in the way").unwrap_or_else(|_| {
            fs::remove_dir_all(directory.join("locks")).unwrap();
            fs::write(directory.join("locks"), "in the way").unwrap();
        });
    } else {
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o555)).unwrap();
    }
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(&["lock", "error["]);
}

/// How many things the oracle's cloud has created.
fn made(sandbox: &Sandbox) -> usize {
    fs::read_to_string(sandbox.path("oracle.log")).unwrap_or_default().matches("\"op\":\"create\"").count()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

mod peers {
    use super::*;

    #[test]
    fn unknown_names() {
        let pet = |inside: &str| format!("resources:\n  pet:\n    type: random:RandomPet\n{inside}");
        check(&pet("    propertys: {length: 2}\n"), &["Pulumi.yaml:6:5", "propertys", "properties"]);
        check("resources:\n  pet: {type: 'random:RandomPett'}\n", &["Pulumi.yaml:4:", "RandomPett"]);
        check(&pet("    properties: {lenght: 2}\n"), &["Pulumi.yaml:6:18", "lenght", "length"]);
        check(&pet("    options: {protected: true}\n"), &["Pulumi.yaml:6:15", "protected"]);
        check("variables:\n  x:\n    fn::nonsense: 1\noutputs: {x: '${x}'}\n", &["Pulumi.yaml:5:", "fn::nonsense"]);
        check(
            "variables:\n  x: {'fn::invoke': {function: 'random:nope'}}\noutputs: {x: '${x}'}\n",
            &["Pulumi.yaml:4:", "random:nope"],
        );
    }

    #[test]
    fn wrong_types_cycles_and_missing_references() {
        check(
            "resources:\n  pet:\n    type: random:RandomPet\n    properties: {length: [1]}\n",
            &["Pulumi.yaml:6:26", "length"],
        );
        check("variables:\n  a: ${b}\n  b: ${a}\n", &["Pulumi.yaml:", "circular"]);
        check("outputs:\n  x: ${nothing.id}\n", &["Pulumi.yaml:4:", "nothing"]);
    }

    #[test]
    fn missing_and_wrong_passphrases() {
        let mut sandbox = Sandbox::with_stack(
            "name: shop\nruntime: yaml\nconfig: {word: {type: string}}\nresources:\n  pet: {type: 'random:RandomPet', properties: {prefix: '${word}'}}\n",
        );
        sandbox.outrigger(&["config", "set", "--secret", "word", "quiet"]).ok();
        sandbox.outrigger(&["up", "--yes"]).ok();
        let before = fs::read(sandbox.checkpoint("shop", "dev")).unwrap();
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
        for arguments in [["up", "--yes"].as_slice(), &["preview"], &["destroy", "--yes"], &["config", "get", "word"]] {
            sandbox.outrigger(arguments).ended(1).says(&["passphrase is needed", "Set PULUMI_CONFIG_PASSPHRASE"]);
        }
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("wrong"));
        for arguments in [["up", "--yes"].as_slice(), &["preview"], &["destroy", "--yes"], &["config", "get", "word"]] {
            sandbox.outrigger(arguments).ended(1).says(&["passphrase", "help:"]);
        }
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
        sandbox.set("PULUMI_CONFIG_PASSPHRASE_FILE", Some("phrase.txt"));
        sandbox.outrigger(&["preview"]).ended(1).says(&["phrase.txt", "PULUMI_CONFIG_PASSPHRASE_FILE"]);
        sandbox.write("phrase.txt", &format!("  {PASSPHRASE}\n"));
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
        assert_eq!(fs::read(sandbox.checkpoint("shop", "dev")).unwrap(), before, "the state was changed");
    }

    #[test]
    fn a_wrong_passphrase_stops_before_a_secret_result() {
        let mut sandbox = Sandbox::with_stack(
            "name: shop\nruntime: yaml\nresources:\n  password: {type: 'random:RandomPassword', properties: {length: 9}}\n",
        );
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("wrong"));
        sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(&["passphrase"]);
        sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some(PASSPHRASE));
        let export = sandbox.export();
        assert!(!export.to_string().contains("randomPassword"), "it was made, or may have been: {export}");
        sandbox.outrigger(&["up", "--yes"]).ok();
    }

    #[test]
    fn states_that_cannot_be_used() {
        let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\nresources:\n  pet: {type: 'random:RandomPet'}\n");
        sandbox.outrigger(&["up", "--yes"]).ok();
        let path = sandbox.checkpoint("shop", "dev");
        let good = fs::read_to_string(&path).unwrap();
        let refused = |state: &str, expected: &[&str]| {
            fs::write(&path, state).unwrap();
            for arguments in [["up", "--yes"].as_slice(), &["destroy", "--yes"], &["refresh", "--yes"]] {
                sandbox.outrigger(arguments).ended(1).says(expected).says(&["help:"]);
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), state, "the state was changed");
        };
        refused(&good[..good.len() / 2], &["dev.json"]);
        refused(&good.replacen("{\"version\":3", "{\"version\":9", 1), &["9"]);
        refused(&good.replacen("{\"version\":3", "{\"version\":4,\"features\":[\"newfangled\"]", 1), &["newfangled"]);
        refused(
            &good.replace("\"parent\":\"urn:", "\"parent\":\"urn:pulumi:dev::shop::no:no:No::gone\",\"x\":\"urn:"),
            &["gone"],
        );
        let viewed = good.replace("\"custom\":true,", "\"custom\":true,\"viewOf\":\"urn:pulumi:dev::shop::a:b:C::d\",");
        refused(&viewed, &["viewOf", "does not support", "pulumi"]);
        fs::write(&path, &good).unwrap();
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    }

    #[test]
    fn a_disk_without_room() {
        let value = "x".repeat(60_000);
        let things: String = (0..120)
            .map(|number| format!("  t{number}: {{type: 'oracle:Thing', properties: {{value: {value}}}}}\n"))
            .collect();
        let sandbox = Sandbox::with_stack(&format!("name: shop\nruntime: yaml\nresources:\n{things}"));
        for blocks in [2048, 8192] {
            let answer = sandbox.outrigger_with_little_room(blocks, "up --yes --skip-preview");
            answer.ended(1).says(&["cannot write the journal", "help:", "Everything that completed is saved"]);
            let export = sandbox.export();
            let things = |of: &str| {
                let entries = export["deployment"][of].as_array().cloned().unwrap_or_default();
                let text = entries.iter().map(|entry| entry.get("resource").unwrap_or(entry)["type"].clone());
                text.filter(|ty| ty == "oracle:index:Thing").count()
            };
            let (known, pending, made) = (things("resources"), things("pending_operations"), made(&sandbox));
            // Completed creations are in the state; one whose result could not be written is there as a pending operation.
            assert!(known <= made && made <= known + pending, "{known} known, {pending} pending, {made} made");
            assert!(made > 0 && made < 120, "{made}");
        }
        sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    }
}
