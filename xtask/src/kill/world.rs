//! A project, a stack and a cloud for one kill.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::oracle::{Known, Line};
use crate::peers::Peers;
use crate::process::{self, Finished, Process, Running};
use crate::sandbox::{Sandbox, Tool};

/// How long the keepers may take to end the remaining processes.
const CLEANING: Duration = Duration::from_secs(15);

/// The differences between kinds of world.
pub(super) struct Kind {
    /// How many resources the project has.
    pub(super) resources: usize,
    /// A part of the URN of each of them.
    pub(super) counts: &'static str,
    /// The existing resources, by the folder of the cloud.
    pub(super) living: fn(&Path) -> Result<Vec<Line>>,
    /// The tool that reads the state.
    pub(super) reader: Tool,
    /// The name of processes that are allowed to remain.
    pub(super) excused: Option<&'static str>,
}

pub(super) struct World {
    kind: &'static Kind,
    scratch: tempfile::TempDir,
    pub(super) sandbox: Sandbox,
    marker: String,
}

impl World {
    /// A project without a stack and with an empty cloud.
    pub(super) fn create(kind: &'static Kind, peers: &Peers, outrigger: &Path, program: &str) -> Result<Self> {
        let scratch = tempfile::Builder::new().prefix("outrigger-kill-").tempdir()?;
        let root = scratch.path();
        let mut sandbox = Sandbox::create(root, peers, outrigger)?;
        // The folder's name is unique, and every process that we start inherits it, so these processes can be found again.
        let marker = format!("OUTRIGGER_KILL={}", root.display());
        sandbox.set("OUTRIGGER_KILL", root.display().to_string());
        let world = World { kind, sandbox, marker, scratch };
        fs::create_dir(world.project())?;
        fs::write(world.project().join("Pulumi.yaml"), program)?;
        Ok(world)
    }

    /// Keeps the scratch folder for inspection after a failure.
    pub(super) fn end<T>(mut self, what: &str, outcome: Result<T>) -> Result<T> {
        self.scratch.disable_cleanup(outcome.is_err());
        outcome.with_context(|| format!("{what}; the scratch folder is {}", self.scratch.path().display()))
    }

    /// Runs a command to its end.
    pub(super) fn run(&self, tool: Tool, arguments: &[&str]) -> Result<Finished> {
        self.sandbox.run(tool, &self.project(), arguments)
    }

    /// Runs a command that must succeed.
    pub(super) fn succeed(&self, tool: Tool, arguments: &[&str]) -> Result<Finished> {
        self.sandbox.succeed(tool, &self.project(), arguments)
    }

    /// Starts a command.
    pub(super) fn start(&self, tool: Tool, arguments: &[&str]) -> Result<Running> {
        Running::start(&mut self.sandbox.command(tool, &self.project(), arguments))
    }

    /// The resources in the state.
    pub(super) fn known(&self) -> Result<Known> {
        let export = self.succeed(self.kind.reader, &["stack", "export", "--stack", "dev"])?;
        Known::from_export(&export.stdout, self.kind.counts)
    }

    /// The existing resources.
    pub(super) fn cloud(&self) -> Result<Vec<Line>> {
        (self.kind.living)(&self.cloud_folder())
    }

    /// Fails if a resource exists that is not in the state; returns the content of the state.
    pub(super) fn nothing_lost(&self, when: &str) -> Result<Known> {
        let (known, cloud) = (self.known()?, self.cloud()?);
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

    /// Checks that every resource exists once, that a preview finds no change, and that no process remains.
    pub(super) fn whole_again(&self) -> Result<()> {
        let (living, resources) = (self.known()?.living, self.kind.resources);
        if living != resources {
            bail!("the state has {living} of {resources} resources after recovery");
        }
        self.succeed(self.kind.reader, &["preview", "--stack", "dev", "--expect-no-changes"])?;
        self.nobody_left()?;
        Ok(())
    }

    /// Every process started in this world that is still running.
    pub(super) fn processes(&self) -> Result<Vec<Process>> {
        process::marked(&self.marker)
    }

    /// Waits until only excused processes remain, and ends those. Returns how many there were.
    pub(super) fn nobody_left(&self) -> Result<usize> {
        let started = Instant::now();
        loop {
            let (excused, left): (Vec<_>, Vec<_>) =
                self.processes()?.into_iter().partition(|process| self.kind.excused == Some(process.name.as_str()));
            if left.is_empty() {
                excused.iter().for_each(|process| process::kill(process.id));
                return Ok(excused.len());
            }
            if started.elapsed() > CLEANING {
                let names: Vec<String> =
                    left.iter().map(|process| format!("{} ({})", process.name, process.id)).collect();
                bail!("processes are left {} s after the kill: {}", CLEANING.as_secs(), names.join(", "));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The folder of the cloud.
    pub(super) fn cloud_folder(&self) -> PathBuf {
        self.scratch.path().join("cloud")
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
