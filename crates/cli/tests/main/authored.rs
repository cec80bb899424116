//! A plugin that is written with the SDK, under the real `pulumi` and under `outrigger`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::sandbox::{Answer, Sandbox};

type Tool = fn(&Sandbox, &[&str]) -> Answer;

/// Longer than any command here takes.
const LONG: Duration = Duration::from_secs(60);

const TOOLS: [Tool; 2] = [Sandbox::pulumi, Sandbox::outrigger];

/// A shelf with one note. The stack's configuration sets its place.
fn project(title: &str, text: &str) -> String {
    format!(
        "name: library\nruntime: yaml\nresources:\n  note:\n    type: shelf:Note\n    properties:\n      title: {title}\n      text: {text}\n      author: {{name: Ann, addresses: [home]}}\n      key: {{fn::secret: open sesame}}\noutputs:\n  id: ${{note.id}}\n  words: ${{note.words}}\n  weight: ${{note.weight}}\n  key: ${{note.key}}\n  found:\n    fn::invoke: {{function: shelf:search, arguments: {{word: '${{note.text}}'}}, return: titles}}\n"
    )
}

fn shelf() -> (Sandbox, PathBuf, PathBuf) {
    let mut sandbox = Sandbox::new(&project("first", "one two"));
    let plugin = sandbox.install("shelf");
    let notes = sandbox.path("notes");
    fs::create_dir(&notes).unwrap();
    sandbox.outrigger(&["stack", "init", "dev"]).ok();
    sandbox.outrigger(&["config", "set", "shelf:directory", notes.to_str().unwrap()]).ok();
    (sandbox, plugin, notes)
}

fn outputs(sandbox: &Sandbox) -> Json {
    serde_json::from_str(&sandbox.outrigger(&["stack", "output", "--json", "--show-secrets"]).ok().stdout).unwrap()
}

fn titles(notes: &Path) -> Vec<String> {
    let mut titles: Vec<String> =
        fs::read_dir(notes).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    titles.sort();
    titles
}

#[test]
fn a_whole_life_under_outrigger() {
    whole_life(Sandbox::outrigger);
}

fn whole_life(tool: Tool) {
    let (sandbox, _, notes) = shelf();
    tool(&sandbox, &["preview"]).ok();
    assert!(titles(&notes).is_empty());
    tool(&sandbox, &["up", "--yes"]).ok();
    assert_eq!(
        outputs(&sandbox),
        serde_json::json!({"id": "first", "words": 2, "weight": "normal", "key": "open sesame", "found": ["first"]})
    );
    assert!(sandbox.files_with("open sesame").iter().all(|path| path.ends_with("Pulumi.yaml")));
    tool(&sandbox, &["up", "--yes", "--expect-no-changes"]).ok();

    sandbox.write("Pulumi.yaml", &project("first", "one two three"));
    tool(&sandbox, &["up", "--yes"]).ok();
    assert_eq!(
        (fs::read_to_string(notes.join("first.txt")).unwrap(), &outputs(&sandbox)["words"]),
        ("one two three".to_owned(), &3.into())
    );

    sandbox.write("Pulumi.yaml", &project("second", "one two three"));
    tool(&sandbox, &["up", "--yes"]).ok();
    assert_eq!((titles(&notes), &outputs(&sandbox)["id"]), (vec!["second.txt".to_owned()], &"second".into()));

    // Drift: a changed file is corrected, a missing one is recreated.
    fs::write(notes.join("second.txt"), "scribble").unwrap();
    tool(&sandbox, &["refresh", "--yes", "--expect-no-changes"]).failed();
    tool(&sandbox, &["refresh", "--yes"]).ok();
    tool(&sandbox, &["up", "--yes"]).ok();
    assert_eq!(fs::read_to_string(notes.join("second.txt")).unwrap(), "one two three");
    fs::remove_file(notes.join("second.txt")).unwrap();
    tool(&sandbox, &["refresh", "--yes"]).ok();
    tool(&sandbox, &["up", "--yes"]).ok();
    assert_eq!(titles(&notes), ["second.txt"]);

    tool(&sandbox, &["destroy", "--yes"]).ok();
    assert!(titles(&notes).is_empty());
}

#[test]
fn the_project_of_the_guide_runs() {
    let (sandbox, _, notes) = shelf();
    sandbox.write("Pulumi.yaml", include_str!("../../../../examples/shelf/Pulumi.yaml"));
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert_eq!((titles(&notes), &outputs(&sandbox)["words"]), (vec!["groceries.txt".to_owned()], &6.into()));
}

/// The plugin's processes that live.
fn processes(plugin: &Path) -> Vec<u32> {
    let executable = |id: &u32| fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|path| path == plugin);
    let entries = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    entries.filter(executable).collect()
}

#[track_caller]
fn await_true(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

mod peers {
    use super::*;

    #[test]
    fn a_whole_life_under_pulumi() {
        whole_life(Sandbox::pulumi);
    }

    #[test]
    fn each_tool_goes_on_with_what_the_other_made() {
        let (sandbox, _, _) = shelf();
        sandbox.pulumi(&["up", "--yes"]).ok();
        sandbox.outrigger(&["up", "--yes", "--expect-no-changes"]).ok();
        sandbox.write("Pulumi.yaml", &project("first", "changed"));
        sandbox.outrigger(&["up", "--yes"]).ok();
        sandbox.pulumi(&["up", "--yes", "--expect-no-changes"]).ok();
        sandbox.pulumi(&["refresh", "--yes", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["destroy", "--yes"]).ok();
    }

    #[test]
    fn a_note_without_a_title_gets_one() {
        for (tool, other) in [(TOOLS[0], TOOLS[1]), (TOOLS[1], TOOLS[0])] {
            let (sandbox, _, notes) = shelf();
            let untitled = "name: library\nruntime: yaml\nresources:\n  note:\n    type: shelf:Note\n    properties: {text: untitled}\n";
            sandbox.write("Pulumi.yaml", untitled);
            tool(&sandbox, &["up", "--yes"]).ok();
            let titled = titles(&notes);
            assert!(titled.len() == 1 && titled[0].starts_with("note-"), "{titled:?}");
            other(&sandbox, &["up", "--yes", "--expect-no-changes"]).ok();
            tool(&sandbox, &["destroy", "--yes"]).ok();

            let pattern = ["config", "set", "--path", "pulumi:autonaming.pattern", "${project}-${stack}-${name}"];
            sandbox.outrigger(&pattern).ok();
            tool(&sandbox, &["up", "--yes"]).ok();
            assert_eq!(titles(&notes), ["library-dev-note.txt"]);
            tool(&sandbox, &["destroy", "--yes"]).ok();
            sandbox.outrigger(&["config", "rm", "pulumi:autonaming"]).ok();
            sandbox.outrigger(&["config", "set", "--path", "pulumi:autonaming.mode", "disabled"]).ok();
            tool(&sandbox, &["up", "--yes"]).failed().says(&["title", "it is required"]);
        }
    }

    #[test]
    fn what_exists_is_imported_by_its_id() {
        for tool in TOOLS {
            let (sandbox, _, notes) = shelf();
            fs::write(notes.join("old.txt"), "found in the attic").unwrap();
            let importing = "name: library\nruntime: yaml\nresources:\n  note:\n    type: shelf:Note\n    properties: {title: old, text: found in the attic}\n    options: {import: old}\n";
            sandbox.write("Pulumi.yaml", importing);
            tool(&sandbox, &["up", "--yes"]).ok();
            let reading = "name: library\nruntime: yaml\nresources:\n  note:\n    type: shelf:Note\n    get: {id: old}\noutputs:\n  text: ${note.text}\n";
            let (other, _, more_notes) = shelf();
            fs::write(more_notes.join("old.txt"), "read only").unwrap();
            other.write("Pulumi.yaml", reading);
            tool(&other, &["up", "--yes"]).ok();
            assert_eq!(outputs(&other)["text"], "read only");
            tool(&other, &["destroy", "--yes"]).ok();
            assert_eq!(titles(&more_notes), ["old.txt"]);
            tool(&sandbox, &["destroy", "--yes"]).ok();
            assert!(titles(&notes).is_empty());
        }
        let (sandbox, _, notes) = shelf();
        fs::write(notes.join("old.txt"), "found in the attic").unwrap();
        sandbox.write("Pulumi.yaml", "name: library\nruntime: yaml\n");
        sandbox
            .pulumi(&["import", "--yes", "--protect=false", "shelf:index:Note", "note", "old"])
            .ok()
            .says(&["found in the attic"]);
    }

    #[test]
    fn mistakes_are_told_with_the_property() {
        for tool in TOOLS {
            let (sandbox, _, _) = shelf();
            sandbox.write("Pulumi.yaml", &project("a/b", "text"));
            tool(&sandbox, &["up", "--yes"]).failed().says(&["a title has no `/`"]);
            sandbox.write("Pulumi.yaml", &project("first", "text"));
            tool(&sandbox, &["up", "--yes"]).ok();
            sandbox.outrigger(&["config", "rm", "shelf:directory"]).ok();
            tool(&sandbox, &["up", "--yes"]).failed().says(&["directory", "SHELF_DIRECTORY"]);
        }
    }

    #[test]
    fn the_schema_is_one() {
        let (sandbox, plugin, _) = shelf();
        let answer = sandbox.pulumi(&["package", "get-schema", plugin.to_str().unwrap()]).ok();
        let schema: Json = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(schema["name"], "shelf");
        let note = &schema["resources"]["shelf:index:Note"];
        assert_eq!(note["description"], "A note on the shelf.");
        assert_eq!(note["requiredInputs"], serde_json::json!(["text"]));
    }

    #[test]
    fn it_does_not_outlive_a_killed_host() {
        for start in [Sandbox::start_pulumi as fn(&Sandbox, &[&str]) -> std::process::Child, Sandbox::start] {
            let (sandbox, plugin, notes) = shelf();
            sandbox.pulumi(&["up", "--yes"]).ok();
            await_true("the plugin outlives its work", || processes(&plugin).is_empty());
            // A pipe holds less than this text: the update keeps running until the test has read all of it.
            let file = notes.join("first.txt");
            fs::remove_file(&file).unwrap();
            assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
            sandbox.write("Pulumi.yaml", &project("first", &"long ".repeat(100_000)));
            let mut host = start(&sandbox, &["up", "--yes", "--skip-preview"]);
            let (begun, begins) = mpsc::channel();
            thread::spawn(move || begun.send(fs::File::open(file)));
            let _pipe = begins.recv_timeout(LONG).expect("the update does not begin").unwrap();
            assert!(!processes(&plugin).is_empty());
            host.kill().unwrap();
            host.wait().unwrap();
            await_true("the plugin outlives its host", || processes(&plugin).is_empty());
        }
    }
}
