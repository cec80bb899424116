//! `cargo xtask kill --terraform`: SIGKILL around Terraform providers, under both engines.
//!
//! A provider does not notice that its host is gone, so another process has to end it: the keeper for `outrigger` and for the bridge, the
//! bridge for a `pulumi` that is gone. Whichever process dies, no provider may be left, and the state of `outrigger` must contain every
//! resource that was created.

mod project;

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::project::RESOURCES;
use super::choice::{Dice, Durations, Operation};
use super::run::{LIMIT, recover};
use super::world::World;
use crate::peers::Peers;
use crate::process;
use crate::sandbox::Tool;
use crate::workspace::{self, Profile};

/// This many kills cover every kind of victim.
const CAMPAIGN: u64 = 200;

/// The maximum number of tries for each kill. A kill that comes too late for a short operation finds no victim, and is repeated with the
/// next seed.
const TRIES: u64 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Victim {
    Host,
    /// The plugin that `pulumi` starts; under `outrigger` the bridge is part of the host.
    Bridge,
    Keeper,
    Provider,
}

/// One kill.
#[derive(PartialEq, Eq, Debug)]
struct Choice {
    tool: Tool,
    operation: Operation,
    victim: Victim,
    moment: Duration,
}

/// Runs them one after the other until so many have found a victim, and stops at the first that leaves a process or loses a resource.
pub(super) fn run(kills: u64, seed: u64) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Debug)?;
    let mut durations = Durations::default();
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = project::create(&peers, &outrigger)?;
        durations.measure(&world, tool, &[Operation::Preview, Operation::Up, Operation::Destroy])?;
        world.nobody_left()?;
    }
    // How many victims were chosen, and how many of them were found alive.
    let mut met: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let (mut tries, mut hits) = (0, 0);
    while hits < kills {
        if tries == kills * TRIES {
            bail!("only {hits} of {tries} met somebody alive: the moments are wrong");
        }
        let index = tries;
        tries += 1;
        let seed = seed.wrapping_add(index);
        let choice = Choice::throw(&mut Dice::new(seed), |tool, operation| durations.of(tool, operation));
        let world = project::create(&peers, &outrigger)?;
        let what = format!("run {index} (`--terraform --runs 1 --seed {seed}`): {choice}");
        let outcome = one(&world, &choice);
        let outcome = world.end(&what, outcome)?;
        let of_its_kind = met.entry(format!("{}, {}", choice.tool.name(), choice.victim)).or_default();
        of_its_kind.0 += 1;
        of_its_kind.1 += u64::from(outcome.hit);
        hits += u64::from(outcome.hit);
        println!("{what}: {}", outcome.text);
    }
    for (victim, (tried, hit)) in &met {
        println!("{victim}: {hit} of {tried}");
        if *hit == 0 && kills >= CAMPAIGN {
            bail!("nobody was ever met alive under {victim}: the moments are wrong");
        }
    }
    println!("{kills} kills in {tries} tries: no provider left, nothing lost");
    Ok(())
}

struct Outcome {
    hit: bool,
    text: String,
}

fn one(world: &World, choice: &Choice) -> Result<Outcome> {
    if choice.operation == Operation::Destroy {
        world.succeed(choice.tool, Operation::Up.arguments())?;
    }
    let mut running = world.start(choice.tool, choice.operation.arguments())?;
    let started = Instant::now();
    let host = running.id();
    // A victim that is not running at the moment is killed as soon as it is.
    let victims = loop {
        let over = !running.alive()?;
        if over || started.elapsed() >= choice.moment {
            let all = world.processes()?;
            let victims: Vec<u32> = all.iter().filter(|it| choice.victim.is(it, host)).map(|it| it.id).collect();
            if over || !victims.is_empty() {
                break victims;
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    victims.iter().for_each(|id| process::kill(*id));
    let finished = running.finish(LIMIT)?;
    let strangers = world.nobody_left().with_context(|| format!("it said\n{}", finished.transcript()))?;
    let mut text = format!("{} killed, {} things exist", victims.len(), world.cloud()?.len());
    if strangers > 0 {
        text.push_str(", pulumi's language host was left");
    }
    if choice.tool == Tool::Outrigger {
        world.nothing_lost("right after the kill")?;
        text.push_str(if recover(world)? { ", the next up was right" } else { ", right after a refresh" });
        let made = world.cloud()?.len();
        if made != RESOURCES {
            bail!("the cloud has {made} of {RESOURCES} resources after recovery");
        }
    }
    Ok(Outcome { hit: !victims.is_empty(), text })
}

impl Victim {
    fn is(self, process: &process::Process, host: u32) -> bool {
        match self {
            Victim::Host => process.id == host,
            Victim::Bridge => process.name == "pulumi-resource-terraform-provider" && !process.is_keeper,
            Victim::Keeper => process.is_keeper,
            Victim::Provider => process.name.starts_with("terraform-provider-"),
        }
    }
}

impl Choice {
    fn throw(dice: &mut Dice, lasts: impl Fn(Tool, Operation) -> Duration) -> Self {
        let tool = if dice.below(2) == 0 { Tool::Outrigger } else { Tool::Pulumi };
        let operation = match dice.below(4) {
            0 | 1 => Operation::Up,
            2 => Operation::Preview,
            _ => Operation::Destroy,
        };
        let victim = match (dice.below(4), tool) {
            (0, _) => Victim::Host,
            (1, Tool::Pulumi) => Victim::Bridge,
            (2, _) => Victim::Provider,
            (1, Tool::Outrigger) => Victim::Host,
            _ => Victim::Keeper,
        };
        Choice { tool, operation, victim, moment: dice.moment(lasts(tool, operation)) }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = self.moment.as_millis();
        write!(f, "`{} {}`, {} killed after {moment} ms", self.tool.name(), self.operation, self.victim)
    }
}

impl fmt::Display for Victim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Victim::Host => "it",
            Victim::Bridge => "the bridge",
            Victim::Keeper => "the keeper",
            Victim::Provider => "the providers",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_reach_every_victim_under_every_tool() {
        let throw = |seed| Choice::throw(&mut Dice::new(seed), |_, _| Duration::from_secs(1));
        assert_eq!(throw(7), throw(7));
        let all: Vec<Choice> = (0..100).map(throw).collect();
        for tool in [Tool::Outrigger, Tool::Pulumi] {
            for victim in [Victim::Host, Victim::Keeper, Victim::Provider] {
                assert!(all.iter().any(|choice| (choice.tool, choice.victim) == (tool, victim)), "{tool:?} {victim:?}");
            }
        }
        let bridges: Vec<Tool> = all.iter().filter(|it| it.victim == Victim::Bridge).map(|it| it.tool).collect();
        assert!(!bridges.is_empty() && bridges.iter().all(|tool| *tool == Tool::Pulumi));
    }
}
