//! The simulator: the real engine and the real store in surroundings made from a seed.
//!
//! A seed is the life of one stack: a random program that changes between runs, commands that fail or are stopped or killed at a
//! random moment, a fake cloud whose calls end in a random order. An independent oracle follows the durable records and
//! checks the rules of the design after every record, every call and every run.
//!
//! - `schedule` is the executor; `world` the shared data; `cloud` and `plugin` the fake providers.
//! - `item` and `program` are the fake programs.
//! - `ledger` is the journal with the oracle (`shadow`) behind it; `store` keeps the state between the runs.
//! - `seed` runs a whole life; `rules` are the invariants; `fault` lists deliberate faults that must be found.

mod cloud;
mod disk;
mod fault;
mod item;
mod ledger;
mod machine;
mod plugin;
mod program;
mod random;
mod rules;
mod schedule;
mod seed;
mod services;
mod shadow;
mod store;
mod world;

pub(crate) use fault::Fault;
pub(crate) use seed::{Finding, run_seed};

/// The maximum number of items in a program, not counting two.
pub(crate) const SIZE: usize = 12;

/// Runs one seed, every sixteenth twice: equal seeds must give equal lives. Returns the number of runs.
pub(crate) fn check_seed(seed: u64, fault: Option<Fault>) -> Result<usize, Finding> {
    let life = run_seed(seed, fault, SIZE)?;
    if seed.is_multiple_of(16) {
        let again = run_seed(seed, fault, SIZE)?;
        if life != again {
            let differs = life.trace.iter().zip(&again.trace).find(|(one, other)| one != other);
            let rules = vec![format!("deterministic: two lives of one seed differ: {differs:?}")];
            return Err(Finding { seed, rules, trace: life.trace });
        }
    }
    Ok(life.runs)
}

/// The first finding of a deliberate fault within that many seeds.
pub(crate) fn find_fault(fault: Fault, start: u64, seeds: u64) -> Option<Finding> {
    (start..start + seeds).find_map(|seed| check_seed(seed, Some(fault)).err())
}
