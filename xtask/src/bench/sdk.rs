//! A plugin of the SDK beside its twin in Go: what a call costs the plugin, how fast it starts, what it weighs.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::bare::at_once;
use super::middle;
use crate::peers::Peers;
use crate::workspace;

/// How often each is measured, in turn.
const ROUNDS: usize = 9;

/// How many calls a round has.
const CALLS: usize = 20_000;

/// One round, in seconds and bytes.
#[derive(Clone, Copy, Default, Deserialize)]
struct Round {
    start: f64,
    wall: f64,
    cpu: f64,
    peak_bytes: f64,
}

impl Round {
    /// The middle of each figure.
    fn middle(rounds: &[Self]) -> Self {
        let figure = |of: fn(&Self) -> f64| middle(rounds.iter().map(of), |value| *value).unwrap_or_default();
        Self {
            start: figure(|round| round.start),
            wall: figure(|round| round.wall),
            cpu: figure(|round| round.cpu),
            peak_bytes: figure(|round| round.peak_bytes),
        }
    }
}

/// Measures, prints the tables and writes `docs/benchmarks-sdk.md`.
pub(super) fn run() -> Result<()> {
    let peers = Peers::ready()?;
    // As a plugin's author has it from `outrigger plugin new`, in a folder of its own: it is another `release` than ours.
    let (target, simple) = (workspace::target().join("plugin"), "release/examples/simple");
    for of in [["--package", "outrigger-sdk", "--example", "simple"], ["--package", "bench", "--bin", "checks"]] {
        let profile = ["--config", "profile.release.lto='fat'", "--config", "profile.release.codegen-units=1"];
        let mut build = workspace::cargo();
        build.args(["build", "--quiet", "--release"]).args(profile).arg("--target-dir").arg(&target).args(of);
        workspace::run(&mut build)?;
    }
    let theirs = peers.conformance().join("pulumi-resource-simple");
    let (mut sdk, mut go, mut inside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        sdk.push(round(&target, Some(&target.join(simple)))?);
        go.push(round(&target, Some(&theirs))?);
        inside.push(round(&target, None)?);
    }
    let text = text(Round::middle(&sdk), Round::middle(&go), Round::middle(&inside)) + &super::inside::section()?;
    print!("{text}");
    std::fs::write(workspace::root().join("docs/benchmarks-sdk.md"), text)?;
    Ok(())
}

fn round(target: &Path, provider: Option<&Path>) -> Result<Round> {
    let mut client = std::process::Command::new(target.join("release/checks"));
    client.args([CALLS.to_string(), at_once().to_string()]).args(provider);
    serde_json::from_str(&workspace::output(&mut client)?).context("the client answered oddly")
}

fn text(sdk: Round, go: Round, inside: Round) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let mut text = format!(
        "# Benchmarks of the SDK\n\nWritten by `cargo xtask bench sdk` on {today}, on a machine with {cores} cores.\n\n\
         The provider `simple` of Pulumi's conformance tests, in Go, and its twin with `outrigger-sdk`. The same client makes \
         {CALLS} Check calls to each, {} at once, after a tenth as many that do not count. Each ran {ROUNDS} times in turn; \
         each figure is the middle one. In process, the client calls the package itself, and the figures are of client and package together.\n\n",
        at_once()
    );
    text.push_str("| | start ms | wall s | CPU s | calls per CPU second | peak MB |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (title, round) in [("outrigger-sdk", sdk), ("Go", go), ("outrigger-sdk, in process", inside)] {
        let start = if round.start > 0.0 { format!("{:.1}", round.start * 1000.0) } else { String::new() };
        let _ = writeln!(
            text,
            "| {title} | {start} | {:.2} | {:.2} | {:.0} | {:.1} |",
            round.wall,
            round.cpu,
            per_second(round),
            round.peak_bytes / 1e6
        );
    }
    text.push_str("\n| target | measured | limit | |\n| --- | ---: | ---: | --- |\n");
    let mut target = |what: &str, measured: f64, limit: f64, met: bool| {
        let verdict = if met { "met" } else { "**missed**" };
        let _ = writeln!(text, "| {what} | {measured:.3} | {limit:.3} | {verdict} |");
    };
    let calls = per_second(sdk) / per_second(go);
    target("calls per CPU second / Go, at least", calls, 3.0, calls >= 3.0);
    let start = sdk.start / go.start;
    target("start / Go, at most", start, 1.0 / 3.0, start <= 1.0 / 3.0);
    let memory = sdk.peak_bytes / go.peak_bytes;
    target("peak memory / Go, at most", memory, 0.25, memory <= 0.25);
    text
}

fn per_second(round: Round) -> f64 {
    CALLS as f64 / round.cpu.max(0.01)
}
