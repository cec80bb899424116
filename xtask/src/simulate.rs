//! `cargo xtask simulate`: the engine under its simulator, one random world a seed.

use anyhow::Result;

use crate::workspace;

/// What to simulate.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many seeds
    #[arg(long, default_value_t = 5000)]
    pub(crate) seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    pub(crate) start: u64,
    /// Instead: put each deliberate fault into the engine in turn, and fail unless every one is found
    #[arg(long, conflicts_with = "seeds")]
    pub(crate) faults: bool,
}

/// Builds the simulator optimised (a hundred thousand seeds are worth it) and runs it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut command = workspace::cargo();
    command
        .args(["run", "--quiet", "--release", "--package", "outrigger-engine", "--example", "simulate", "--"])
        .args(["--start", &arguments.start.to_string()]);
    if arguments.faults {
        command.arg("--faults");
    } else {
        command.args(["--seeds", &arguments.seeds.to_string()]);
    }
    workspace::run(&mut command)
}
