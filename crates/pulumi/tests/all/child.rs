//! A small stand-in for the host: starts a plugin from the peers' directory and connects to it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use outrigger_provider::{CallContext, Configure, LogLevel, LogSink, Plugin, Provider};
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, PulumiPlugin, connect};
use outrigger_transport::{FirstLine, Process};
use outrigger_value::{PropertyMap, Urn, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tokio::sync::{mpsc, watch};

/// A connected plugin with everything that it needs to live.
pub(crate) struct Started {
    pub(crate) plugin: Arc<PulumiPlugin>,
    pub(crate) process: Arc<Child>,
    pub(crate) log: Arc<Lines>,
    _engine: EngineServer,
}

impl Started {
    pub(crate) async fn new(folder: &str, name: &str) -> Self {
        let program = peers().join(folder).join(format!("pulumi-resource-{name}"));
        assert!(program.exists(), "{} is missing: run `cargo xtask peers`, or set OUTRIGGER_PEERS", program.display());
        let log = Arc::new(Lines::default());
        let engine = EngineServer::start(log.clone()).await.unwrap();
        let process = Arc::new(Child::start(program.clone(), &[engine.address()]));
        let origin = Origin::Process {
            process: process.clone(),
            directory: program.parent().unwrap().to_owned(),
            deadline: Duration::from_secs(60),
        };
        let options = ConnectOptions {
            name: name.to_owned(),
            engine_address: engine.address().to_owned(),
            deadlines: ConnectDeadlines::default(),
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

pub(crate) fn peers() -> PathBuf {
    std::env::var_os("OUTRIGGER_PEERS").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/outrigger/peers"),
        PathBuf::from,
    )
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

pub(crate) struct Child {
    pid: u32,
    first: watch::Receiver<Option<FirstLine>>,
    ended: watch::Receiver<Option<String>>,
    words: Arc<Mutex<VecDeque<String>>>,
    kill: mpsc::UnboundedSender<()>,
}

impl Child {
    pub(crate) fn start(program: PathBuf, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let words = Arc::new(Mutex::new(VecDeque::new()));
        let (first_line, first) = watch::channel(None);
        let (end, ended) = watch::channel(None);
        let (kill, mut killed) = mpsc::unbounded_channel();
        let pid = child.id().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (out_words, err_words) = (words.clone(), words.clone());
        tokio::spawn(async move {
            first_line.send_replace(Some(FirstLine::read(&mut stdout).await));
            drain(stdout, out_words).await;
        });
        let errors = tokio::spawn(drain(stderr, err_words));
        tokio::spawn(async move {
            let status = tokio::select! {
                status = child.wait() => status,
                _ = killed.recv() => { child.kill().await.unwrap(); child.wait().await }
            };
            errors.await.unwrap();
            end.send_replace(Some(format!("ended ({})", status.unwrap())));
        });
        Self { pid, first, ended, words, kill }
    }
}

async fn drain(reader: BufReader<impl AsyncRead + Unpin>, words: Arc<Mutex<VecDeque<String>>>) {
    let mut lines = reader.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut words = words.lock().unwrap();
        words.push_back(line);
        if words.len() > 50 {
            words.pop_front();
        }
    }
}

async fn seen<T: Clone>(mut from: watch::Receiver<Option<T>>) -> T {
    from.wait_for(Option::is_some).await.unwrap().clone().unwrap()
}

#[async_trait]
impl Process for Child {
    fn label(&self) -> &str {
        "child"
    }

    fn id(&self) -> u32 {
        self.pid
    }

    async fn first_line(&self) -> FirstLine {
        seen(self.first.clone()).await
    }

    fn last_words(&self) -> Vec<String> {
        self.words.lock().unwrap().iter().cloned().collect()
    }

    async fn exited(&self) -> String {
        seen(self.ended.clone()).await
    }

    fn interrupt(&self) {
        self.kill();
    }

    fn kill(&self) {
        let _ = self.kill.send(());
    }
}
