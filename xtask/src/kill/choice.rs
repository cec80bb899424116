//! The victim, the operation and the moment of a kill, decided by a seed, so that a failure can be reproduced.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::run::LIMIT;
use super::world::World;
use crate::sandbox::Tool;

/// A small generator (SplitMix64): the same numbers for the same seed on every machine.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// A random moment within a duration.
    pub(super) fn moment(&mut self, whole: Duration) -> Duration {
        Duration::from_millis(self.below(u64::try_from(whole.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// The operation that is running when the kill comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Up,
    Preview,
    Refresh,
    Destroy,
}

/// The victim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Victim {
    Host,
    Plugin,
    /// Host, keeper and plugin at the same moment.
    Everyone,
}

/// One kill.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) operation: Operation,
    pub(super) victim: Victim,
    pub(super) moment: Duration,
    /// Whether a user who does not know Outrigger runs `pulumi cancel` and `pulumi up` next.
    pub(super) stranger: bool,
}

impl Choice {
    pub(super) fn throw(dice: &mut Dice, stranger: bool, lasts: impl Fn(Operation) -> Duration) -> Self {
        let operation = match dice.below(4) {
            0 | 1 => Operation::Up,
            2 => Operation::Refresh,
            _ => Operation::Destroy,
        };
        let victim = match dice.below(3) {
            0 => Victim::Host,
            1 => Victim::Plugin,
            _ => Victim::Everyone,
        };
        Choice { operation, victim, moment: dice.moment(lasts(operation)), stranger }
    }
}

impl Operation {
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Operation::Up => &["up", "--yes", "--skip-preview", "--stack", "dev"],
            Operation::Preview => &["preview", "--stack", "dev"],
            Operation::Refresh => &["refresh", "--yes", "--skip-preview", "--stack", "dev"],
            Operation::Destroy => &["destroy", "--yes", "--skip-preview", "--stack", "dev"],
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.arguments().first().copied().unwrap_or_default())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let victim = match self.victim {
            Victim::Host => "host",
            Victim::Plugin => "plugin",
            Victim::Everyone => "host, keeper and plugin",
        };
        let next = if self.stranger { ", then pulumi cancel and pulumi up" } else { "" };
        write!(f, "{}, {victim} killed after {} ms{next}", self.operation, self.moment.as_millis())
    }
}

/// The duration of each operation without a kill.
#[derive(Default)]
pub(super) struct Durations(Vec<(Tool, Operation, Duration)>);

impl Durations {
    pub(super) fn measure(&mut self, world: &World, tool: Tool, operations: &[Operation]) -> Result<()> {
        for &operation in operations {
            let started = Instant::now();
            world.succeed(tool, operation.arguments()).context("it fails without any kill")?;
            self.0.push((tool, operation, started.elapsed()));
        }
        Ok(())
    }

    pub(super) fn of(&self, tool: Tool, operation: Operation) -> Duration {
        let found = self.0.iter().find(|(of, during, _)| (*of, *during) == (tool, operation));
        found.map_or(LIMIT, |(_, _, duration)| *duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throw(seed: u64) -> Choice {
        Choice::throw(&mut Dice::new(seed), false, |_| Duration::from_millis(1000))
    }

    #[test]
    fn a_seed_decides_everything() {
        assert_eq!(throw(7), throw(7));
    }

    #[test]
    fn seeds_reach_every_operation_and_every_victim() {
        let all: Vec<Choice> = (0..50).map(throw).collect();
        for operation in [Operation::Up, Operation::Refresh, Operation::Destroy] {
            for victim in [Victim::Host, Victim::Plugin, Victim::Everyone] {
                assert!(all.iter().any(|choice| choice.operation == operation && choice.victim == victim));
            }
        }
        assert!(all.iter().all(|choice| choice.moment < Duration::from_millis(1000)));
    }
}
