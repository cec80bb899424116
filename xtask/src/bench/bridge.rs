//! Our bridge to Terraform providers compared with Pulumi's: the same `pulumi`, the same provider, the same program.

mod report;
mod start;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::report::Figures;
use super::measure::{BRIDGE, Measured, measure};
use super::page;
use super::subject::Steps;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// The plugin's version for `pulumi`.
const VERSION: &str = "1.0.0";

/// The owner of a bridge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Go,
    Ours,
}

/// Figures of both bridges, measured one right after the other.
struct Pair<T> {
    go: T,
    ours: T,
}

impl<T> Pair<T> {
    fn of(mut side: impl FnMut(Side) -> Result<T>) -> Result<Self> {
        Ok(Self { go: side(Side::Go)?, ours: side(Side::Ours)? })
    }

    /// The ratio of ours to theirs.
    fn ratio(&self, figure: impl Fn(&T) -> f64) -> f64 {
        super::targets::ratio(figure(&self.ours), figure(&self.go))
    }
}

/// One program on one bridge, from an empty stack to an empty stack.
struct Run {
    steps: Steps<Measured>,
    /// How many providers all steps together left running.
    left: usize,
}

/// Measures, prints the tables and writes `docs/benchmarks-bridge.md`.
pub(super) fn run(resources: usize, turns: usize, provider: Option<&Path>) -> Result<()> {
    let peers = Peers::ready()?;
    let executables =
        Executables { go: peers.go_bridge().join(BRIDGE), ours: workspace::build_outrigger(Profile::Release)? };
    let runs = (0..turns).map(|turn| {
        eprintln!("turn {} of {turns}", turn + 1);
        Pair::of(|side| programs(side, &peers, &executables, resources))
    });
    let runs = runs.collect::<Result<Vec<_>>>()?;
    let packages = start::run(&peers, &executables, provider)?;
    page::write("benchmarks-bridge.md", &report::text(&Figures { resources, runs, packages }))
}

/// The two bridges' executables.
struct Executables {
    go: PathBuf,
    ours: PathBuf,
}

impl Executables {
    /// Installs the executable of a side in a folder, under the plugin's name, and returns its path.
    fn install(&self, side: Side, folder: &Path) -> Result<PathBuf> {
        let from = match side {
            Side::Go => &self.go,
            Side::Ours => &self.ours,
        };
        fs::create_dir_all(folder)?;
        let to = folder.join(BRIDGE);
        workspace::install(from, &to)?;
        Ok(to)
    }
}

/// Runs the three steps on a fresh stack.
fn programs(side: Side, peers: &Peers, executables: &Executables, resources: usize) -> Result<Run> {
    let scratch = tempfile::Builder::new().prefix("outrigger-bench-").tempdir()?;
    let mut sandbox = Sandbox::create(scratch.path(), peers, &executables.ours)?;
    // Writing checkpoints takes `pulumi` so long that it would hide everything else.
    sandbox.set("PULUMI_EXPERIMENTAL", "true");
    sandbox.set("PULUMI_SKIP_CHECKPOINTS", "true");
    executables.install(side, &sandbox.home().join(format!("plugins/resource-terraform-provider-v{VERSION}")))?;
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    let file = project.join("Pulumi.yaml");
    fs::write(&file, "name: bench\nruntime: yaml\n")?;
    sandbox.succeed(Tool::Pulumi, &project, &["stack", "init", "dev"])?;
    let provider = peers.terraform().join("terraform-provider-random").display().to_string();
    let package = format!("terraform-provider@{VERSION}");
    sandbox.succeed(Tool::Pulumi, &project, &["package", "add", &package, &provider])?;
    sandbox.end_the_rest()?;
    fs::write(&file, fs::read_to_string(&file)? + &strings(resources))?;
    let mut left = 0;
    let mut step = |arguments: &[&str]| -> Result<Measured> {
        let measured = measure(&mut sandbox.command(Tool::Pulumi, &project, arguments))
            .with_context(|| format!("{}: {}", side.title(), arguments.join(" ")))?;
        left += sandbox.end_the_rest()?.iter().filter(|name| name.starts_with("terraform-provider-")).count();
        Ok(measured)
    };
    let steps = Steps {
        up: step(&["up", "--yes", "--skip-preview", "--stack", "dev"])?,
        preview: step(&["preview", "--stack", "dev", "--expect-no-changes"])?,
        destroy: step(&["destroy", "--yes", "--skip-preview", "--stack", "dev"])?,
    };
    Ok(Run { steps, left })
}

impl Side {
    fn title(self) -> &'static str {
        match self {
            Side::Go => "Pulumi's bridge",
            Side::Ours => "our bridge",
        }
    }
}

/// So many random strings, of lengths 8 to 39, for the end of a program.
pub(super) fn strings(resources: usize) -> String {
    let mut text = String::from("resources:\n");
    for index in 0..resources {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "  text{index}:\n    type: random:String\n    properties:\n      length: {}\n",
            8 + index % 32
        );
    }
    text
}
