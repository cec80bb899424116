//! A plugin of the SDK compared with its twin in Go: the cost of a call to the plugin, its start, its size.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;

use super::bare::at_once;
use super::targets::{self, Target};
use super::{client, middle_of, page};
use crate::peers::Peers;
use crate::workspace;

/// The number of measurements of each, in turn.
const ROUNDS: usize = 9;

/// The number of calls in a round.
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
    /// The median of each figure.
    fn middle(rounds: &[Self]) -> Self {
        Self {
            start: middle_of(rounds, |round| round.start),
            wall: middle_of(rounds, |round| round.wall),
            cpu: middle_of(rounds, |round| round.cpu),
            peak_bytes: middle_of(rounds, |round| round.peak_bytes),
        }
    }
}

/// Measures, prints the tables and writes `docs/benchmarks-sdk.md`.
pub(super) fn run() -> Result<()> {
    let peers = Peers::ready()?;
    // Built as a plugin's author does after `outrigger plugin new`, in a separate folder, because that `release` differs from ours.
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
    page::write("benchmarks-sdk.md", &text)
}

fn round(target: &Path, provider: Option<&Path>) -> Result<Round> {
    let mut client = Command::new(target.join("release/checks"));
    client::figures(client.args([CALLS.to_string(), at_once().to_string()]).args(provider))
}

fn text(sdk: Round, go: Round, inside: Round) -> String {
    let mut text = format!(
        "{}\n\nThe provider `simple` of Pulumi's conformance tests, in Go, and its twin with `outrigger-sdk`. The same client makes \
         {CALLS} Check calls to each, {} at once, after a tenth as many that do not count. Each ran {ROUNDS} times in turn; \
         each figure is the middle one. In process, the client calls the package itself, and the figures are of client and package together.\n\n",
        page::heading("Benchmarks of the SDK", "sdk"),
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
    let calls = per_second(sdk) / per_second(go);
    let targets = targets::table(&[
        Target::at_least("calls per CPU second / Go, at least", calls, 3.0),
        Target::new("start / Go, at most", sdk.start / go.start, 1.0 / 3.0),
        Target::new("peak memory / Go, at most", sdk.peak_bytes / go.peak_bytes, 0.25),
    ]);
    text + "\n" + &targets
}

fn per_second(round: Round) -> f64 {
    CALLS as f64 / round.cpu.max(0.01)
}
