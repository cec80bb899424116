//! `outrigger plugin test`: its output, its exit codes, and the resources that are left.

use std::fs::{self, OpenOptions};
use std::io::{BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value as Json;

use crate::chaos;
use crate::peers::interruption::{await_line, interrupt};
use crate::sandbox::{Answer, Sandbox, answer};

/// Checks that fail, each with a part of its answer.
type Failures = &'static [(&'static str, &'static str)];

/// The end of the stderr of a plugin that crashed.
const END: &str = "chaos: the end comes in Create";

const PROJECT: &str = "name: none\nruntime: yaml\n";

fn test(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    sandbox.outrigger(&[&["plugin", "test"], arguments].concat())
}

/// The names of the checks that failed, with their answers.
fn failed(report: &Json) -> Vec<(&str, &str)> {
    let checks = report["checks"].as_array().unwrap().iter();
    let failed = checks.filter(|check| check["result"] == "fail");
    failed.map(|check| (check["check"].as_str().unwrap(), check["reason"]["answer"].as_str().unwrap())).collect()
}

#[test]
fn the_kit_passes_and_nothing_is_left() {
    let sandbox = Sandbox::new(PROJECT);
    let file = "kit:fs:File:\n- {path: note, content: {fn::secret: opensesame}}\n- {path: note, content: {fn::secret: opennow}}\n";
    let command =
        "kit:process:Command:\n- {create: echo made, delete: echo gone}\n- {create: echo again, delete: echo gone}\n";
    sandbox.write("inputs.yaml", &format!("{file}{command}"));
    let answer = test(&sandbox, &["--inputs", "inputs.yaml", "kit"]).ok();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = answer.stdout.lines().map(words).collect();
    for check in ["lifecycle", "check", "unknown inputs", "preview", "drift", "secrets", "gone"] {
        assert!(lines.contains(&format!("pass {check} kit:fs:File")), "{check}\n{}", answer.stdout);
    }
    for line in ["pass schema", "pass configure", "pass cancel", "pass lifecycle kit:process:Command"] {
        assert!(lines.contains(&line.to_owned()), "{line}\n{}", answer.stdout);
    }
    let answer = answer.says(&["kit:http:Request", "Pass inputs that work with `--inputs FILE`.", " 0 failed, "]);
    assert!(!answer.text().contains("opensesame"), "{}", answer.stdout);
    assert_eq!(fs::read_dir(sandbox.path("project")).unwrap().count(), 2);
    // Fields of one resource only; the plugin may refuse inputs that make no sense.
    let one = test(&sandbox, &["--json", "--resource", "kit:random:Uuid", "kit"]).ok();
    let report: Json = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!((report["failed"].as_u64(), report["checks"].as_array().unwrap().len()), (Some(0), 11), "{report:#}");
    drop(test(&sandbox, &["--resource", "kit:Nothing", "kit"]).ended(1).says(&["plugin-test-type", "kit:Nothing"]));
    sandbox.write("inputs.yaml", "kit:fs:File: {path: a}\n");
    let refused = test(&sandbox, &["--inputs", "inputs.yaml", "kit"]).ended(1);
    drop(refused.says(&["plugin-test-inputs", "inputs.yaml:1:14"]));
    drop(test(&sandbox, &["--inputs", "none.yaml", "kit"]).ended(1).says(&["plugin-test-inputs", "none.yaml"]));
    drop(test(&sandbox, &["--junit", "none/r.xml", "kit"]).ended(1).says(&["error[output]", "none/r.xml"]));
}

/// The result for a plugin that misbehaves: the failed checks, with a part of each answer.
#[test]
fn a_plugin_that_hangs_or_crashes_fails_a_check_and_the_rest_goes_on() {
    let table: [(&str, Failures, usize); 7] = [
        ("", &[], 0),
        ("Create=exit", &[("lifecycle", END), ("unknown inputs", END), ("preview", END)], 1),
        ("Read=hang", &[("drift", "no answer"), ("import", "no answer"), ("gone", "no answer")], 0),
        ("Check=segfault", &[("lifecycle", "signal 11")], 0),
        ("Delete=refuse", &[("lifecycle", "chaos does not want to")], 1),
        ("start=deaf", &[("cancel", "did not exit within 5 s of SIGINT")], 0),
        ("Create=escape", &[("cancel", "left processes running")], 0),
    ];
    std::thread::scope(|threads| {
        for (chaos, failing, left) in table {
            threads.spawn(move || {
                let mut sandbox = Sandbox::new(PROJECT);
                let plugins = sandbox.path("plugins");
                fs::create_dir(&plugins).unwrap();
                symlink(chaos::plugin(), plugins.join("pulumi-resource-chaos")).unwrap();
                sandbox.prefer(&plugins);
                sandbox.set("CHAOS", Some(chaos));
                let answer = test(&sandbox, &["--json", "--timeout", "2", "--resource", "chaos:Thing", "chaos"]);
                assert_eq!(answer.code, i32::from(!failing.is_empty()), "{chaos}: {}", answer.text());
                let report: Json = serde_json::from_str(&answer.stdout).unwrap();
                let found = failed(&report);
                assert_eq!(found.len(), failing.len(), "{chaos}: {found:?}");
                for ((name, text), (found, answer)) in failing.iter().zip(&found) {
                    assert!(name == found && answer.contains(text), "{chaos}: {found}: {answer}");
                }
                assert_eq!(report["left"].as_array().unwrap().len(), left, "{chaos}: {report:#}");
            });
        }
    });
}

#[test]
fn a_report_for_build_servers_is_written() {
    let mut sandbox = Sandbox::new(PROJECT);
    let plugins = sandbox.path("plugins");
    fs::create_dir(&plugins).unwrap();
    symlink(chaos::plugin(), plugins.join("pulumi-resource-chaos")).unwrap();
    sandbox.prefer(&plugins);
    sandbox.set("CHAOS", Some("Delete=refuse"));
    let answer = test(&sandbox, &["--junit", "report.xml", "--resource", "chaos:Thing", "chaos"]).ended(1);
    drop(answer.says(&[
        "FAIL  lifecycle",
        "Delete: chaos does not want to",
        "These resources were not deleted:",
        "`chaos-test-",
    ]));
    let report = sandbox.read("report.xml");
    for part in [
        "<testsuite name=\"chaos 0.1.0\" tests=\"11\" failures=\"1\"",
        "<testcase classname=\"chaos:index:Thing\" name=\"lifecycle\">",
        "<failure message=\"Delete: chaos does not want to\">",
        "<system-err>Not deleted:\nchaos:index:Thing `chaos-test-",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn an_interrupt_deletes_what_was_created() {
    let sandbox = Sandbox::new(PROJECT);
    let at = |name: &str| sandbox.path("project").join(name);
    assert!(Command::new("mkfifo").arg(at("gate")).status().unwrap().success());
    let command = format!("{{create: cat {}, delete: touch {}}}", at("gate").display(), at("deleted").display());
    sandbox.write("inputs.yaml", &format!("kit:process:Command: [{command}]\n"));
    let arguments = ["plugin", "test", "--inputs", "inputs.yaml", "--resource", "kit:process:Command", "kit"];
    let mut child = sandbox.start(&arguments);
    // Opens when the command of the creation reads.
    let mut gate = OpenOptions::new().write(true).open(at("gate")).unwrap();
    interrupt(&child);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    await_line(&mut stderr, "Stopping: the created resources are deleted.");
    gate.write_all(b"made").unwrap();
    drop(gate);
    let answer = answer(child).ended(8);
    assert!(at("deleted").exists(), "{}", answer.stdout);
    drop(answer.says(&["Read: The test was interrupted.", " 0 failed, "]));
}

#[test]
fn a_plugin_without_its_configuration_is_tested_no_further_than_its_schema() {
    let mut sandbox = Sandbox::new(PROJECT);
    sandbox.install("shelf");
    let alone = test(&sandbox, &["shelf"]).ok();
    assert_eq!(alone.stdout.matches("pass  ").count(), 2, "{}", alone.stdout);
    drop(alone.says(&["skip  configure", "`directory`", "Pass the configuration with `--config KEY=VALUE`"]));
    let (config, notes) = notes(&sandbox);
    let answer = test(&sandbox, &["--config", &config, "--inputs", "inputs.yaml", "shelf"]).ok();
    assert_eq!(answer.stdout.matches("pass  ").count(), 11, "{}", answer.stdout);
    assert_eq!(fs::read_dir(notes).unwrap().count(), 0);
}

/// The configuration of the shelf, its notes, and inputs for one.
fn notes(sandbox: &Sandbox) -> (String, PathBuf) {
    let notes = sandbox.path("notes");
    fs::create_dir(&notes).unwrap();
    sandbox.write("inputs.yaml", include_str!("../../../../examples/shelf/inputs.yaml"));
    (format!("directory={}", notes.display()), notes)
}

#[test]
fn a_secret_on_stderr_fails_a_check_and_is_not_shown() {
    let mut sandbox = Sandbox::new(PROJECT);
    let plugin = sandbox.install("shelf");
    let real = plugin.with_file_name("real");
    fs::rename(&plugin, &real).unwrap();
    fs::write(&plugin, format!("#!/bin/sh\necho the key is open sesame >&2\nexec {} \"$@\"\n", real.display()))
        .unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let (config, _) = notes(&sandbox);
    let answer = test(&sandbox, &["--json", "--config", &config, "--inputs", "inputs.yaml", "shelf"]).ended(1);
    let report: Json = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(failed(&report), [("secrets", "A secret was logged or printed to stderr.")]);
    assert!(!answer.text().contains("open sesame"), "{}", answer.text());
}
