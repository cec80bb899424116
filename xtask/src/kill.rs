//! `cargo xtask kill`: SIGKILL at random moments, after which nothing may be lost.
//!
//! The oracle provider writes every change to an append-only file before it answers the engine. That file is the
//! truth: the state must contain every resource in it, as a resource or as a pending operation.

mod choice;
mod oracle;
mod project;
mod run;
mod terraform;
mod world;

use anyhow::Result;

use self::choice::{Choice, Dice, Durations, Operation};
use crate::peers::Peers;
use crate::sandbox::Tool;
use crate::workspace::{self, Profile};

/// In one of this many runs, the next user is one of `pulumi` who does not know Outrigger.
const STRANGER_EVERY: u64 = 5;

/// The command's arguments.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many kills; with `--terraform`, those without a living victim do not count
    #[arg(long, default_value_t = 30)]
    pub(crate) runs: u64,
    /// Decides the victim, the operation and the moment; by default taken from the clock
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Kill around Terraform providers: `outrigger`, `pulumi`, our bridge, keepers and providers
    #[arg(long)]
    pub(crate) terraform: bool,
}

/// Runs them one after the other and stops at the first that loses a resource.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let seed = arguments.seed.unwrap_or_else(clock_seed);
    println!("seed {seed}");
    if arguments.terraform {
        return terraform::run(arguments.runs, seed);
    }
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Debug)?;
    let mut durations = Durations::default();
    let operations = [Operation::Up, Operation::Refresh, Operation::Destroy];
    durations.measure(&project::create(&peers, &outrigger)?, Tool::Outrigger, &operations)?;
    for index in 0..arguments.runs {
        // Each run depends on its own seed alone, so a failure can be repeated without the others.
        let seed = seed.wrapping_add(index);
        let stranger = seed.is_multiple_of(STRANGER_EVERY);
        let choice =
            Choice::throw(&mut Dice::new(seed), stranger, |operation| durations.of(Tool::Outrigger, operation));
        let world = project::create(&peers, &outrigger)?;
        let what = format!("run {index} (`--runs 1 --seed {seed}`): {choice}");
        let outcome = run::one(&world, &choice);
        println!("{what}: {}", world.end(&what, outcome)?);
    }
    println!("{} kills, nothing lost", arguments.runs);
    Ok(())
}

fn clock_seed() -> u64 {
    std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs())
}
