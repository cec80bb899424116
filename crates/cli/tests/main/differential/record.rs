//! What the Go bridge said, for other programs to read.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Scenario;
use super::talk::Event;
use crate::sandbox::peers;

/// A directory with one file of calls for each provider, and one with its schema. In them `{WORLD}` and `{PEERS}` stand for
/// directories.
pub(crate) struct Record {
    directory: PathBuf,
    world: String,
    begun: RefCell<BTreeSet<&'static str>>,
}

impl Record {
    pub(crate) fn new(directory: &Path, scratch: &Path) -> Self {
        fs::create_dir_all(directory).unwrap();
        let world = scratch.join("world").display().to_string();
        Self { directory: directory.to_owned(), world, begun: RefCell::default() }
    }

    /// Appends a scenario.
    pub(crate) fn add(&self, scenario: &Scenario, events: &[Event]) {
        let path = self.directory.join(format!("{}.jsonl", scenario.provider));
        let first = self.begun.borrow_mut().insert(scenario.provider);
        let mut file = File::options().create(true).write(true).truncate(first).append(!first).open(&path).unwrap();
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
            let peers = peers().display().to_string();
            let line = line.to_string().replace(&self.world, "{WORLD}").replace(&peers, "{PEERS}");
            writeln!(file, "{line}").unwrap();
        }
    }

    fn keep_schema(&self, scenario: &Scenario, answer: &Value) {
        let schema = &answer["reply"]["schema"];
        if schema["name"] == scenario.provider {
            let path = self.directory.join(format!("schema-{}.json", scenario.provider));
            fs::write(path, serde_json::to_string_pretty(schema).unwrap()).unwrap();
        }
    }
}
