//! The Go bridge's answers, for other programs to read.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Scenario;
use super::drive::monitor;
use super::talk::Event;
use crate::peers::terraform::moto::Moto;
use crate::place;

/// The files of a provider: its calls, and its schema. In the first `{WORLD}` and `{PEERS}` stand for directories,
/// `{MONITOR}` and `{CLOUD}` for addresses.
pub(crate) struct Record {
    calls: PathBuf,
    schema: PathBuf,
    world: String,
}

impl Record {
    pub(crate) fn new(directory: &Path, provider: &str, scratch: &Path) -> Self {
        fs::create_dir_all(directory).unwrap();
        let calls = directory.join(format!("{provider}.jsonl"));
        fs::write(&calls, "").unwrap();
        let world = scratch.join("world").display().to_string();
        Self { calls, schema: directory.join(format!("schema-{provider}.json")), world }
    }

    /// Appends a scenario.
    pub(crate) fn add(&self, scenario: &Scenario, events: &[Event], cloud: Option<&Moto>) {
        let mut file = File::options().append(true).open(&self.calls).unwrap();
        let mut before = json!({});
        for event in events {
            let mut line = match event {
                Event::Change { file, content } => json!({"put": file, "content": content}),
                Event::Call { call, answer, world } => {
                    let mut line = call.clone();
                    let fields = line.as_object_mut().unwrap();
                    fields.extend(answer.as_object().unwrap().clone());
                    if *world != before {
                        fields.insert("world".to_owned(), world.clone());
                        before = world.clone();
                    }
                    self.keep_schema(scenario, answer);
                    line
                }
            };
            line["scenario"] = json!(scenario.name);
            let peers = place::directory().unwrap().display().to_string();
            let line = line.to_string().replace(&self.world, "{WORLD}").replace(&peers, "{PEERS}");
            let mut line = line.replace(&monitor(), "{MONITOR}");
            if let Some(cloud) = cloud {
                line = line.replace(&cloud.address(), "{CLOUD}");
            }
            writeln!(file, "{line}").unwrap();
        }
    }

    fn keep_schema(&self, scenario: &Scenario, answer: &Value) {
        let schema = &answer["reply"]["schema"];
        if schema["name"] == scenario.provider {
            fs::write(&self.schema, serde_json::to_string_pretty(schema).unwrap()).unwrap();
        }
    }
}
