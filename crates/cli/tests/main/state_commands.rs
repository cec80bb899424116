//! `outrigger state`: listing, showing, and editing entries by their names.

use crate::sandbox::Sandbox;
use crate::screen::Screen;

const PETS: &str = "name: shop\nruntime: yaml\nresources:\n  a: {type: 'kit:random:Pet'}\n  b:\n    type: kit:random:Password\n    properties: {length: 9}\noutputs:\n  plain: it's\n  hidden: ${b.result}\n";

#[test]
fn the_state_is_listed_and_shown_without_a_passphrase() {
    let mut sandbox = Sandbox::with_stack(PETS);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    let secret = sandbox.outrigger(&["stack", "output", "hidden", "--show-secrets"]).ok().stdout;
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
    let listed = sandbox.outrigger(&["state", "list"]).ok().stdout;
    assert_eq!(listed.lines().count(), 4, "{listed}");
    let one = sandbox.outrigger(&["state", "ls", "b"]).ok().stdout;
    assert!(one.ends_with("kit:random:Password::b\n") && one.lines().count() == 1, "{one}");
    let shown = sandbox.outrigger(&["state", "show", "b"]).ok().says(&[
        "b kit:random:Password\n",
        "Inputs:",
        "result: [secret]",
    ]);
    assert!(!shown.text().contains(secret.trim()), "{}", shown.text());
    sandbox.outrigger(&["state", "show", "b", "--json"]).ok().says(&["\"result\": \"[secret]\""]);
    sandbox.outrigger(&["stack"]).ok().says(&["hidden  [secret]"]);
    sandbox.outrigger(&["output", "--shell"]).ok().says(&["plain='it'\\''s'\n", "hidden='[secret]'"]);
    sandbox.outrigger(&["state", "show", "b", "--show-secrets"]).failed().says(&["passphrase"]);
    sandbox.outrigger(&["state", "show", "bb"]).failed().says(&["state-urn-unknown", "Did you mean"]);
}

#[test]
fn a_state_edit_names_its_resources_before_it_asks() {
    let sandbox = Sandbox::with_stack(PETS);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    let (mut screen, terminal) = Screen::open(120, 40);
    let child = sandbox.start_on(terminal, &["state", "delete", "a"]);
    screen.await_text("Remove `a` (kit:random:Pet) from the state of `dev`? The resource stays, unmanaged. [y/N]");
    screen.type_text("n\n");
    assert_eq!(screen.finish(child), 8, "{}", screen.all());
    let (mut screen, terminal) = Screen::open(120, 40);
    let child = sandbox.start_on(terminal, &["state", "protect", "**:random:**"]);
    screen.await_text("Protect 2 resources of `dev`? [y/N]");
    assert!(screen.all().contains("  b (kit:random:Password)"), "{}", screen.all());
    screen.type_text("y\n");
    screen.await_text("Protected 2 resources.");
    assert_eq!(screen.finish(child), 0, "{}", screen.all());
}

#[test]
fn a_removed_stack_leaves_no_backups_and_a_logout_no_login() {
    let mut sandbox = Sandbox::with_stack("name: gone\nruntime: yaml\noutputs: {mark: canary}\n");
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox.outrigger(&["stack", "history", "--full-dates"]).ok().says(&[" UTC "]);
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert!(!sandbox.files_with("canary").is_empty());
    sandbox.outrigger(&["stack", "rm", "--yes", "--remove-backups"]).ok();
    let state = sandbox.path("state");
    let left: Vec<_> =
        sandbox.files_with("urn:pulumi:dev").into_iter().filter(|path| path.starts_with(&state)).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new());

    sandbox.set("PULUMI_BACKEND_URL", None);
    sandbox.outrigger(&["login", "--local"]).ok();
    sandbox.outrigger(&["login", &format!("file://{}", state.display())]).ok();
    sandbox.outrigger(&["logout", "--all"]).ok().says(&["Logged out of everything"]);
    sandbox.outrigger(&["logout", "--local"]).ok();
    sandbox.outrigger(&["stack", "ls"]).failed().says(&["not-logged-in"]);
    assert!(!sandbox.path("home/.pulumi/credentials.json").exists());
}
