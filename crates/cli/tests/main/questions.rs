//! The questions before something that cannot be undone.

use crate::sandbox::{PASSPHRASE, Sandbox};
use crate::screen::Screen;

const PROGRAM: &str = "name: asked
runtime: yaml
resources:
  a: {type: 'kit:random:Pet'}
  b: {type: 'kit:random:Pet'}
";

#[test]
fn a_new_passphrase_is_asked_for_until_it_is_typed_twice() {
    let mut sandbox = Sandbox::new(PROGRAM);
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
    let (mut screen, terminal) = Screen::open(100, 40);
    let child = sandbox.start_on(terminal, &["stack", "init", "dev"]);
    for (asked, typed) in [("New passphrase:", "one\n"), ("Repeat the passphrase:", "tow\n")] {
        screen.await_text(asked);
        screen.type_text(typed);
    }
    screen.await_text("The passphrases do not match.\nNew passphrase:");
    screen.type_text("two\n");
    screen.await_text("The passphrases do not match.\nNew passphrase:\nRepeat the passphrase:");
    screen.type_text("two\n");
    screen.await_text("Created stack `dev`.");
    assert_eq!(screen.finish(child), 0, "{}", screen.all());
    assert!(!screen.all().contains("two\n"), "{}", screen.all());

    // The existing passphrase is asked for once, and is the second one.
    let (mut screen, terminal) = Screen::open(100, 40);
    let child = sandbox.start_on(terminal, &["config", "set", "--secret", "key", "value"]);
    screen.await_text("Passphrase of the stack");
    screen.type_text("two\n");
    assert_eq!(screen.finish(child), 0, "{}", screen.all());
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("two"));
    sandbox.outrigger(&["config", "get", "key"]).ok().says(&["value"]);
}

#[test]
fn a_wrong_passphrase_is_refused_before_anything_is_changed() {
    let mut sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("wrong"));
    sandbox.outrigger(&["up", "--yes"]).failed().says(&["passphrase-wrong"]);
    let skipped = sandbox.outrigger(&["up", "--yes", "--skip-preview"]).failed().says(&["passphrase-wrong"]);
    assert!(!skipped.text().contains("a kit:random:Pet creat"), "{}", skipped.text());

    // Also where nothing changes: the next change would be refused.
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some(PASSPHRASE));
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("wrong"));
    sandbox.outrigger(&["up", "--yes"]).failed().says(&["passphrase-wrong"]);
}

#[test]
fn a_stack_is_picked_from_a_list() {
    let sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.outrigger(&["stack", "init", "prod", "--no-select"]).ok();
    for (typed, selected) in [("2\n", "prod"), ("dev\n", "dev")] {
        let (mut screen, terminal) = Screen::open(100, 40);
        let child = sandbox.start_on(terminal, &["stack", "select"]);
        screen.await_text("  1. dev\n  2. prod\nName or number:");
        screen.type_text(typed);
        assert_eq!(screen.finish(child), 0, "{}", screen.all());
        sandbox.outrigger(&["stack", "ls"]).ok().says(&[&format!("{selected}*")]);
    }
}

#[test]
fn a_stack_with_resources_is_removed_only_by_its_name() {
    let sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.outrigger(&["stack", "rm", "--yes"]).failed().says(&["stack-not-empty", "still has 3 resources"]);
    for (typed, code) in [("y\n", 8), ("dev\n", 0)] {
        let (mut screen, terminal) = Screen::open(120, 40);
        let child = sandbox.start_on(terminal, &["stack", "rm", "--force"]);
        screen.await_text("still has 3 resources. They will keep running, and no stack will manage them.");
        screen.await_text("Type `dev` to confirm:");
        screen.type_text(typed);
        assert_eq!(screen.finish(child), code, "{}", screen.all());
    }
    assert!(!sandbox.outrigger(&["stack", "ls"]).ok().stdout.contains("dev"));
}

#[test]
fn a_program_without_resources_deletes_everything_only_on_purpose() {
    let sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.write("Pulumi.yaml", "name: asked\nruntime: yaml\n");
    sandbox.outrigger(&["preview"]).ok().says(&["warning[delete-all]", "the state has 2 resources"]);
    sandbox.outrigger(&["up", "--yes"]).ended(2).says(&["not-confirmed", "--delete-all"]);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).failed().says(&["error[delete-all]"]);
    for (typed, code) in [("y\n", 8), ("dev\n", 0)] {
        let (mut screen, terminal) = Screen::open(140, 40);
        let child = sandbox.start_on(terminal, &["up"]);
        screen.await_text("Type `dev` to perform it:");
        screen.type_text(typed);
        assert_eq!(screen.finish(child), code, "{}", screen.all());
    }
    sandbox.outrigger(&["up", "--yes"]).ok();

    sandbox.write("Pulumi.yaml", PROGRAM);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.write("Pulumi.yaml", "name: asked\nruntime: yaml\n");
    sandbox.outrigger(&["up", "--yes", "--delete-all"]).ok().says(&["2 deleted"]);
}
