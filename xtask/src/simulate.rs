//! `cargo xtask simulate`: the engine under its simulator, one random world per seed.

use std::process::Command;

use anyhow::Result;

use crate::workspace;

/// The command's arguments.
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

/// Builds the simulator and runs it. The simulated crates are optimised in every profile.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut command = Command::new(workspace::build_example("simulate")?);
    command.args(["--start", &arguments.start.to_string()]);
    if arguments.faults {
        command.arg("--faults");
    } else {
        command.args(["--seeds", &arguments.seeds.to_string()]);
    }
    workspace::run(&mut command)
}
