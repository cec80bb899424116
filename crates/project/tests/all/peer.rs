//! The real `pulumi`, in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

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
        let peer = Self { scratch, pulumi: bin().join("pulumi") };
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
            .env("PATH", bin())
            .env("HOME", self.scratch.path())
            .env("PULUMI_HOME", self.scratch.path().join("home"))
            .env("PULUMI_BACKEND_URL", format!("file://{}", self.scratch.path().join("state").display()))
            .env("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE)
            .env("PULUMI_SKIP_UPDATE_CHECK", "true")
            .output()
            .unwrap()
    }
}

/// The directory of the peers' programs.
fn bin() -> PathBuf {
    let root = std::env::var_os("OUTRIGGER_PEERS")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/outrigger/peers")));
    let bin = root.expect("neither OUTRIGGER_PEERS nor HOME is set").join("bin");
    assert!(
        bin.join("pulumi").is_file(),
        "`pulumi` is not in {}; run `cargo xtask peers`, or set OUTRIGGER_PEERS to the directory that holds `bin`",
        bin.display()
    );
    bin
}
