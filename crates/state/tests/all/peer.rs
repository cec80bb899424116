//! A scratch project, a scratch backend and the real `pulumi`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::{Crypter, Keyring, Phrase};
use outrigger_state::{
    Backend, BackendOptions, LocalDisk, LocalMachine, Mode, Opened, SecretsProviderState, Session, SessionOptions,
    StackName, SystemClock, UpdateInfo, UpdateKind,
};

use crate::place::peer;

pub(crate) const PHRASE: &str = "correct horse";

pub(crate) struct Scratch {
    root: tempfile::TempDir,
    pulumi: PathBuf,
}

impl Scratch {
    pub(crate) fn new(program: &str) -> Self {
        let scratch = Self { root: tempfile::tempdir().unwrap(), pulumi: peer("bin/pulumi") };
        for directory in ["project", "state", "home"] {
            std::fs::create_dir(scratch.root.path().join(directory)).unwrap();
        }
        std::fs::write(scratch.root.path().join("project/Pulumi.yaml"), program).unwrap();
        scratch
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.path().join("state")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn project_file(&self) -> String {
        self.root.path().join("project/Pulumi.yaml").canonicalize().unwrap().display().to_string()
    }

    pub(crate) fn try_pulumi(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.pulumi.parent().unwrap().display());
        Command::new(&self.pulumi)
            .args(arguments)
            .current_dir(self.root.path().join("project"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("PULUMI_HOME", self.home())
            .env("PULUMI_BACKEND_URL", format!("file://{}", self.state().display()))
            .env("PULUMI_CONFIG_PASSPHRASE", PHRASE)
            .env("PULUMI_SKIP_UPDATE_CHECK", "true")
            .output()
            .unwrap()
    }

    pub(crate) fn pulumi(&self, arguments: &[&str]) -> String {
        let output = self.try_pulumi(arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "pulumi {arguments:?} failed:\n{}\n{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    pub(crate) fn backend(&self) -> Backend {
        open(&self.state())
    }

    pub(crate) fn session(&self, stack: &StackName) -> Result<Opened, Diagnostic> {
        let options = SessionOptions {
            machine: &machine(),
            clock: Arc::new(SystemClock::default()),
            keys: &keys,
            secrets_provider: None,
            mode: Mode::Threaded,
        };
        Session::open(&self.backend(), stack, options)
    }
}

pub(crate) fn open(directory: &Path) -> Backend {
    Backend::on_disk(Arc::new(LocalDisk::new(directory)), BackendOptions::default()).unwrap().0
}

pub(crate) fn machine() -> LocalMachine {
    LocalMachine::new("tester", "testhost")
}

pub(crate) fn keys(provider: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
    Keyring::new(Some(Phrase::new(PHRASE))).manager(&provider.kind, &provider.state)
}

pub(crate) fn wrong_keys(provider: &SecretsProviderState) -> Result<Arc<dyn Crypter>, Diagnostic> {
    Keyring::new(Some(Phrase::new("wrong"))).manager(&provider.kind, &provider.state)
}

pub(crate) fn stack() -> StackName {
    StackName::new("shop", "dev").unwrap()
}

pub(crate) fn info() -> UpdateInfo {
    let now = jiff::Timestamp::now();
    UpdateInfo {
        kind: UpdateKind::Update,
        started: now,
        ended: now,
        message: "from outrigger".into(),
        environment: Default::default(),
        config: serde_json::json!({"shop:token": {"secure": "v1:a:b"}}),
        succeeded: true,
        resource_changes: [("same".to_owned(), 3)].into(),
    }
}
