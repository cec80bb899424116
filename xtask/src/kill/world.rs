//! A project, a stack and a cloud for one kill.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::oracle::{Known, Line, THINGS, living};
use crate::peers::Peers;
use crate::process::{self, Finished, Running};
use crate::sandbox::{Sandbox, Tool};

/// How many resources the project has.
pub(super) const RESOURCES: usize = 50;

/// How long a change takes in the oracle.
const DELAY_MS: u32 = 60;

/// How long the keeper may take to end what the host left.
const CLEANING: Duration = Duration::from_secs(15);

pub(super) struct World {
    scratch: tempfile::TempDir,
    sandbox: Sandbox,
    marker: String,
}

impl World {
    /// A fresh stack, with nothing in the cloud.
    pub(super) fn create(peers: &Peers, outrigger: &Path) -> Result<Self> {
        let scratch = tempfile::Builder::new().prefix("outrigger-kill-").tempdir()?;
        let root = scratch.path();
        let mut sandbox = Sandbox::create(root, peers, outrigger)?;
        // The folder's name is unique, and every process that we start inherits it: so they are found again.
        let marker = format!("OUTRIGGER_KILL={}", root.display());
        sandbox.set("OUTRIGGER_KILL", root.display().to_string());
        sandbox.set("ORACLE_LOG", root.join("cloud").display().to_string());
        let world = World { sandbox, marker, scratch };
        fs::create_dir(world.project())?;
        fs::write(world.project().join("Pulumi.yaml"), program())?;
        world.sandbox.succeed(Tool::Outrigger, &world.project(), &["stack", "init", "dev"])?;
        Ok(world)
    }

    /// Leaves the scratch folder for somebody to look at.
    pub(super) fn keep(mut self) -> PathBuf {
        self.scratch.disable_cleanup(true);
        self.scratch.path().to_owned()
    }

    /// Runs `outrigger` to its end.
    pub(super) fn outrigger(&self, arguments: &[&str]) -> Result<Finished> {
        self.sandbox.run(Tool::Outrigger, &self.project(), arguments)
    }

    /// Starts `outrigger`.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Running> {
        Running::start(&mut self.sandbox.command(Tool::Outrigger, &self.project(), arguments))
    }

    /// Runs `pulumi`, which must succeed.
    pub(super) fn pulumi(&self, arguments: &[&str]) -> Result<Finished> {
        self.sandbox.succeed(Tool::Pulumi, &self.project(), arguments)
    }

    /// What the state knows, as `pulumi` reads it.
    pub(super) fn known(&self) -> Result<Known> {
        Known::from_export(&self.pulumi(&["stack", "export", "--stack", "dev"])?.stdout, THINGS)
    }

    /// What exists.
    pub(super) fn cloud(&self) -> Result<Vec<Line>> {
        let file = self.scratch.path().join("cloud");
        if !file.exists() {
            return Ok(Vec::new());
        }
        living(&fs::read_to_string(file)?)
    }

    /// Fails when something exists that the state does not know; answers what it knows.
    pub(super) fn nothing_lost(&self, when: &str) -> Result<Known> {
        let known = self.known()?;
        let cloud = self.cloud()?;
        let lost = known.lost(&cloud);
        if let Some(first) = lost.first() {
            bail!(
                "{when}: {} things exist that the state does not know, the first is {} with id {}",
                lost.len(),
                first.urn,
                first.id
            );
        }
        Ok(known)
    }

    /// Every process that was started in this world and is still there.
    pub(super) fn processes(&self) -> Result<Vec<process::Process>> {
        process::marked(&self.marker)
    }

    /// Waits until no process is left.
    pub(super) fn nobody_left(&self) -> Result<()> {
        let started = Instant::now();
        loop {
            let left = self.processes()?;
            if left.is_empty() {
                return Ok(());
            }
            if started.elapsed() > CLEANING {
                let names: Vec<String> =
                    left.iter().map(|process| format!("{} ({})", process.name, process.id)).collect();
                left.iter().for_each(|process| process::kill(process.id));
                bail!("processes are left {} s after the kill: {}", CLEANING.as_secs(), names.join(", "));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn project(&self) -> PathBuf {
        self.scratch.path().join("project")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A failed run must not leave processes behind either.
        for process in process::marked(&self.marker).unwrap_or_default() {
            process::kill(process.id);
        }
    }
}

/// Chains of five: there is always something that waits, something that runs and something that is done.
fn program() -> String {
    let mut text = String::from("name: kill\nruntime: yaml\nresources:\n");
    for index in 0..RESOURCES {
        let _ = write!(
            text,
            "  thing{index}:\n    type: oracle:Thing\n    properties:\n      value: value {index}\n      delayMs: {DELAY_MS}\n"
        );
        if index % 5 != 0 {
            let _ = write!(text, "    options:\n      dependsOn:\n        - ${{thing{}}}\n", index - 1);
        }
    }
    text
}
