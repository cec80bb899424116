//! Two commands at the same time: exactly one works.

use std::fs;
use std::io::{BufReader, Read};

use crate::peers::interruption::await_line;
use crate::sandbox::{Sandbox, answer};

const PROJECT: &str = "name: shop\nruntime: yaml\nresources:\n  pet: {type: 'random:RandomPet'}\n";

#[test]
fn of_two_updates_at_once_one_is_refused_or_comes_second() {
    let sandbox = Sandbox::with_stack(PROJECT);
    sandbox.outrigger(&["up", "--yes"]).ok();
    let children: Vec<_> = (0..4).map(|_| sandbox.start(&["up", "--yes", "--skip-preview"])).collect();
    let answers: Vec<_> = children.into_iter().map(answer).collect();
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.code == 0);
    assert!(!won.is_empty());
    for answer in lost {
        answer.ended(1).says(&["is locked by", "outrigger cancel"]);
    }
    sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
}

const SLOW: &str = "name: slow\nruntime: yaml\nresources:\n  a: {type: 'oracle:Thing', properties: {value: a, delayMs: 5000}}\n  b: {type: 'oracle:Thing', properties: {value: '${a.value}b'}}\n";

#[test]
fn while_one_is_at_work_nobody_else_is() {
    let sandbox = Sandbox::with_stack(SLOW);
    let mut child = sandbox.start(&["up", "--yes", "--skip-preview"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    await_line(&mut stdout, "a oracle:index:Thing creating");
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(&["is locked by", "outrigger cancel"]);
    sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ended(1).says(&["locked", "outrigger"]);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    sandbox.pulumi(&["preview", "--expect-no-changes"]).ok();
}

#[test]
fn whoever_loses_the_lock_starts_nothing_new_and_loses_nothing() {
    let sandbox = Sandbox::with_stack(SLOW);
    let mut child = sandbox.start(&["up", "--yes", "--skip-preview"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    await_line(&mut stdout, "a oracle:index:Thing creating");
    sandbox.pulumi(&["cancel", "--yes"]).ok();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(
        rest.contains("lock") && rest.contains("journal") && !rest.contains("b oracle:index:Thing created"),
        "{rest}"
    );
    let made = fs::read_to_string(sandbox.path("oracle.log")).unwrap().lines().count();
    assert_eq!(made, 1, "only `a` was made");
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["b oracle:index:Thing created"]);
    let made = fs::read_to_string(sandbox.path("oracle.log")).unwrap().lines().count();
    assert_eq!(made, 2, "`a` was not made again");
}

#[test]
fn a_lock_of_pulumi_is_respected_until_it_is_cancelled() {
    let sandbox = Sandbox::with_stack(PROJECT);
    let directory = sandbox.path("state/.pulumi/locks/organization/shop/dev");
    fs::create_dir_all(&directory).unwrap();
    let lock = r#"{"pid":1,"username":"someone","hostname":"elsewhere","timestamp":"2026-01-02T03:04:05Z"}"#;
    fs::write(directory.join("6f9619ff-8b86-d011-b42d-00cf4fc964ff.json"), lock).unwrap();
    let refused = sandbox.outrigger(&["up", "--yes"]).ended(1);
    refused.says(&["someone@elsewhere", "2026-01-02T03:04:05Z", "outrigger cancel"]);
    sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ended(1);
    sandbox.outrigger(&["preview"]).ok();
    sandbox.outrigger(&["cancel", "--yes"]).ok().says(&["someone@elsewhere", "is free"]);
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert!(fs::read_dir(&directory).unwrap().next().is_none(), "the lock was not given back");
}
