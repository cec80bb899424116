//! Runs the simulator by hand: `cargo xtask simulate --seeds 5000 --start 0`.
#![allow(clippy::print_stdout, clippy::exit, reason = "a program for the command line")]

#[path = "../../simulation/mod.rs"]
mod simulation;

use simulation::{Fault, Finding, SIZE, check_seed, find_fault, run_seed};

/// A deliberate fault must be found within this many seeds.
const BOUND: u64 = 1000;

fn main() {
    match run(std::env::args().skip(1)) {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(usage) => {
            println!("{usage}\nusage: simulate [--seeds N] [--start S] [--fault NAME] [--faults] [--all]");
            std::process::exit(2);
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<bool, String> {
    let (mut seeds, mut start, mut fault, mut faults, mut all) = (5000, 0, None, false, false);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match argument.as_str() {
            "--seeds" => seeds = number(value()?)?,
            "--start" => start = number(value()?)?,
            "--fault" => {
                let name = value()?;
                fault = Some(Fault::named(&name).ok_or(format!("there is no fault `{name}`"))?);
            }
            "--faults" => faults = true,
            "--all" => all = true,
            _ => return Err(format!("`{argument}` is not known")),
        }
    }
    if faults {
        let missed = Fault::ALL.into_iter().filter(|fault| !caught(*fault, start)).count();
        return Ok(missed == 0);
    }
    let mut runs = 0;
    let mut found = 0;
    for seed in start..start + seeds {
        match check_seed(seed, fault) {
            Ok(lived) => runs += lived,
            Err(finding) if all => {
                found += 1;
                println!("{seed}: {}", finding.rules.first().map_or("", String::as_str));
            }
            Err(finding) => {
                report(&finding, fault);
                return Ok(false);
            }
        }
    }
    println!("{seeds} seeds from {start}: {runs} runs, {found} findings");
    Ok(found == 0)
}

/// Whether a fault is found within the bound.
fn caught(fault: Fault, start: u64) -> bool {
    let found = find_fault(fault, start, BOUND);
    match &found {
        Some(finding) => {
            println!("{}: seed {}: {}", fault.name(), finding.seed, finding.rules.first().map_or("", String::as_str))
        }
        None => println!("{}: NOT FOUND in {BOUND} seeds", fault.name()),
    }
    found.is_some()
}

/// Prints a finding, with the smallest program that still has it.
fn report(finding: &Finding, fault: Option<Fault>) {
    let smaller = (1..SIZE).find_map(|size| run_seed(finding.seed, fault, size).err());
    let shown = smaller.as_ref().unwrap_or(finding);
    for line in &shown.trace {
        println!("{line}");
    }
    println!("\nseed {} breaks:", finding.seed);
    for rule in &shown.rules {
        println!("  {rule}");
    }
}
