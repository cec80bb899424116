//! One engine with one program: up, a preview with nothing to do, destroy.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::measure::{Measured, measure};
use super::middle;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};

/// The engine being measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Pulumi,
    PulumiWithoutCheckpoints,
    Outrigger,
}

/// The three steps.
#[derive(Clone)]
pub(super) struct Steps<T> {
    pub(super) up: T,
    pub(super) preview: T,
    pub(super) destroy: T,
}

impl Steps<Measured> {
    /// The median round of each step.
    pub(super) fn middle(rounds: &[Self]) -> Self {
        let step = |of: fn(&Self) -> &Measured| {
            middle(rounds.iter().map(of), |step| step.seconds()).cloned().unwrap_or_default()
        };
        Self {
            up: step(|round| &round.up),
            preview: step(|round| &round.preview),
            destroy: step(|round| &round.destroy),
        }
    }
}

impl Subject {
    pub(super) fn title(self) -> &'static str {
        match self {
            Subject::Pulumi => "pulumi as shipped",
            Subject::PulumiWithoutCheckpoints => "pulumi, checkpoints off",
            Subject::Outrigger => "outrigger",
        }
    }

    /// Runs the three steps on a fresh stack.
    pub(super) fn run(self, peers: &Peers, outrigger: &Path, resources: usize) -> Result<Steps<Measured>> {
        let stack = Stack::new(self, peers, outrigger, resources)?;
        Ok(Steps {
            up: stack.step(&["up", "--yes", "--skip-preview", "--stack", "dev"])?,
            preview: stack.step(&["preview", "--stack", "dev", "--expect-no-changes"])?,
            destroy: stack.step(&["destroy", "--yes", "--skip-preview", "--stack", "dev"])?,
        })
    }
}

/// A fresh stack `dev` with the program.
pub(super) struct Stack {
    subject: Subject,
    tool: Tool,
    sandbox: Sandbox,
    scratch: TempDir,
}

impl Stack {
    pub(super) fn new(subject: Subject, peers: &Peers, outrigger: &Path, resources: usize) -> Result<Self> {
        let scratch = tempfile::Builder::new().prefix("outrigger-bench-").tempdir()?;
        let mut sandbox = Sandbox::create(scratch.path(), peers, outrigger)?;
        if subject == Subject::PulumiWithoutCheckpoints {
            sandbox.set("PULUMI_EXPERIMENTAL", "true");
            sandbox.set("PULUMI_SKIP_CHECKPOINTS", "true");
        }
        let tool = if subject == Subject::Outrigger { Tool::Outrigger } else { Tool::Pulumi };
        let stack = Self { subject, tool, sandbox, scratch };
        fs::create_dir(stack.project())?;
        fs::write(stack.project().join("Pulumi.yaml"), program(resources))?;
        stack.sandbox.succeed(tool, &stack.project(), &["stack", "init", "dev"])?;
        Ok(stack)
    }

    /// One command, measured.
    pub(super) fn step(&self, arguments: &[&str]) -> Result<Measured> {
        measure(&mut self.sandbox.command(self.tool, &self.project(), arguments))
            .with_context(|| format!("{}: {}", self.subject.title(), arguments.join(" ")))
    }

    fn project(&self) -> PathBuf {
        self.scratch.path().join("project")
    }
}

/// The program: so many random strings, of lengths 8 to 39.
pub(super) fn program(resources: usize) -> String {
    let mut text = String::from("name: bench\nruntime: yaml\nresources:\n");
    for index in 0..resources {
        let length = 8 + index % 32;
        let _ =
            write!(text, "  text{index}:\n    type: random:RandomString\n    properties:\n      length: {length}\n");
    }
    text
}
