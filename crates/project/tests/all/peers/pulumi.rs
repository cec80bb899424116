//! The real `pulumi`, in a directory of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::place::peer;

pub(crate) const PASSPHRASE: &str = "correct horse";

/// A project with a stack `dev` and a backend in a scratch directory.
pub(crate) struct Peer {
    scratch: TempDir,
    pulumi: PathBuf,
}

impl Peer {
    pub(crate) fn new(project: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        for directory in ["home", "state", "project"] {
            std::fs::create_dir(scratch.path().join(directory)).unwrap();
        }
        std::fs::write(scratch.path().join("project/Pulumi.yaml"), project).unwrap();
        let peer = Self { scratch, pulumi: peer("bin/pulumi") };
        let made = peer.run(&["stack", "init", "dev"]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        peer
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        Command::new(&self.pulumi)
            .args(arguments)
            .current_dir(self.directory())
            .env_clear()
            .env("PATH", self.pulumi.parent().unwrap())
            .env("HOME", self.scratch.path())
            .env("PULUMI_HOME", self.scratch.path().join("home"))
            .env("PULUMI_BACKEND_URL", format!("file://{}", self.scratch.path().join("state").display()))
            .env("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE)
            .env("PULUMI_SKIP_UPDATE_CHECK", "true")
            .output()
            .unwrap()
    }
}
