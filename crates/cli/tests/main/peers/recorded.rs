//! The calls to a plugin: the same life of the same stack under the real `pulumi` and under `outrigger`, recorded by a tap between host and plugin
//! that passes on bytes; and the calls of `pulumi`, replayed to fresh processes of the plugin.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::place::peer;
use crate::sandbox::{Answer, Sandbox};

type Tool = fn(&Sandbox, &[&str]) -> Answer;

/// As many requests as a recording has at least, under either tool.
const ENOUGH: usize = 300;

/// How a secret is marked on the wire.
const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";

/// The life of the stack: a name, the stage of the program, the command.
const STEPS: [(&str, Stage, &[&str]); 8] = [
    ("preview", Stage::First, &["preview"]),
    ("create", Stage::First, &["up", "--yes", "--skip-preview"]),
    ("same", Stage::First, &["up", "--yes", "--skip-preview"]),
    ("update", Stage::Changed, &["up", "--yes", "--skip-preview"]),
    ("replace", Stage::Moved, &["up", "--yes", "--skip-preview"]),
    ("refresh", Stage::Moved, &["refresh", "--yes", "--skip-preview"]),
    ("repair", Stage::Moved, &["up", "--yes", "--skip-preview"]),
    ("destroy", Stage::Moved, &["destroy", "--yes", "--skip-preview"]),
];

/// Calls that are not compared between the tools: how a host starts and ends a plugin. `pulumi` starts the plugin once more for its schema; we keep
/// schemas. Their requests contain addresses of services and the host's abilities.
const ACQUAINTANCE: [&str; 4] = ["Handshake", "GetPluginInfo", "GetSchema", "Cancel"];

/// Fields that are not compared between the tools. The first two are where a plugin may publish views of a resource, a service that we do not have;
/// the last one is random.
const INCOMPARABLE: [&str; 3] = ["resourceStatusAddress", "resourceStatusToken", "randomSeed"];

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    First,
    Changed,
    Moved,
}

/// A program with files whose contents come from another resource, a secret one, a command, and one of every kind of random value.
fn program(stage: Stage) -> String {
    let (word, mode) = if stage == Stage::First { ("first", "0640") } else { ("second", "0600") };
    let folder = if stage == Stage::Moved { "there" } else { "here" };
    let keepers = format!("keepers: {{folder: {folder}}}");
    let mut text = format!(
        "name: recorded\nruntime: yaml\nresources:\n  seven: {{type: 'kit:random:Integer', properties: {{min: 7, max: 7, {keepers}}}}}\n  folder: {{type: 'kit:fs:Directory', properties: {{path: {folder}, mode: '0755'}}}}\n  hidden: {{type: 'kit:fs:File', properties: {{path: '${{folder.path}}/hidden', content: {{'fn::secret': {word}}}}}}}\n"
    );
    for number in 0..8 {
        writeln!(
            text,
            "  file{number}: {{type: 'kit:fs:File', properties: {{path: '${{folder.path}}/{number}', content: '{word} ${{seven.result}}', mode: '{mode}'}}}}"
        )
        .unwrap();
    }
    for (kind, size) in [("String", "length: 12, "), ("Password", "length: 16, "), ("Bytes", "length: 8, ")] {
        writeln!(text, "  {kind}: {{type: 'kit:random:{kind}', properties: {{{size}{keepers}}}}}").unwrap();
    }
    for kind in ["Pet", "Uuid"] {
        writeln!(text, "  {kind}: {{type: 'kit:random:{kind}', properties: {{{keepers}}}}}").unwrap();
    }
    writeln!(
        text,
        "  ran: {{type: 'kit:process:Command', properties: {{create: 'echo made $WORD', update: 'echo $KIT_STDOUT, then $WORD', delete: 'true', environment: {{WORD: '{word} ${{seven.result}}'}}, triggers: [{folder}]}}}}"
    )
    .unwrap();
    text.push_str("variables:\n  read: {'fn::invoke': {function: 'kit:readFile', arguments: {path: given.txt}, return: content}}\noutputs: {read: '${read}'}\n");
    text
}

/// Changes one file and removes another, as another program would, before the refresh.
fn interfere(step: &str, sandbox: &Sandbox) {
    if step == "refresh" {
        sandbox.write("there/0", "scribble");
        fs::remove_file(sandbox.path("project/there/1")).unwrap();
    }
}

/// One call, as the tap writes it.
#[derive(Deserialize)]
struct Call {
    at: i64,
    method: String,
    request: Json,
    #[serde(default)]
    answer: Json,
    #[serde(default)]
    error: String,
}

/// A call with everything gone that is different in every run.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Told {
    method: String,
    request: String,
    answer: String,
}

impl Call {
    fn told(&self, root: &Path) -> Told {
        let urn = self.request["urn"].as_str().unwrap_or_default();
        // `seven` has no choice. The id of a command is a UUID.
        let random = (urn.contains("kit:random:") && !urn.ends_with("::seven")) || urn.contains("kit:process:");
        let root = root.to_str().unwrap();
        let mut request = mask(&self.request, random, root);
        if self.method == "Configure" {
            // The id of the provider: a UUID.
            request["id"] = Json::Null;
        }
        let answer = format!("{}{}", mask(&self.answer, random, root), self.error.replace(root, "ROOT"));
        Told { method: self.method.clone(), request: request.to_string(), answer }
    }
}

/// Removes the values that a random resource created, which are also its ids, and the sandbox's path.
fn mask(value: &Json, random: bool, root: &str) -> Json {
    match value {
        Json::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !INCOMPARABLE.contains(&name.as_str()));
            kept.map(|(name, field)| {
                let made = random && ["id", "result", "hex", "base64"].contains(&name.as_str());
                (name.clone(), if made { mask_made(field) } else { mask(field, random, root) })
            })
            .collect()
        }
        Json::Array(items) => items.iter().map(|item| mask(item, random, root)).collect(),
        Json::String(text) => text.replace(root, "ROOT").into(),
        other => other.clone(),
    }
}

/// Its presence, and whether it is secret, have to be the same.
fn mask_made(value: &Json) -> Json {
    if value.get(SIGNATURE).is_none() {
        return "RANDOM".into();
    }
    let mut marked = value.clone();
    marked["value"] = "RANDOM".into();
    marked
}

fn read(text: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    calls.sort_by_key(|call| call.at);
    calls
}

/// Runs the life, and returns the sandbox with a recording of each step.
fn record(tool: Tool) -> Sandbox {
    let mut sandbox = Sandbox::new(&program(Stage::First));
    sandbox.write("given.txt", "a file of the project");
    for directory in ["tap", "plugin"] {
        fs::create_dir(sandbox.path(directory)).unwrap();
    }
    symlink(peer("bin/pulumi-tap"), sandbox.path("tap/pulumi-resource-kit")).unwrap();
    symlink(env!("CARGO_BIN_EXE_outrigger"), sandbox.path("plugin/pulumi-resource-kit")).unwrap();
    sandbox.prefer(&sandbox.path("tap"));
    sandbox.set("TAP_TO", sandbox.path("plugin").to_str());
    tool(&sandbox, &["stack", "init", "dev"]).ok();
    for (step, stage, command) in STEPS {
        sandbox.write("Pulumi.yaml", &program(stage));
        interfere(step, &sandbox);
        sandbox.set("TAP_LOG", sandbox.path(step).to_str());
        tool(&sandbox, command).ok();
    }
    sandbox
}

fn recording(sandbox: &Sandbox, step: &str) -> Vec<Call> {
    read(&fs::read_to_string(sandbox.path(step)).unwrap())
}

/// The calls about resources, configuration and functions, sorted, because calls run at the same time.
fn told(sandbox: &Sandbox, step: &str) -> Vec<Told> {
    let root = sandbox.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let calls = recording(sandbox, step);
    let compared = calls.iter().filter(|call| !ACQUAINTANCE.contains(&call.method.as_str()));
    let mut told: Vec<Told> = compared.map(|call| call.told(root.as_ref())).collect();
    told.sort();
    told
}

fn total(sandbox: &Sandbox) -> usize {
    STEPS.iter().map(|(step, ..)| recording(sandbox, step).len()).sum()
}

/// The elements that `these` has more often than `those`.
fn without(these: &[Told], those: &[Told]) -> Vec<Told> {
    let mut counts = BTreeMap::new();
    for each in those {
        *counts.entry(each).or_insert(0) += 1;
    }
    let mut left = these.to_vec();
    left.retain(|each| match counts.get_mut(each) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    left
}

#[test]
fn a_plugin_hears_the_same_from_both_and_says_the_same_when_it_hears_it_again() {
    let pulumi = record(Sandbox::pulumi);
    let outrigger = record(Sandbox::outrigger);
    assert!(total(&pulumi) >= ENOUGH, "{}", total(&pulumi));
    assert!(total(&outrigger) >= ENOUGH, "{}", total(&outrigger));
    for (step, ..) in STEPS {
        let (theirs, ours) = (told(&pulumi, step), told(&outrigger, step));
        assert_eq!(without(&ours, &theirs), [], "{step}: only outrigger says this, or is answered so");
        let mut more = without(&theirs, &ours);
        if step == "refresh" {
            // `pulumi` asks for the diff of everything that it has read, also of unchanged resources: the answer is that there is none, and we do not
            // ask.
            more.retain(|call| call.method != "Diff" || !call.answer.contains("DIFF_NONE"));
        }
        assert_eq!(more, [], "{step}: only pulumi says this, or is answered so");
    }
    replay(&pulumi);
}

/// Repeats all calls, in their order, to fresh processes of the plugin, in the directory as it was in the beginning.
fn replay(sandbox: &Sandbox) {
    let plugin = sandbox.path("plugin/pulumi-resource-kit");
    for directory in ["here", "there"] {
        assert!(!sandbox.path("project").join(directory).exists(), "`{directory}` outlives the destruction");
    }
    let root = sandbox.path("project");
    for (step, ..) in STEPS {
        interfere(step, sandbox);
        let log = sandbox.path(step);
        let arguments = ["replay", log.to_str().unwrap(), plugin.to_str().unwrap()];
        let again = read(&sandbox.run(&peer("bin/pulumi-tap"), &arguments).ok().stdout);
        let recorded = recording(sandbox, step);
        assert_eq!(again.len(), recorded.len(), "{step}");
        for (again, recorded) in again.iter().zip(&recorded) {
            assert_eq!(again.request, recorded.request, "{step}");
            assert_eq!(again.told(&root), recorded.told(&root), "{step}");
        }
    }
}
