//! A plugin that misbehaves, under the whole command: the messages, the state afterwards, and the processes that are left.
//!
//! `plugins/chaos` has a test for every misbehaviour against the host; here are those that reach the state.

use std::fs;
use std::io::{BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::made;
use crate::peers::interruption::{CALLED, await_line, interrupt};
use crate::sandbox::Sandbox;

const PROJECT: &str = "name: shop\nruntime: yaml\nresources:\n  a: {type: 'chaos:Thing', properties: {value: one}}\n";

/// How a state is left: resources with their ids, and pending operations with their kinds.
type Left = (Vec<(String, String)>, Vec<(String, String)>);

/// The effect of one plan on one command.
struct Row {
    /// `up` of something new, `update` of something that exists, `destroy` or `refresh` of it.
    command: &'static str,
    chaos: &'static str,
    /// The state afterwards, for the page.
    state: &'static str,
    says: &'static [&'static str],
    resource: bool,
    pending: Option<&'static str>,
}

const fn row(
    command: &'static str,
    chaos: &'static str,
    state: &'static str,
    says: &'static [&'static str],
    resource: bool,
    pending: Option<&'static str>,
) -> Row {
    Row { command, chaos, state, says, resource, pending }
}

const CRASH: &[&str] = &["plugin `chaos 0.1.0` ended during", "exited with code 3", "the end comes in"];
const DOUBT: &[&str] = &["plugin `chaos 0.1.0`", "outrigger refresh", "pending operation"];
const REFUSED: &[&str] = &["plugin `chaos 0.1.0`", "chaos does not want to"];

/// The table.
const ROWS: [Row; 25] = [
    row("up", "start=garbage", UNTOUCHED, &["plugin `chaos` could not be used", "`usage: pulumi"], false, None),
    row(
        "up",
        "start=exit",
        UNTOUCHED,
        &["plugin `chaos` ended while it was starting", "the end comes in start"],
        false,
        None,
    ),
    row("up", "Handshake=exit", UNTOUCHED, &["plugin `chaos` ended while", "exited with code 3"], false, None),
    row("up", "GetSchema=exit", UNTOUCHED, &["plugin `chaos", "schema", "exited with code 3"], false, None),
    row("up", "GetSchema=empty", UNTOUCHED, &["plugin `chaos", "schema"], false, None),
    row("up", "CheckConfig=exit", UNTOUCHED, CRASH, false, None),
    row("up", "Configure=exit", UNTOUCHED, CRASH, false, None),
    row("up", "Check=exit", UNTOUCHED, CRASH, false, None),
    row("up", "Check=unsigned", UNTOUCHED, &["plugin `chaos 0.1.0` answered Check", "nobody-knows-this"], false, None),
    row("up", "Create=exit", "a pending creation", CRASH, false, Some("creating")),
    row(
        "up",
        "Create=segfault",
        "a pending creation",
        &["signal 11 (SIGSEGV)", "about to crash"],
        false,
        Some("creating"),
    ),
    row("up", "Create=bad-gateway", "a pending creation", DOUBT, false, Some("creating")),
    row("up", "Create=truncated", "a pending creation", DOUBT, false, Some("creating")),
    row("up", "Create=too-large", "a pending creation", DOUBT, false, Some("creating")),
    row("up", "Create=no-id", "a pending creation", DOUBT, false, Some("creating")),
    row("up", "Create=disconnect", "a pending creation", DOUBT, false, Some("creating")),
    row("up", "Create=refuse", UNTOUCHED, REFUSED, false, None),
    row("up", "Create=unsigned", "the resource with its id, marked as not ready", &["nobody-knows-this"], true, None),
    row("update", "Diff=exit", "the old resource", CRASH, true, None),
    row("update", "Update=exit", "the old resource and a pending update", CRASH, true, Some("updating")),
    row("update", "Update=refuse", "the old resource", REFUSED, true, None),
    row("destroy", "Delete=exit", "the resource and a pending deletion", CRASH, true, Some("deleting")),
    row("destroy", "Delete=refuse", "the resource", REFUSED, true, None),
    row("refresh", "Read=exit", "the resource", CRASH, true, None),
    row("refresh", "Read=unknown-output", "the resource", &["plugin `chaos 0.1.0` answered Read"], true, None),
];

const UNTOUCHED: &str = "nothing of the resource";

/// A project, its stack, and the plugin in the search path.
fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::with_stack(PROJECT);
    let plugins = sandbox.path("plugins");
    fs::create_dir(&plugins).unwrap();
    symlink(plugin(), plugins.join("pulumi-resource-chaos")).unwrap();
    sandbox.set("PATH", Some(&format!("{}:/usr/bin:/bin", plugins.display())));
    sandbox
}

/// The plugin, which is built beside the command.
pub(crate) fn plugin() -> PathBuf {
    let plugin = Path::new(env!("CARGO_BIN_EXE_outrigger")).with_file_name("pulumi-resource-chaos");
    let built = fs::metadata(&plugin).and_then(|metadata| metadata.modified());
    let sources = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/chaos/src")).unwrap();
    let newest = sources.map(|entry| entry.unwrap().metadata().unwrap().modified().unwrap()).max().unwrap();
    assert!(
        built.is_ok_and(|built| built >= newest),
        "`{}` is missing or old: `cargo build -p outrigger-chaos` builds it, and so does testing the whole workspace",
        plugin.display()
    );
    plugin
}

fn left(sandbox: &Sandbox) -> Left {
    let deployment = &sandbox.export()["deployment"];
    let things = |of: &str, value: fn(&Json) -> &Json| -> Vec<(String, String)> {
        let entries = deployment[of].as_array().cloned().unwrap_or_default();
        let found = entries.iter().filter_map(|entry| {
            let urn = entry.get("resource").unwrap_or(entry)["urn"].as_str().unwrap();
            let name = urn.split_once("::chaos:index:Thing::")?.1;
            Some((name.to_owned(), value(entry).as_str().unwrap().to_owned()))
        });
        found.collect()
    };
    (things("resources", |entry| &entry["id"]), things("pending_operations", |entry| &entry["type"]))
}

/// Nothing of the plugin runs: looked for by its executable, wherever the processes went.
#[track_caller]
fn assert_nobody_left(sandbox: &Sandbox, what: &str) {
    let left = living(sandbox);
    assert!(left.is_empty(), "{what}: {left:?} is left");
}

/// The plugin's processes that work in this sandbox.
fn living(sandbox: &Sandbox) -> Vec<fs::DirEntry> {
    let here = sandbox.path("project").canonicalize().unwrap();
    let plugin = plugin().canonicalize().unwrap();
    let is = |entry: &fs::DirEntry, link: &str, path: &Path| {
        fs::read_link(entry.path().join(link)).is_ok_and(|found| found == path)
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| is(entry, "exe", &plugin) && is(entry, "cwd", &here)).collect()
}

fn play(row: &Row) {
    let what = format!("{} with {}", row.command, row.chaos);
    let mut sandbox = sandbox();
    if row.command != "up" {
        sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    }
    sandbox.set("CHAOS", Some(row.chaos));
    let arguments: &[&str] = match row.command {
        "update" => {
            sandbox.write("Pulumi.yaml", &PROJECT.replace("one", "two"));
            &["up", "--yes", "--skip-preview"]
        }
        "destroy" => &["destroy", "--yes", "--skip-preview"],
        "refresh" => &["refresh", "--yes", "--skip-preview"],
        _ => &["up", "--yes", "--skip-preview"],
    };
    // An error that the plugin answered contains the next step.
    let next_step: &[&str] = if row.says == REFUSED { &[] } else { &["help:"] };
    sandbox.outrigger(arguments).ended(1).says(row.says).says(next_step);
    assert_nobody_left(&sandbox, &what);
    let (resources, pending) = left(&sandbox);
    let name = |text: &str| ("a".to_owned(), text.to_owned());
    assert_eq!(resources, row.resource.then(|| name("chaos-a")).into_iter().collect::<Vec<_>>(), "{what}");
    assert_eq!(pending, row.pending.map(name).into_iter().collect::<Vec<_>>(), "{what}");
    // The commands that follow depend only on the state: one test for each state is enough.
    let first = ROWS.iter().find(|other| (other.command, other.state) == (row.command, row.state));
    if first.is_none_or(|first| first.chaos != row.chaos) {
        return;
    }
    // With a plugin that works again, the next run continues from there.
    sandbox.set("CHAOS", None);
    if row.pending == Some("creating") {
        sandbox.outrigger(&["up", "--yes"]).says(&["an earlier run may have created `a`"]);
        sandbox.outrigger(&["refresh", "--yes", "--clear-pending-creates"]).ok();
    }
    sandbox.outrigger(&["up", "--yes"]).ok();
    assert_eq!(left(&sandbox), (vec![name("chaos-a")], vec![]), "{what}");
    sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert_eq!(left(&sandbox), (vec![], vec![]), "{what}");
}

#[test]
fn the_page_says_what_the_tests_show() {
    let mut text = "\n| command | `CHAOS` | in the state afterwards |\n| --- | --- | --- |\n".to_owned();
    for Row { command, chaos, state, .. } in &ROWS {
        let command = match *command {
            "up" => "`up` of something new",
            "update" => "`up` of something that changed",
            "destroy" => "`destroy`",
            _ => "`refresh`",
        };
        text.push_str(&format!("| {command} | `{chaos}` | {state} |\n"));
    }
    made::check("the command and the state", &format!("{text}\n"));
}

#[test]
fn a_new_resource() {
    ROWS.iter().filter(|row| row.command == "up").for_each(play);
}

#[test]
fn a_resource_that_exists() {
    ROWS.iter().filter(|row| row.command != "up").for_each(play);
}

#[test]
fn a_preview_says_it_too() {
    let mut sandbox = sandbox();
    sandbox.set("CHAOS", Some("Create=exit"));
    sandbox.outrigger(&["preview"]).ended(1).says(CRASH);
    sandbox.set("CHAOS", Some("start=flood;start=escape;Create=trickle"));
    sandbox.outrigger(&["preview"]).ok().says(&["a chaos:index:Thing create"]);
    assert_nobody_left(&sandbox, "preview");
    assert_eq!(left(&sandbox), (vec![], vec![]));
}

#[test]
fn one_resource_that_crashes_the_plugin_costs_no_other() {
    let sandbox = sandbox();
    let second =
        "  b:\n    type: chaos:Thing\n    properties: {chaos: 'Create=exit'}\n    options: {dependsOn: ['${a}']}\n";
    sandbox.write("Pulumi.yaml", &format!("{PROJECT}{second}"));
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(CRASH).says(&["Pulumi.yaml:5:"]);
    let entry = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(left(&sandbox), (vec![entry("a", "chaos-a")], vec![entry("b", "creating")]));
}

/// The default provider of a creation in doubt was not chosen by the user, so the present one adopts it.
#[test]
fn a_creation_in_doubt_is_adopted_after_its_default_provider_was_recreated() {
    let sandbox = sandbox();
    let second =
        "  b:\n    type: chaos:Thing\n    properties: {chaos: 'Create=exit'}\n    options: {dependsOn: ['${a}']}\n";
    sandbox.write("Pulumi.yaml", &format!("{PROJECT}{second}"));
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ended(1).says(CRASH);
    sandbox.outrigger(&["destroy", "--yes", "--skip-preview"]).ok();
    let urn = "urn:pulumi:dev::shop::chaos:index:Thing::b";
    let adopt =
        ["refresh", "--yes", "--skip-preview", "--import-pending-creates", urn, "--import-pending-creates", "chaos-b"];
    // There is no default provider at all.
    sandbox.outrigger(&adopt).failed().says(&["a provider that does not exist", "which registers a default provider"]);
    sandbox.write("Pulumi.yaml", PROJECT);
    sandbox.outrigger(&["up", "--yes", "--skip-preview"]).ok();
    sandbox.outrigger(&adopt).ok();
    let export = sandbox.export();
    let resources = export["deployment"]["resources"].as_array().unwrap();
    let adopted = resources.iter().find(|resource| resource["urn"] == urn).unwrap();
    let provider = |resource: &serde_json::Value| {
        format!("{}::{}", resource["urn"].as_str().unwrap(), resource["id"].as_str().unwrap_or(""))
    };
    assert!(resources.iter().any(|resource| provider(resource) == adopted["provider"].as_str().unwrap()), "{adopted}");
    assert!(export["deployment"]["pending_operations"].is_null(), "{export}");
    sandbox.outrigger(&["destroy", "--yes", "--skip-preview"]).ok();
}

/// Starts an update with a plan and waits until its creation has begun.
fn begun(sandbox: &mut Sandbox, chaos: &str) -> (Child, BufReader<ChildStdout>, BufReader<ChildStderr>) {
    sandbox.set("CHAOS", Some(chaos));
    let mut child = sandbox.start(&["up", "--yes", "--skip-preview", "--json-events"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let stderr = BufReader::new(child.stderr.take().unwrap());
    await_line(&mut stdout, CALLED);
    (child, stdout, stderr)
}

/// A creation that never ends has no deadline: the user ends it.
#[test]
fn a_hanging_creation_ends_with_a_second_interrupt() {
    for chaos in ["Create=hang", "Create=hang;Cancel=exit", "Create=hang;start=escape;start=deaf"] {
        let mut sandbox = sandbox();
        let (mut child, mut stdout, mut stderr) = begun(&mut sandbox, chaos);
        interrupt(&child);
        await_line(&mut stderr, "Still under way");
        if !chaos.contains("Cancel") {
            interrupt(&child);
            await_line(&mut stderr, "Ending now");
        }
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        // A plugin that dies when it is asked to stop needs no second interrupt.
        let code = if chaos.contains("Cancel") { 1 } else { 8 };
        assert_eq!(child.wait().unwrap().code(), Some(code), "{chaos}: {rest}");
        assert_nobody_left(&sandbox, chaos);
        assert_eq!(left(&sandbox), (vec![], vec![("a".to_owned(), "creating".to_owned())]), "{chaos}");
    }
}

/// A plugin that does not end has a grace period; a third interrupt ends the command without waiting for it, and the keeper ends the plugin.
#[test]
fn a_third_interrupt_ends_it_without_waiting() {
    let mut sandbox = sandbox();
    let (mut child, _stdout, mut stderr) = begun(&mut sandbox, "Create=hang;Cancel=hang;start=deaf");
    interrupt(&child);
    await_line(&mut stderr, "Still under way");
    interrupt(&child);
    await_line(&mut stderr, "Ending now");
    let began = Instant::now();
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(8));
    // The deadline for Cancel and the grace are 5 s each.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    await_keeper(&sandbox);
    assert_eq!(left(&sandbox), (vec![], vec![("a".to_owned(), "creating".to_owned())]));
}

/// Waits until the plugin has got a call in which it hangs.
fn await_hang(sandbox: &Sandbox, call: &str) {
    let sign = sandbox.path("project").join(format!("hanging-in-{call}"));
    let end = Instant::now() + Duration::from_secs(60);
    while !sign.exists() {
        assert!(Instant::now() < end, "{call} was not called");
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// A call that only reads has a deadline of minutes, and the user need not wait for it.
#[test]
fn a_hanging_look_ends_with_a_second_interrupt() {
    let function = "variables:\n  v: {'fn::invoke': {function: 'chaos:echo', arguments: {value: x}, return: value}}\n";
    for call in ["Configure", "Check", "Invoke"] {
        let mut sandbox = sandbox();
        sandbox.write("Pulumi.yaml", &format!("{PROJECT}{function}outputs: {{v: '${{v}}'}}\n"));
        sandbox.set("CHAOS", Some(&format!("{call}=hang")));
        let mut child = sandbox.start(&["preview"]);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        await_hang(&sandbox, call);
        interrupt(&child);
        await_line(&mut stderr, "Interrupt again");
        interrupt(&child);
        await_line(&mut stderr, "Ending now");
        let answer = crate::sandbox::answer(child).ended(8);
        answer.says(&[&format!("the {call} call to plugin `chaos 0.1.0` was cancelled")]);
        assert_nobody_left(&sandbox, call);
    }
}

/// A plugin that does not start, or does not answer with its schema, changes nothing: one interrupt is enough.
#[test]
fn a_hanging_start_ends_with_the_first_interrupt() {
    for chaos in ["start=hang", "GetSchema=hang"] {
        let mut sandbox = sandbox();
        sandbox.set("CHAOS", Some(chaos));
        let mut child = sandbox.start(&["up", "--yes", "--skip-preview"]);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        await_line(&mut stdout, "Updating");
        interrupt(&child);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{chaos}: {rest}");
        assert!(
            rest.contains("plugin `chaos` was not started") && rest.contains("The update was cancelled."),
            "{chaos}: {rest}"
        );
        assert_nobody_left(&sandbox, chaos);
    }
}

/// Waits until the keeper of a command that is gone has finished.
#[track_caller]
fn await_keeper(sandbox: &Sandbox) {
    // It gives plugins a grace period.
    let end = Instant::now() + Duration::from_secs(30);
    let journal =
        || sandbox.files_with("\"creating\"").iter().any(|path| path.extension().is_some_and(|end| end == "journal"));
    while journal() {
        assert!(Instant::now() < end, "the keeper has not folded the journal");
        thread::park_timeout(Duration::from_millis(20));
    }
    assert_nobody_left(sandbox, "the keeper's work");
}

#[test]
fn a_killed_command_leaves_nobody_and_keeps_the_operation() {
    let mut sandbox = sandbox();
    let (mut child, _, _) = begun(&mut sandbox, "Create=hang;start=escape;start=child;start=deaf");
    child.kill().unwrap();
    child.wait().unwrap();
    await_keeper(&sandbox);
    assert_eq!(left(&sandbox), (vec![], vec![("a".to_owned(), "creating".to_owned())]));
}

/// The same for a command that only asks a plugin something.
#[test]
fn a_killed_question_leaves_nobody() {
    for command in [&["check"][..], &["plugin", "schema", "chaos"]] {
        let mut sandbox = sandbox();
        sandbox.set("CHAOS", Some("GetSchema=hang;start=escape;start=child;start=deaf"));
        let mut child = sandbox.start(command);
        await_hang(&sandbox, "GetSchema");
        assert_eq!(living(&sandbox).len(), 3, "{command:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        let end = Instant::now() + Duration::from_secs(30);
        while !living(&sandbox).is_empty() {
            assert!(Instant::now() < end, "{command:?}: {:?} is left", living(&sandbox));
            thread::park_timeout(Duration::from_millis(20));
        }
    }
}

mod peers {
    use super::*;

    #[test]
    fn what_is_harmless_stays_harmless() {
        let mut sandbox = sandbox();
        sandbox.set(
            "CHAOS",
            Some("start=flood-binary;start=escape-with-output;start=child;Create=not-a-number;Create=twice"),
        );
        sandbox.outrigger(&["up", "--yes"]).ok().says(&["a chaos:index:Thing created"]);
        assert_nobody_left(&sandbox, "up");
        sandbox
            .pulumi(&["stack", "export", "--stack", "dev"])
            .ok()
            .says(&["chaos-a", "8ad145fe-0d11-4827-bfd7-1abcbf086f5c"]);
        sandbox.set("CHAOS", Some("start=deaf"));
        sandbox.outrigger(&["preview", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["destroy", "--yes"]).ok();
        assert_nobody_left(&sandbox, "destroy");
    }
}
