//! Another passphrase for a stack: state, file and history follow, or nothing does.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::sandbox::{PASSPHRASE, Sandbox};
use crate::screen::Screen;

const PROGRAM: &str = "name: sealed
runtime: yaml
config: {token: {type: string, secret: true}}
resources:
  name: {type: 'kit:random:Pet', properties: {keepers: {token: '${token}'}}}
outputs: {token: '${token}'}
";
const CHANGE: [&str; 3] = ["stack", "change-secrets-provider", "passphrase"];

/// A stack with a secret in its file, its state and its history.
fn made() -> Sandbox {
    let sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.outrigger(&["config", "set", "--secret", "token", "canary"]).ok();
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox
}

/// Everything opens with a passphrase, and nothing is to be changed.
#[track_caller]
fn opens(sandbox: &mut Sandbox, passphrase: &str) {
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some(passphrase));
    assert_eq!(sandbox.outrigger(&["config", "get", "token"]).ok().stdout, "canary\n");
    assert_eq!(sandbox.outrigger(&["stack", "output", "token", "--show-secrets"]).ok().stdout, "canary\n");
    sandbox.outrigger(&["up", "--yes"]).ok().says(&["No changes."]);
}

#[test]
fn every_secret_gets_the_new_passphrase() {
    let mut sandbox = made();
    // The file may be a link, and not for everyone.
    let file = sandbox.path("project/Pulumi.dev.yaml");
    let real = sandbox.path("home/real.yaml");
    fs::rename(&file, &real).unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o600)).unwrap();
    symlink(&real, &file).unwrap();
    sandbox.answered("another\n", &CHANGE).ok().says(&["Changed the passphrase of stack `dev`"]);
    opens(&mut sandbox, "another");
    sandbox.outrigger(&["stack", "history", "--json", "--show-secrets"]).ok().says(&["canary"]);
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some(PASSPHRASE));
    sandbox.outrigger(&["config", "get", "token"]).failed().says(&["passphrase-wrong"]);
    assert!(!sandbox.path("home/real.yaml.next").exists());
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(&file).unwrap();
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("another"));
    sandbox.answered("third\n", &CHANGE).ok();
    assert!(sandbox.read("Pulumi.dev.yaml").contains("encryptionsalt"));
}

#[test]
fn the_old_passphrase_is_asked_for_and_then_the_new_one_twice() {
    let mut sandbox = made();
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", None);
    let (mut screen, terminal) = Screen::open(200, 40);
    let child = sandbox.start_on(terminal, &CHANGE);
    for (asked, typed) in
        [("Passphrase of the stack", PASSPHRASE), ("New passphrase:", "typed"), ("Repeat the passphrase:", "typed")]
    {
        screen.await_text(asked);
        screen.type_text(&format!("{typed}\n"));
    }
    screen.await_text("Changed the passphrase of stack `dev`");
    assert_eq!(screen.finish(child), 0, "{}", screen.all());
    opens(&mut sandbox, "typed");
}

#[test]
fn refusals_change_nothing() {
    let mut sandbox = made();
    let before = sandbox.read("Pulumi.dev.yaml");
    sandbox
        .outrigger(&["stack", "change-secrets-provider", "awskms://alias/x"])
        .failed()
        .says(&["secrets-provider-unsupported"]);
    sandbox.answered("", &CHANGE).failed().says(&["no new passphrase was given"]);
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some("wrong"));
    sandbox.answered("another\n", &CHANGE).failed().says(&["passphrase-wrong"]);
    sandbox.set("PULUMI_CONFIG_PASSPHRASE", Some(PASSPHRASE));
    // The state cannot be written: the file keeps its old passphrase, too.
    let checkpoint = sandbox.checkpoint("sealed", "dev");
    let held = checkpoint.with_extension("json.bak");
    let _ = fs::remove_file(&held);
    fs::create_dir_all(held.join("in the way")).unwrap();
    sandbox.answered("another\n", &CHANGE).failed();
    fs::remove_dir_all(&held).unwrap();
    assert_eq!(sandbox.read("Pulumi.dev.yaml"), before);
    assert!(!sandbox.path("project/Pulumi.dev.yaml.next").exists());
    opens(&mut sandbox, PASSPHRASE);
}

#[test]
fn a_change_that_was_killed_is_finished_by_the_next_command() {
    for (state_is_new, passphrase) in [(false, PASSPHRASE), (true, "another")] {
        let mut sandbox = made();
        let old_file = sandbox.read("Pulumi.dev.yaml");
        let checkpoint = sandbox.checkpoint("sealed", "dev");
        let old_state = fs::read(&checkpoint).unwrap();
        sandbox.answered("another\n", &CHANGE).ok();
        // The files as they are when the process is killed before or after the state is written.
        sandbox.write("Pulumi.dev.yaml.next", &sandbox.read("Pulumi.dev.yaml"));
        sandbox.write("Pulumi.dev.yaml", &old_file);
        if !state_is_new {
            fs::write(&checkpoint, &old_state).unwrap();
        }
        opens(&mut sandbox, passphrase);
        assert_eq!(sandbox.path("project/Pulumi.dev.yaml.next").exists(), !state_is_new);
        // Leftovers of an unfinished change do not disturb the next one.
        sandbox.answered("third\n", &CHANGE).ok();
        opens(&mut sandbox, "third");
    }
}
