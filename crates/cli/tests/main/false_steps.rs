//! First mistakes and accidents that must not lead further than they have to.

use std::fs::{self, OpenOptions};
use std::process::Command;

use crate::sandbox::{Sandbox, answer};
use crate::screen::Screen;

#[test]
fn the_lock_of_a_running_update_is_released_only_by_the_name_of_the_stack() {
    let sandbox = Sandbox::with_stack(
        "name: held\nruntime: yaml\nresources:\n  a: {type: 'kit:process:Command', properties: {create: cat gate}}\n",
    );
    let gate = sandbox.path("project/gate");
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let running = sandbox.start(&["up", "--yes", "--skip-preview"]);
    // Opening the gate waits until the command reads it, so the lock is held by then.
    let gate = OpenOptions::new().write(true).open(&gate).unwrap();
    let (mut screen, terminal) = Screen::open(160, 20);
    let child = sandbox.start_on(terminal, &["cancel"]);
    screen.await_text("A run of stack `dev` is alive on this machine: ");
    screen.await_text("Type `dev` to confirm:");
    screen.type_text("y\n");
    assert_eq!(screen.finish(child), 8, "{}", screen.all());
    drop(gate);
    answer(running).ok();
}

#[test]
fn a_project_is_created_with_its_stack_or_not_at_all() {
    let mut sandbox = Sandbox::new("name: other\nruntime: yaml\n");
    let backend = format!("file://{}", sandbox.path("state").display());
    let new = ["new", "kit", "--dir", "../shop", "--stack", "dev", "--yes"];
    sandbox.set("PULUMI_BACKEND_URL", None);
    sandbox.outrigger(&new).failed().says(&["error[not-logged-in]"]);
    sandbox.set("PULUMI_BACKEND_URL", Some(&backend));
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
    sandbox.outrigger(&new).failed().says(&["passphrase"]);
    assert!(!sandbox.path("shop/Pulumi.yaml").exists());
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("x"));
    sandbox.outrigger(&new).ok().says(&["Created project `shop`", "Created stack `dev`"]);
}

#[test]
fn a_broken_state_to_import_is_named_with_its_place() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\n");
    fs::write(sandbox.path("project/u.json"), "{\"version\": 3,\n  \"deployment\": }").unwrap();
    let refused = sandbox.outrigger(&["stack", "import", "--file", "u.json"]).failed();
    let refused = refused.says(&["--> u.json:2:17", "The stack's own state was not changed."]);
    assert!(!refused.text().contains("backups"), "{}", refused.text());
}

#[test]
fn a_warning_is_shown_in_the_preview_or_in_the_update() {
    let sandbox = Sandbox::with_stack("name: shop\nruntime: yaml\nresources: {a: {type: 'kit:random:Pet'}}\n");
    let text = sandbox.outrigger(&["up", "--yes", "--target", "**::a", "--target", "**::no*"]).ok().text();
    assert_eq!(text.matches("warning[target-unmatched]").count(), 1, "{text}");
}
