//! Starts the plugins of the tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use outrigger_transport::goplugin::{self, Connection, Cookie, Settings, StartError};
use outrigger_transport::{LaunchRequest, OutputLines};
use tempfile::TempDir;

use crate::launcher::Launch;

/// The cookie of go-plugin's examples.
pub(crate) const COOKIE: Cookie = Cookie { key: "BASIC_PLUGIN", value: "hello" };

/// Longer than anything here takes.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// The plugin in `examples`.
pub(crate) fn own_plugin() -> PathBuf {
    let built = std::env::current_exe().unwrap().parent().unwrap().with_file_name("examples").join("kv_plugin");
    assert!(built.exists(), "`{}` is not there: run `cargo build -p outrigger-transport --examples`", built.display());
    built
}

/// A start, with a directory of its own for everything.
pub(crate) struct Start {
    pub(crate) request: LaunchRequest,
    pub(crate) settings: Settings,
    pub(crate) directory: TempDir,
}

impl Start {
    pub(crate) fn of(program: PathBuf) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let request = LaunchRequest {
            label: "test".to_owned(),
            program,
            arguments: Vec::new(),
            environment: vec![("TMPDIR".into(), directory.path().into())],
            directory: directory.path().to_owned(),
            output: None,
        };
        Self { request, settings: Settings::new(COOKIE, vec![1, 2, 3]), directory }
    }

    /// A shell script in place of the plugin.
    pub(crate) fn script(script: &str) -> Self {
        let mut start = Self::of("/bin/sh".into());
        start.request.arguments = vec!["-c".into(), script.into()];
        start.tls(false)
    }

    pub(crate) fn tls(mut self, tls: bool) -> Self {
        self.settings.tls = tls;
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.request.environment.push((name.into(), value.into()));
        self
    }

    pub(crate) fn told(mut self, told: Arc<dyn OutputLines>) -> Self {
        self.request.output = Some(told);
        self
    }

    pub(crate) async fn attempt(&self) -> Result<Connection, StartError> {
        goplugin::start(&Launch, self.request.clone(), &self.settings).await
    }

    pub(crate) async fn run(&self) -> Connection {
        self.attempt().await.unwrap_or_else(|error| panic!("{error}\n{:#?}", error.last_words))
    }

    /// A start that must fail: the error's text, and the error. Nothing is left behind.
    pub(crate) async fn fail(&self) -> (String, StartError) {
        let error = self.attempt().await.unwrap_err();
        assert_eq!(self.left_behind(), Vec::<String>::new(), "{error}");
        (error.to_string(), error)
    }

    /// The files left in its directory.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }
}
