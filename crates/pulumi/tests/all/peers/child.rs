//! A small host for tests: starts a plugin from the peers' directory and connects to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use outrigger_provider::{CallContext, Configure, LogLevel, LogSink, Plugin, Provider};
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, PulumiPlugin, connect};
use outrigger_value::{PropertyMap, Urn, Value};

use super::place::peer;
use super::process::Child;

/// A connected plugin with everything that it needs to live.
pub(crate) struct Started {
    pub(crate) plugin: Arc<PulumiPlugin>,
    pub(crate) process: Arc<Child>,
    pub(crate) log: Arc<Lines>,
    _engine: EngineServer,
}

impl Started {
    pub(crate) async fn new(folder: &str, name: &str) -> Self {
        let program = peer(format!("{folder}/pulumi-resource-{name}"));
        let log = Arc::new(Lines::default());
        let engine = EngineServer::start(log.clone()).await.unwrap();
        let process = Arc::new(Child::start(program.clone(), &[&engine.address().to_string()]));
        let origin = Origin::Process {
            process: process.clone(),
            directory: program.parent().unwrap().to_owned(),
            deadline: Duration::from_secs(60),
        };
        let options = ConnectOptions {
            name: name.to_owned(),
            engine_address: engine.address().to_string(),
            deadlines: ConnectDeadlines::default(),
            log: None,
        };
        let plugin = connect(origin, options).await.unwrap();
        Self { plugin, process, log, _engine: engine }
    }

    pub(crate) async fn configured(&self, package: &str, inputs: &[(&str, Value)]) -> Arc<dyn Provider> {
        let inputs = map(inputs);
        self.plugin
            .configure(&cx(), Configure { urn: provider_urn(package), id: "id".to_owned(), inputs })
            .await
            .unwrap()
    }
}

pub(crate) fn cx() -> CallContext {
    CallContext::background().within(Duration::from_secs(120))
}

pub(crate) fn provider_urn(package: &str) -> Urn {
    Urn::new("test", "project", None, &format!("pulumi:providers:{package}"), "default")
}

pub(crate) fn map(pairs: &[(&str, Value)]) -> PropertyMap {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

#[derive(Default)]
pub(crate) struct Lines(Mutex<Vec<String>>);

impl LogSink for Lines {
    fn log(&self, _: LogLevel, _: Option<&Urn>, message: &str, _: bool) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}
