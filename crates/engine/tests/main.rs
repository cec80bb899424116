//! The simulator, with few enough seeds for every test run; `cargo run --release --example simulate` runs many.

#[path = "../simulation/mod.rs"]
mod simulation;

use simulation::{Fault, SIZE, check_seed, find_fault, run_seed};

/// Lives a range of seeds; a finding is shown with the smallest program that still has it.
fn live(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        if let Err(finding) = check_seed(seed, None) {
            let smaller = (1..SIZE).find_map(|size| run_seed(seed, None, size).err());
            let finding = smaller.unwrap_or(finding);
            panic!("seed {} breaks {:#?}\n{}", finding.seed, finding.rules, finding.trace.join("\n"));
        }
    }
}

#[test]
fn every_rule_holds_in_the_first_seeds() {
    live(0..400);
}

#[test]
fn every_rule_holds_in_more_seeds() {
    live(10_000..10_400);
}

#[test]
fn every_deliberate_fault_is_found() {
    let missed: Vec<&str> =
        Fault::ALL.into_iter().filter(|fault| find_fault(*fault, 0, 1000).is_none()).map(Fault::name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn faults_have_names() {
    for fault in Fault::ALL {
        assert_eq!(Fault::named(fault.name()), Some(fault));
    }
}
