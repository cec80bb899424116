//! A project with Terraform providers, a stack and a cloud for one kill.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::kill::oracle::{Known, Line};
use crate::peers::Peers;
use crate::process::{self, Finished, Running};
use crate::sandbox::{Sandbox, Tool};
use crate::workspace;

/// How many resources the project has.
pub(super) const RESOURCES: usize = 24;

/// The providers: one of each SDK that is still made.
const PROVIDERS: [&str; 2] = ["wide", "classic"];

/// How long the keepers may take to end what is left.
const CLEANING: Duration = Duration::from_secs(15);

pub(super) struct World {
    scratch: tempfile::TempDir,
    sandbox: Sandbox,
    marker: String,
}

impl World {
    /// A fresh stack, with nothing in the cloud, in which `pulumi` finds our bridge.
    pub(super) fn create(peers: &Peers, outrigger: &Path) -> Result<Self> {
        let scratch = tempfile::Builder::new().prefix("outrigger-kill-").tempdir()?;
        let root = scratch.path();
        let mut sandbox = Sandbox::create(root, peers, outrigger)?;
        let marker = format!("OUTRIGGER_KILL={}", root.display());
        sandbox.set("OUTRIGGER_KILL", root.display().to_string());
        let plugin = sandbox.home().join("plugins/resource-terraform-provider-v1.0.0");
        fs::create_dir_all(&plugin)?;
        workspace::install(outrigger, &plugin.join("pulumi-resource-terraform-provider"))?;
        let world = World { sandbox, marker, scratch };
        fs::create_dir(world.project())?;
        fs::write(world.project().join("Pulumi.yaml"), program(&peers.terraform()))?;
        world.succeed(Tool::Outrigger, &["install"])?;
        world.succeed(Tool::Outrigger, &["stack", "init", "dev"])?;
        for provider in PROVIDERS {
            let directory = world.directory(provider).display().to_string();
            world.succeed(Tool::Outrigger, &["config", "set", &format!("{provider}:directory"), &directory])?;
        }
        Ok(world)
    }

    /// Leaves the scratch folder for somebody to look at.
    pub(super) fn keep(mut self) -> PathBuf {
        self.scratch.disable_cleanup(true);
        self.scratch.path().to_owned()
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

    /// What the state knows.
    pub(super) fn known(&self) -> Result<Known> {
        let export = self.succeed(Tool::Outrigger, &["stack", "export", "--stack", "dev"])?;
        Known::from_export(&export.stdout, ":index/named:Named::")
    }

    /// What exists.
    pub(super) fn cloud(&self) -> Result<Vec<Line>> {
        let mut found = Vec::new();
        for provider in PROVIDERS {
            let folder = self.directory(provider).join("named");
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry?.path();
                let text = fs::read_to_string(&path)?;
                // A provider that was killed while it wrote has made nothing yet.
                let Ok(thing) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
                let id = path.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
                let name = thing.get("name").and_then(|name| name.as_str()).context("a thing has a name")?;
                let urn = format!("urn:pulumi:dev::kill::{provider}:index/named:Named::{name}");
                found.push(Line::made(id, urn));
            }
        }
        Ok(found)
    }

    /// Fails when something exists that the state does not know.
    pub(super) fn nothing_lost(&self, when: &str) -> Result<()> {
        let (known, cloud) = (self.known()?, self.cloud()?);
        match known.lost(&cloud).as_slice() {
            [] => Ok(()),
            [first, rest @ ..] => bail!(
                "{when}: {} with id {} exists, and {} more, of which the state does not know",
                first.urn,
                first.id,
                rest.len()
            ),
        }
    }

    /// Every process that was started in this world and is still there.
    pub(super) fn processes(&self) -> Result<Vec<process::Process>> {
        process::marked(&self.marker)
    }

    /// Waits until nothing is left but what `pulumi` itself leaves when it is killed: its language host, which is then ended here.
    /// Answers how many those were.
    pub(super) fn nobody_of_ours_left(&self) -> Result<usize> {
        let started = Instant::now();
        loop {
            let left = self.processes()?;
            let (strangers, ours): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|process| process.name == "pulumi-language-yaml");
            if ours.is_empty() {
                strangers.iter().for_each(|process| process::kill(process.id));
                return Ok(strangers.len());
            }
            if started.elapsed() > CLEANING {
                let names: Vec<String> =
                    ours.iter().map(|process| format!("{} ({})", process.name, process.id)).collect();
                bail!("left {} s after the kill: {}", CLEANING.as_secs(), names.join(", "));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn project(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    fn directory(&self, provider: &str) -> PathBuf {
        self.scratch.path().join("cloud").join(provider)
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

/// Chains of four, each through both providers.
fn program(providers: &Path) -> String {
    let mut text = String::from("name: kill\nruntime: yaml\npackages:\n");
    for provider in PROVIDERS {
        let program = providers.join(format!("terraform-provider-{provider}"));
        let _ = writeln!(
            text,
            "  {provider}: {{source: terraform-provider, version: 1.0.0, parameters: ['{}']}}",
            program.display()
        );
    }
    text.push_str("resources:\n");
    for index in 0..RESOURCES {
        let provider = if index % 2 == 0 { PROVIDERS[0] } else { PROVIDERS[1] };
        let _ = write!(text, "  t{index}:\n    type: {provider}:Named\n    properties: {{name: t{index}}}\n");
        if index % 4 != 0 {
            let _ = writeln!(text, "    options: {{dependsOn: ['${{t{}}}']}}", index - 1);
        }
    }
    text
}
