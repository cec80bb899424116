//! Pulumi's Go bridge to Terraform providers and another one, call by call.
//!
//! A scenario talks with the Go bridge; its answers become parts of the requests that follow. Then the other side gets the
//! same requests, in a world that begins and is changed in the same way, and everything that it answers, logs or does to
//! the world is compared.
//!
//! The other side is ours. `OUTRIGGER_BRIDGE` is another executable; the Go bridge on both sides shows that the masks cover all
//! that is random by nature, and nothing else. `OUTRIGGER_RECORD` is a directory that gets one file of
//! calls and answers for each provider, and its schema. `OUTRIGGER_SCENARIO` is a part of `PROVIDER/SCENARIO`, to run less than all.

mod compare;
mod drive;
mod exceptions;
mod providers;
mod record;
mod talk;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use regex_lite::Regex;
use serde_json::{Value, json};

use self::compare::{Difference, differences, scrub, sort};
use self::drive::Drive;
use self::record::Record;
use self::talk::{Event, Talk};
use self::world::World;
use crate::sandbox::peers;

/// The variable that chooses scenarios.
const ONLY: &str = "OUTRIGGER_SCENARIO";

/// A conversation with a provider.
pub(crate) struct Scenario {
    pub(crate) provider: &'static str,
    pub(crate) name: &'static str,
    pub(crate) play: fn(&mut Talk),
}

/// What a comparison found.
#[derive(Default)]
struct Report {
    requests: usize,
    /// Differences that nobody expected, with their places.
    unexpected: Vec<String>,
    /// How often something differed for which reason.
    explained: BTreeMap<&'static str, usize>,
    /// The masks that were of use, by their place in the list.
    used: BTreeSet<usize>,
}

#[test]
fn bridges_answer_alike() {
    let go = peers().join("go-bridge/pulumi-resource-terraform-provider");
    let links = tempfile::tempdir().unwrap();
    let ours = links.path().join("pulumi-resource-terraform-provider");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_outrigger"), &ours).unwrap();
    let other = std::env::var_os("OUTRIGGER_BRIDGE").map_or(ours, PathBuf::from);
    let report = differential(&go, &other);
    println!("{} requests; differences by reason: {:#?}", report.requests, report.explained);
    assert!(report.unexpected.is_empty(), "{} differences\n{}", report.unexpected.len(), report.unexpected.join("\n"));
    if std::env::var_os(ONLY).is_none() {
        assert!(report.requests >= 500, "{} requests are too few", report.requests);
    }
    if other == go && std::env::var_os(ONLY).is_none() {
        let idle = exceptions::MASKS.iter().enumerate().filter(|(index, _)| !report.used.contains(index));
        // Two runs can fall into the same second.
        let idle: Vec<_> = idle.map(|(_, mask)| mask).filter(|mask| mask.reason != exceptions::CLOCK).collect();
        assert!(idle.is_empty(), "masks that hide nothing: {idle:?}");
    }
}

/// Runs every scenario with both, and compares. Providers run beside each other, each in a directory of its own.
fn differential(go: &Path, other: &Path) -> Report {
    let scratch = tempfile::tempdir().unwrap();
    let record = std::env::var_os("OUTRIGGER_RECORD").map(PathBuf::from);
    let only = std::env::var(ONLY).unwrap_or_default();
    let mut providers: BTreeMap<&str, Vec<Scenario>> = BTreeMap::new();
    for scenario in providers::all().filter(|it| format!("{}/{}", it.provider, it.name).contains(&only)) {
        providers.entry(scenario.provider).or_default().push(scenario);
    }
    let waiting = Mutex::new(providers.into_iter());
    let report = Mutex::new(Report::default());
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                loop {
                    let Some((provider, scenarios)) = waiting.lock().unwrap().next() else { break };
                    let directory = scratch.path().join(provider);
                    let record = record.as_deref().map(|to| Record::new(to, provider, &directory));
                    let mut found = Report::default();
                    for scenario in scenarios {
                        let events = play(&scenario, go, &directory);
                        if let Some(record) = &record {
                            record.add(&scenario, &events);
                        }
                        replay(&scenario, other, &directory, &events, &mut found);
                    }
                    report.lock().unwrap().add(found);
                }
            });
        }
    });
    report.into_inner().unwrap()
}

/// The scenario with the side whose answers count.
fn play(scenario: &Scenario, plugin: &Path, directory: &Path) -> Vec<Event> {
    let drive = Drive::start(plugin, &fresh_home(directory), &directory.join("go.stderr"));
    let program = peers().join("terraform").join(format!("terraform-provider-{}", scenario.provider));
    assert!(program.exists(), "`{}` is not there: run `cargo xtask peers`", program.display());
    let mut talk = Talk::new(scenario.provider, program.display().to_string(), drive, fresh_world(directory));
    (scenario.play)(&mut talk);
    talk.events()
}

/// The same requests to the other side.
fn replay(scenario: &Scenario, plugin: &Path, directory: &Path, events: &[Event], report: &mut Report) {
    let mut drive = Drive::start(plugin, &fresh_home(directory), &directory.join("other.stderr"));
    let world = fresh_world(directory);
    let scrubbed: Vec<_> = exceptions::SCRUBBED.iter().map(|(part, name)| (Regex::new(part).unwrap(), *name)).collect();
    for (index, event) in events.iter().enumerate() {
        match event {
            Event::Change { file, content } => world.put(file, content.as_deref()),
            Event::Call { call, answer, world: seen } => {
                report.requests += 1;
                let method = call["method"].as_str().unwrap().to_owned();
                let (mut told, mut said) = (answer.clone(), drive.call(call));
                for answer in [&mut told, &mut said] {
                    scrub(&scrubbed, answer);
                    sort(exceptions::UNORDERED, scenario, &mut vec![method.clone()], answer);
                }
                let mut found = differences(std::slice::from_ref(&method), &told, &said);
                found.extend(differences(&[method, "world".to_owned()], seen, &world.look()));
                report.judge(scenario, index, call, found);
            }
        }
    }
}

impl Report {
    fn judge(&mut self, scenario: &Scenario, index: usize, call: &Value, found: Vec<Difference>) {
        for difference in found {
            let mask = exceptions::MASKS.iter().position(|it| it.covers(scenario, &difference));
            // What is random is still of the same kind.
            let mask = mask.filter(|_| kind(&difference.left) == kind(&difference.right));
            let allowed = exceptions::ALLOWED.iter().find(|it| it.covers(scenario, &difference));
            if let Some(mask) = mask {
                self.used.insert(mask);
                *self.explained.entry(exceptions::MASKS[mask].reason).or_default() += 1;
            } else if let Some(allowed) = allowed {
                *self.explained.entry(allowed.reason).or_default() += 1;
            } else {
                let place = format!("{}/{} call {index}", scenario.provider, scenario.name);
                let request: String = call["request"].to_string().chars().take(600).collect();
                self.unexpected.push(format!("{place}: {difference}\n    asked: {request}"));
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.unexpected.extend(other.unexpected);
        self.used.extend(other.used);
        for (reason, count) in other.explained {
            *self.explained.entry(reason).or_default() += count;
        }
    }
}

fn kind(value: &Option<Value>) -> Option<std::mem::Discriminant<Value>> {
    value.as_ref().map(std::mem::discriminant)
}

fn fresh_world(directory: &Path) -> World {
    World::fresh(&directory.join("world"))
}

fn fresh_home(directory: &Path) -> PathBuf {
    World::fresh(&directory.join("home")).root().to_owned()
}

/// The first and last calls of any provider's first scenario: who are you, what can you do, what do you not know.
pub(crate) fn introduction(talk: &mut Talk, config: Value) {
    talk.call("Handshake", json!({"engineAddress": "", "rootDirectory": "/", "programDirectory": "/"}));
    talk.call("GetPluginInfo", json!({}));
    talk.call("GetSchema", json!({}));
    talk.begin(config);
    talk.call("GetPluginInfo", json!({}));
    talk.call("GetSchema", json!({}));
    let urn = talk.provider_urn();
    let args = [talk.program()];
    talk.call("Parameterize", json!({"args": {"args": args}}));
    for key in ["terraform", "tf", "other"] {
        talk.call("GetMapping", json!({"key": key, "provider": ""}));
        talk.call("GetMappings", json!({"key": key}));
    }
    talk.call("CheckConfig", json!({"urn": urn, "news": {"noSuchKey": "a", "version": "1.0.0"}}));
    talk.call("DiffConfig", json!({"urn": urn, "olds": {}, "news": {}, "oldInputs": {}}));
    talk.invoke("getNoSuchThing", json!({}));
    talk.resource("NoSuchThing", "a").check(json!({}));
    talk.resource("NoSuchThing", "a").create();
    talk.resource("NoSuchThing", "a").delete();
    talk.call("Construct", json!({"type": "a:index:B", "name": "a"}));
    talk.call("Cancel", json!({}));
}
