//! `cargo xtask kill`: SIGKILL at random moments, and nothing is lost.
//!
//! The oracle provider writes every change to an append-only file before the engine hears of it. That file is the
//! truth: whatever lives in it has to be known to the state, as a resource or as a pending operation.

mod choice;
mod oracle;
mod run;
mod terraform;
mod world;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::choice::{Choice, Dice, Operation};
use self::world::World;
use crate::peers::Peers;
use crate::workspace::{self, Profile};

/// Every so many runs, the next person is a user of `pulumi` who knows nothing of us.
const STRANGER_EVERY: u64 = 5;

/// What to do.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many kills; with `--terraform`, those that find nobody alive are not counted
    #[arg(long, default_value_t = 30)]
    pub(crate) runs: u64,
    /// Decides who is killed, in what operation and when; a seed of the clock's where it is not given
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Kill around Terraform providers: `outrigger`, `pulumi`, our bridge, keepers and providers
    #[arg(long)]
    pub(crate) terraform: bool,
}

/// Runs them one after the other and stops at the first that loses something.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let seed = arguments.seed.unwrap_or_else(clock_seed);
    println!("seed {seed}");
    if arguments.terraform {
        return terraform::run(arguments.runs, seed);
    }
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Debug)?;
    let durations = measure(&peers, &outrigger)?;
    for index in 0..arguments.runs {
        // Each run has a seed of its own, which alone decides it: so a failure can be repeated without the others.
        let seed = seed.wrapping_add(index);
        let stranger = seed.is_multiple_of(STRANGER_EVERY);
        let choice = Choice::throw(&mut Dice::new(seed), stranger, |operation| durations.of(operation));
        let world = World::create(&peers, &outrigger)?;
        let what = format!("run {index} (`--runs 1 --seed {seed}`): {choice}");
        match run::one(&world, &choice) {
            Ok(outcome) => println!("{what}: {outcome}"),
            Err(error) => {
                let kept = world.keep();
                return Err(error).with_context(|| format!("{what}; the scratch folder is {}", kept.display()));
            }
        }
    }
    println!("{} kills, nothing lost", arguments.runs);
    Ok(())
}

/// How long each operation takes when nobody is killed.
struct Durations {
    up: Duration,
    refresh: Duration,
    destroy: Duration,
}

impl Durations {
    fn of(&self, operation: Operation) -> Duration {
        match operation {
            Operation::Up => self.up,
            Operation::Refresh => self.refresh,
            Operation::Destroy => self.destroy,
        }
    }
}

fn measure(peers: &Peers, outrigger: &std::path::Path) -> Result<Durations> {
    let world = World::create(peers, outrigger)?;
    let timed = |operation: Operation| -> Result<Duration> {
        let started = Instant::now();
        let finished = world.outrigger(operation.arguments())?;
        if finished.code != Some(0) {
            bail!("`outrigger {}` fails without any kill\n{}", operation.arguments().join(" "), finished.transcript());
        }
        Ok(started.elapsed())
    };
    Ok(Durations {
        up: timed(Operation::Up)?,
        refresh: timed(Operation::Refresh)?,
        destroy: timed(Operation::Destroy)?,
    })
}

fn clock_seed() -> u64 {
    std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs())
}
