//! One engine with one program: apply, plan, destroy.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::super::measure::{Measured, Role, measure};
use super::program::Program;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace;

/// The engine being measured.
#[derive(Clone, Copy)]
pub(super) enum Engine<'a> {
    Outrigger,
    /// Its name and path. The two have the same command line.
    Other(&'static str, &'a Path),
}

/// The steps, with and without reading every resource first.
pub(super) struct Steps {
    pub(super) apply: Measured,
    /// With nothing to do.
    pub(super) plan: Measured,
    pub(super) plan_unread: Measured,
    pub(super) destroy: Measured,
    pub(super) destroy_unread: Measured,
}

/// The names of the commands in one command line.
struct Words {
    apply: &'static [&'static str],
    plan: &'static [&'static str],
    plan_unread: &'static [&'static str],
    destroy: &'static [&'static str],
    destroy_unread: &'static [&'static str],
}

const OUTRIGGER: Words = Words {
    apply: &["up", "--yes", "--skip-preview", "--stack", "dev"],
    plan: &["preview", "--refresh", "--expect-no-changes", "--stack", "dev"],
    plan_unread: &["preview", "--expect-no-changes", "--stack", "dev"],
    destroy: &["destroy", "--refresh", "--yes", "--skip-preview", "--stack", "dev"],
    destroy_unread: &["destroy", "--yes", "--skip-preview", "--stack", "dev"],
};

const OTHER: Words = Words {
    apply: &["apply", "-auto-approve", "-no-color"],
    plan: &["plan", "-detailed-exitcode", "-no-color"],
    plan_unread: &["plan", "-refresh=false", "-detailed-exitcode", "-no-color"],
    destroy: &["destroy", "-auto-approve", "-no-color"],
    destroy_unread: &["destroy", "-refresh=false", "-auto-approve", "-no-color"],
};

impl Engine<'_> {
    pub(super) fn title(self) -> &'static str {
        match self {
            Engine::Outrigger => "outrigger",
            Engine::Other(name, _) => name,
        }
    }

    /// Runs the steps, from nothing to nothing, twice: there are two ways to destroy.
    pub(super) fn run(self, peers: &Peers, outrigger: &Path, mirror: &Path, program: &Program) -> Result<Steps> {
        let scratch = tempfile::Builder::new().prefix("outrigger-bench-").tempdir()?;
        let mut sandbox = Sandbox::create(scratch.path(), peers, outrigger)?;
        let settings = scratch.path().join("settings.tfrc");
        fs::write(
            &settings,
            format!(
                "provider_installation {{\n  filesystem_mirror {{\n    path = \"{}\"\n  }}\n}}\n",
                mirror.display()
            ),
        )?;
        sandbox.set("TF_CLI_CONFIG_FILE", settings.display().to_string());
        sandbox.set("CHECKPOINT_DISABLE", "1");
        // The default of `outrigger`: the provider's log would not be read.
        sandbox.set("TF_LOG_SDK", "off");
        sandbox.set("TF_LOG_PROVIDER", "off");
        sandbox.set("AWS_EC2_METADATA_DISABLED", "true");
        let project = scratch.path().join("project");
        fs::create_dir(&project)?;
        let world = scratch.path().join("world");
        let step = |arguments: &[&str]| {
            let before = program.cloud_used();
            let mut measured = measure(&mut self.command(&sandbox, &project, arguments))
                .with_context(|| format!("{}: {}", self.title(), arguments.join(" ")))?;
            if let (Some(before), Some(after)) = (before, program.cloud_used()) {
                measured.add(Role::Cloud, after.saturating_sub(before));
            }
            anyhow::Ok(measured)
        };
        let words = match self {
            Engine::Outrigger => {
                fs::write(project.join("Pulumi.yaml"), program.pulumi(&world))?;
                step(&["install"])?;
                step(&["stack", "init", "dev"])?;
                &OUTRIGGER
            }
            Engine::Other(..) => {
                fs::write(project.join("main.tf"), program.terraform(&world))?;
                step(&["init", "-no-color"])?;
                &OTHER
            }
        };
        let steps = Steps {
            apply: step(words.apply)?,
            plan: step(words.plan)?,
            plan_unread: step(words.plan_unread)?,
            destroy: step(words.destroy)?,
            destroy_unread: {
                step(words.apply)?;
                step(words.destroy_unread)?
            },
        };
        sandbox.end_the_rest()?;
        Ok(steps)
    }

    fn command(self, sandbox: &Sandbox, project: &Path, arguments: &[&str]) -> std::process::Command {
        match self {
            Engine::Outrigger => sandbox.command(Tool::Outrigger, project, arguments),
            Engine::Other(_, program) => sandbox.command_of(program, project, arguments),
        }
    }
}

/// Lays out the programs' providers as an unpacked filesystem mirror, and returns its path.
pub(super) fn lay_mirror(folder: &Path, peers: &Peers, programs: &[Program]) -> Result<PathBuf> {
    let mirror = folder.join("mirror");
    programs.iter().try_for_each(|program| lay(&mirror, peers, program))?;
    Ok(mirror)
}

fn lay(mirror: &Path, peers: &Peers, program: &Program) -> Result<()> {
    let (name, version) = program.provider();
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let folder = mirror.join(program.source()).join(version).join(format!("{}_{architecture}", std::env::consts::OS));
    if folder.is_dir() {
        // Two programs use the same provider.
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let built = peers.terraform().join(format!("terraform-provider-{name}"));
    let installed = folder.join(format!("terraform-provider-{name}_v{version}"));
    workspace::install(&built, &installed).context("run `cargo xtask peers` first")
}
