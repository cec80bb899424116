//! `cargo xtask test`: everything that the build server runs, cheapest failures first; and `cargo xtask quick`, the
//! part of it that needs no peers.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::{conformance, kill, peers, programs, simulate, tidy, workspace};

/// Kills and seeds of one test run; longer campaigns are run by hand.
const KILLS: u64 = 12;
const SEEDS: u64 = 2000;

/// Seeds of a quick run.
const FEW_SEEDS: u64 = 200;

/// Modules of tests that a quick run leaves out: those that need peers, and those that compile the SDK again for a separate crate.
const SLOW: [&str; 2] = ["peers::", "plugin_new::"];

/// Runs every step, even after a failure, so that one run reports every problem.
pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::new();
    steps.run("peers", || peers::run(&peers::Arguments::default()));
    steps.run("fmt", fmt);
    steps.run("tidy", tidy::run);
    steps.run("clippy", || clippy(&["--all-targets"]));
    if workspace::has_cargo_command("deny") {
        steps.run("deny", || workspace::run(workspace::cargo().args(["deny", "check", "bans", "licenses", "sources"])));
    } else {
        println!("==== deny: left out, `cargo-deny` is not installed");
    }
    steps.run("tests", || workspace::run(&mut tests(&[])?));
    steps.run("simulate", || simulate::run(&simulate::Arguments { seeds: SEEDS, start: 0, faults: false }));
    steps.run("faults", || simulate::run(&simulate::Arguments { seeds: 0, start: 0, faults: true }));
    steps.run("kill", || kill::run(&kill::Arguments { runs: KILLS, seed: None, terraform: false }));
    steps.run("conformance", || conformance::run(&conformance::Arguments::default()));
    steps.run("programs", || programs::run(&programs::Arguments::default()));
    steps.report()
}

/// Runs the steps that need no peers, no Go and no release build, and prints how many tests that leaves out.
pub(crate) fn quick() -> Result<()> {
    let mut steps = Steps::new();
    steps.run("fmt", fmt);
    steps.run("tidy", tidy::run);
    steps.run("clippy", || clippy(&["--lib", "--bins", "--tests"]));
    steps.run("tests", || {
        // Installed peers are hidden: a test that needs one and is not in a `peers` module fails here as it would without them.
        let nothing = tempfile::tempdir()?;
        let skipped = SLOW.map(|module| ["--skip", module]).concat();
        workspace::run(tests(&skipped)?.env("OUTRIGGER_PEERS", nothing.path()))
    });
    steps.run("simulate", || simulate::run(&simulate::Arguments { seeds: FEW_SEEDS, start: 0, faults: false }));
    for module in SLOW {
        let listed = workspace::output(&mut tests(&["--list", module])?)?;
        let left_out = listed.lines().filter(|line| line.ends_with(": test")).count();
        println!("{left_out} tests of `{module}` were left out; `cargo xtask test` runs them");
    }
    steps.report()
}

fn fmt() -> Result<()> {
    workspace::run(workspace::cargo().args(["fmt", "--all", "--check"]))
}

fn clippy(targets: &[&str]) -> Result<()> {
    workspace::run(workspace::cargo().args(["clippy", "--workspace"]).args(targets).args(["--", "-D", "warnings"]))
}

/// The tests of the workspace, with the examples that some of them start. Most of the time they wait for other processes, so more of them
/// run at once than there are cores.
fn tests(arguments: &[&str]) -> Result<Command> {
    let threads = (2 * std::thread::available_parallelism()?.get()).to_string();
    let mut command = workspace::cargo();
    command.args(["test", "--quiet", "--no-fail-fast"]).args(workspace::TESTED);
    command.args(["--", "--test-threads", &threads]).args(arguments);
    // The same cases on every run: a build server's result must not depend on luck. By hand the cases are new each time.
    command.env("PROPTEST_RNG_SEED", "20261115");
    Ok(command)
}

struct Steps {
    started: Instant,
    done: Vec<(&'static str, Duration, bool)>,
}

impl Steps {
    fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

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

    fn report(&self) -> Result<()> {
        println!("\n| step | seconds | |\n| --- | ---: | --- |");
        for (name, took, passed) in &self.done {
            println!("| {name} | {:.1} | {} |", took.as_secs_f64(), if *passed { "passed" } else { "FAILED" });
        }
        println!("\n{:.1} s in all", self.started.elapsed().as_secs_f64());
        let failed = self.done.iter().filter(|(_, _, passed)| !passed).count();
        println!("{} passed, {failed} failed", self.done.len() - failed);
        if failed > 0 {
            bail!("{failed} steps failed");
        }
        Ok(())
    }
}
