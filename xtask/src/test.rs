//! `cargo xtask test`: everything that the build server runs, in the order in which it is cheapest to fail.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::{codegen, conformance, kill, peers, programs, simulate, tidy, workspace};

/// Kills and seeds of one test run; more of both are run by hand.
const KILLS: u64 = 12;
const SEEDS: u64 = 2000;

/// Runs every step, also after one that failed: one run tells everything that is wrong.
pub(crate) fn run() -> Result<()> {
    let started = Instant::now();
    let mut steps = Steps::default();
    steps.run("peers", || peers::run(&peers::Arguments::default()));
    steps.run("fmt", || workspace::run(workspace::cargo().args(["fmt", "--all", "--check"])));
    steps.run("tidy", tidy::run);
    steps.run("codegen", codegen::check);
    steps.run("clippy", || {
        workspace::run(workspace::cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    });
    if workspace::has_cargo_command("deny") {
        steps.run("deny", || workspace::run(workspace::cargo().args(["deny", "check", "bans", "licenses", "sources"])));
    } else {
        println!("==== deny: left out, `cargo-deny` is not installed");
    }
    steps.run("tests", tests);
    steps.run("simulate", || simulate::run(&simulate::Arguments { seeds: SEEDS, start: 0, faults: false }));
    steps.run("faults", || simulate::run(&simulate::Arguments { seeds: 0, start: 0, faults: true }));
    steps.run("kill", || kill::run(&kill::Arguments { runs: KILLS, seed: None, terraform: false }));
    steps.run("conformance", || conformance::run(&conformance::Arguments::default()));
    steps.run("programs", || programs::run(&programs::Arguments::default()));
    steps.report(started.elapsed())
}

fn tests() -> Result<()> {
    // The same cases on every run: a build server's answer must not depend on luck. By hand the cases are new each time.
    let fixed = |mut command: Command| {
        command.env("PROPTEST_RNG_SEED", "20261115");
        command
    };
    if !workspace::has_cargo_command("nextest") {
        return workspace::run(fixed(workspace::cargo()).args(["test", "--workspace", "--quiet", "--no-fail-fast"]));
    }
    workspace::run(fixed(workspace::cargo()).args(["nextest", "run", "--workspace", "--no-fail-fast"]))?;
    // nextest leaves the examples in the documentation to cargo.
    workspace::run(workspace::cargo().args(["test", "--workspace", "--doc", "--quiet"]))
}

#[derive(Default)]
struct Steps {
    done: Vec<(&'static str, Duration, bool)>,
}

impl Steps {
    fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        println!("==== {name}");
        let started = Instant::now();
        let result = step();
        if let Err(error) = &result {
            eprintln!("error: {name}: {error:#}");
        }
        println!("==== {name}: {:.1} s", started.elapsed().as_secs_f64());
        self.done.push((name, started.elapsed(), result.is_ok()));
    }

    fn report(&self, total: Duration) -> Result<()> {
        println!("\n| step | seconds | |\n| --- | ---: | --- |");
        for (name, took, passed) in &self.done {
            println!("| {name} | {:.1} | {} |", took.as_secs_f64(), if *passed { "passed" } else { "FAILED" });
        }
        println!("\n{:.1} s in all", total.as_secs_f64());
        let failed = self.done.iter().filter(|(_, _, passed)| !passed).count();
        println!("{} passed, {failed} failed", self.done.len() - failed);
        if failed > 0 {
            bail!("{failed} steps failed");
        }
        Ok(())
    }
}
