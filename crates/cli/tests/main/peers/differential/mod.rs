//! Pulumi's Go bridge to Terraform providers and another one, call by call.
//!
//! A scenario talks with the Go bridge; its answers become parts of the requests that follow. Then the other side gets the same requests, in a world
//! that begins and is changed in the same way, and its answers, logs and effects on the world are compared.
//!
//! The other side is ours. `OUTRIGGER_BRIDGE` is another executable; with the Go bridge on both sides there are no intended differences, which shows
//! that the masks cover all random values, and nothing else. `OUTRIGGER_RECORD` is a directory that gets one file of calls and answers for each
//! provider, and its schema. `OUTRIGGER_SCENARIO` is a part of `PROVIDER/SCENARIO`, to run only some.

mod compare;
mod drive;
mod exceptions;
mod providers;
mod record;
mod report;
mod resource;
mod talk;
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use regex_lite::Regex;
use serde_json::{Value, json};

use self::compare::{differences, scrub, sort};
use self::drive::{Drive, monitor};
use self::exceptions::Case;
use self::record::Record;
use self::report::Report;
use self::talk::{Event, Talk};
use self::world::World;
use crate::peers::terraform::moto::Moto;
use crate::place::peer;

/// The variable that chooses scenarios.
const ONLY: &str = "OUTRIGGER_SCENARIO";

/// A conversation with a provider.
pub(crate) struct Scenario {
    pub(crate) provider: &'static str,
    pub(crate) name: &'static str,
    pub(crate) play: fn(&mut Talk),
}

#[test]
fn bridges_answer_alike() {
    let go = peer("go-bridge/pulumi-resource-terraform-provider");
    let links = tempfile::tempdir().unwrap();
    let ours = links.path().join("pulumi-resource-terraform-provider");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_outrigger"), &ours).unwrap();
    let other = std::env::var_os("OUTRIGGER_BRIDGE").map_or(ours, PathBuf::from);
    let report = differential(&go, &other);
    println!("{} requests; differences by reason: {:#?}", report.requests, report.explained);
    let mut wrong = report.unexpected.clone();
    if std::env::var_os(ONLY).is_none() {
        wrong.extend(report.doubts(&providers::all().map(|scenario| scenario.provider).collect()));
    }
    assert!(wrong.is_empty(), "{} things are wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs every scenario with both, and compares. Providers run in parallel, each in a separate directory.
fn differential(go: &Path, other: &Path) -> Report {
    let scratch = tempfile::tempdir().unwrap();
    let record = std::env::var_os("OUTRIGGER_RECORD").map(PathBuf::from);
    let only = std::env::var(ONLY).unwrap_or_default();
    let mut providers: BTreeMap<&str, Vec<Scenario>> = BTreeMap::new();
    for scenario in providers::all().filter(|it| format!("{}/{}", it.provider, it.name).contains(&only)) {
        providers.entry(scenario.provider).or_default().push(scenario);
    }
    let waiting = Mutex::new(providers.into_iter());
    let report = Mutex::new(Report::new(other != go));
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                loop {
                    let Some((provider, scenarios)) = waiting.lock().unwrap().next() else { break };
                    let directory = scratch.path().join(provider);
                    let record = record.as_deref().map(|to| Record::new(to, provider, &directory));
                    let mut found = Report::new(other != go);
                    for scenario in scenarios {
                        let (events, cloud) = play(&scenario, go, &directory);
                        if let Some(record) = &record {
                            record.add(&scenario, &events, cloud.as_ref());
                        }
                        if let Some(cloud) = &cloud {
                            cloud.forget();
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
fn play(scenario: &Scenario, plugin: &Path, directory: &Path) -> (Vec<Event>, Option<Moto>) {
    let drive = Drive::start(plugin, &fresh_home(directory), &directory.join("go.stderr"));
    let program = peer(format!("terraform/terraform-provider-{}", scenario.provider));
    let mut talk = Talk::new(scenario.provider, program.display().to_string(), drive, fresh_world(directory));
    (scenario.play)(&mut talk);
    talk.end()
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
                let method = call["method"].as_str().unwrap().to_owned();
                let before = world.look();
                let (mut told, mut said) = (answer.clone(), drive.call(call));
                let after = world.look();
                for answer in [&mut told, &mut said] {
                    scrub(&scrubbed, answer);
                    sort(exceptions::UNORDERED, scenario, &mut vec![method.clone()], answer);
                }
                report.count(scenario, call, &told);
                let mut found = differences(std::slice::from_ref(&method), &told, &said);
                found.extend(differences(&[method, "world".to_owned()], seen, &after));
                let place = format!("{}/{} call {index}", scenario.provider, scenario.name);
                let (earlier, worlds) = (&events[..index], [&before, &after]);
                let (told, said) = (&told, &said);
                report.judge(&place, &found, |difference| Case {
                    scenario,
                    call,
                    earlier,
                    told,
                    said,
                    worlds,
                    difference,
                });
            }
        }
    }
}

fn fresh_world(directory: &Path) -> World {
    World::fresh(&directory.join("world"))
}

fn fresh_home(directory: &Path) -> PathBuf {
    World::fresh(&directory.join("home")).root().to_owned()
}

/// The first calls of every provider's first scenario, about its identity and abilities, and calls that it does not know.
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
    talk.call("Construct", json!({"type": "a:index:B", "name": "a", "monitorEndpoint": monitor()}));
    talk.call("Cancel", json!({}));
}
