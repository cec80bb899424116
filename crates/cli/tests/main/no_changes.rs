//! A run that finds nothing to change ends without a question, and one that would write the state asks.

use serde_json::Value as Json;

use crate::sandbox::Sandbox;
use crate::screen::Screen;

const PROGRAM: &str = "name: still
runtime: yaml
resources:
  cat: {type: 'kit:random:Pet'}
  folder:
    type: kit:fs:Directory
    properties: {path: out}
    options: {dependsOn: ['${cat}']}
outputs:
  name: ${cat.id}
";

/// A stack of the program, brought up once.
fn made() -> Sandbox {
    let sandbox = Sandbox::with_stack(PROGRAM);
    sandbox.outrigger(&["up", "--yes"]).ok();
    sandbox
}

fn updates(sandbox: &Sandbox) -> usize {
    let history = sandbox.outrigger(&["stack", "history", "--json"]).ok().stdout;
    serde_json::from_str::<Json>(&history).unwrap().as_array().unwrap().len()
}

#[test]
fn nothing_is_asked_where_nothing_changes() {
    let sandbox = made();
    for command in ["up", "refresh"] {
        let (mut screen, terminal) = Screen::open(100, 40);
        let child = sandbox.start_on(terminal, &[command]);
        assert_eq!(screen.finish(child), 0, "{command}: {}", screen.all());
        assert!(screen.all().contains("No changes.") && !screen.all().contains("Do you want"), "{}", screen.all());
        sandbox.outrigger(&[command, "--yes", "--expect-no-changes"]).ok().says(&["No changes."]);
    }
    let preview = sandbox.outrigger(&["preview"]).ok().says(&["No changes."]);
    assert!(!preview.text().contains("to apply these changes"), "{}", preview.text());
    sandbox.outrigger(&["up", "--yes", "--refresh"]).ok().says(&["No changes."]);
    let events = sandbox.outrigger(&["up", "--yes", "--json-events"]).ok();
    let last: Json = serde_json::from_str(events.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["phase"], &last["changed"]),
        (&"run-ended".into(), &"preview".into(), &false.into())
    );
    assert!(!events.text().contains("No changes."), "{}", events.text());
    assert_eq!(updates(&sandbox), 1);
    // Without a preview an update is asked for in so many words.
    sandbox.outrigger(&["up", "--skip-preview"]).ok().says(&["No changes."]);
    assert_eq!(updates(&sandbox), 2);

    sandbox.outrigger(&["destroy", "--yes"]).ok();
    sandbox.outrigger(&["destroy", "--yes"]).ok().says(&["No changes.", "is empty"]);
    assert_eq!(updates(&sandbox), 3);
}

#[test]
fn what_only_the_state_knows_is_a_change() {
    let sandbox = made();
    let protected = PROGRAM.replace("'kit:random:Pet'", "'kit:random:Pet', options: {protect: true}");
    let renamed = PROGRAM
        .replace("  cat:", "  tom:")
        .replace("${cat", "${tom")
        .replace("'kit:random:Pet'", "'kit:random:Pet', options: {aliases: [{name: cat}]}");
    let changed = [
        (PROGRAM.replace("name: ${cat.id}", "other: ${cat.id}"), "+ other:"),
        (protected, "cat kit:random:Pet now protected\n"),
        (renamed, "tom kit:random:Pet (was cat), no longer protected\n"),
    ];
    for (program, shown) in changed {
        // A resource that is only read is no change.
        sandbox.write("seen/file", "");
        let read = "resources:\n  seen: {type: 'kit:fs:Directory', get: {id: seen}}";
        sandbox.write("Pulumi.yaml", &program.replace("resources:", read));
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok().says(&["to apply these changes", shown]);
        sandbox.outrigger(&["preview", "--diff"]).ok().says(&[shown]);
        let (mut screen, terminal) = Screen::open(100, 40);
        let child = sandbox.start_on(terminal, &["up"]);
        screen.await_text("Do you want to perform this update?");
        // The tree has different columns.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let remark = words(&shown.replace("kit:random:Pet ", ""));
        let tree = words(&screen.all().replace("kit:random:Pet ", ""));
        assert!(tree.contains(&remark), "{}", screen.all());
        screen.type_text("y\n");
        assert_eq!(screen.finish(child), 0, "{}", screen.all());
        sandbox.outrigger(&["up", "--yes"]).ok().says(&["No changes."]);
    }
    assert_eq!(updates(&sandbox), 4);

    sandbox.outrigger(&["state", "taint", "tom"]).ok();
    sandbox.outrigger(&["preview"]).ok().says(&["tom kit:random:Pet replace (tainted)"]);
}
