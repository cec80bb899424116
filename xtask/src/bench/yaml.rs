//! How long `outrigger check` takes for a large program, beside the bare YAML parser on the same file.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use granit_parser::Parser;

use super::measure::{Measured, Role, measure};
use super::subject::program;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// How often each is measured. The fastest counts: what else runs on a machine makes it slower, never faster.
const ROUNDS: usize = 9;

/// How many times the parser's time and the file's size a check may take.
const TIMES: f64 = 5.0;
const SIZES: f64 = 20.0;

/// Measures, prints the table and writes `docs/benchmarks-yaml.md`.
pub(super) fn run(resources: usize) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let scratch = tempfile::tempdir()?;
    let sandbox = Sandbox::create(scratch.path(), &peers, &outrigger)?;
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    let text = program(resources);
    fs::write(project.join("Pulumi.yaml"), &text)?;
    // The first one asks the plugin for its schema.
    sandbox.succeed(Tool::Outrigger, &project, &["check"])?;
    let check = || measure(&mut sandbox.command(Tool::Outrigger, &project, &["check"]));
    let (mut parsed, mut checked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        parsed.push(parse(&text)?);
        checked.push(check()?);
    }
    let parser = parsed.into_iter().min().context("nothing was measured")?;
    let check = checked.into_iter().min_by_key(|measured| measured.wall).context("nothing was measured")?;
    // Twice the program shows what a program takes, without what the process takes whatever the program is.
    let twice = program(2 * resources);
    fs::write(project.join("Pulumi.yaml"), &twice)?;
    let grown = measure(&mut sandbox.command(Tool::Outrigger, &project, &["check"]))?;
    let peak = |measured: &Measured| measured.of(Role::Engine).peak_bytes as f64;
    let growth = (peak(&grown) - peak(&check)) / (twice.len() - text.len()) as f64;
    let report = report(resources, text.len(), parser, &check, growth);
    print!("{report}");
    fs::write(workspace::root().join("docs/benchmarks-yaml.md"), report)?;
    Ok(())
}

/// Reads every event and keeps none.
fn parse(text: &str) -> Result<Duration> {
    let started = Instant::now();
    for event in Parser::new_from_str(text) {
        black_box(event.context("the program is not YAML")?);
    }
    Ok(started.elapsed())
}

fn report(resources: usize, bytes: usize, parser: Duration, check: &Measured, growth: f64) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let megabytes = |bytes: f64| bytes / 1e6;
    let peak = check.of(Role::Engine).peak_bytes as f64;
    let times = check.wall.as_secs_f64() / parser.as_secs_f64();
    format!(
        "# `outrigger check`\n\n\
         Written by `cargo xtask bench yaml`: a program of {resources} resources ({:.1} MB), with the schema in the cache. The whole\n\
         command, the start of its process included, beside the bare YAML parser that it uses, which reads the same file's events\n\
         and keeps nothing. The fastest of {ROUNDS} rounds. Memory by the byte is what a program of twice the size takes more.\n\n\
         | | measured | limit |\n| --- | ---: | ---: |\n\
         | the parser alone | {:.1} ms | |\n\
         | `outrigger check` | {:.1} ms | |\n\
         | times the parser | {times:.1} | {TIMES} |\n\
         | highest memory | {:.1} MB | |\n\
         | memory for each byte of the file | {growth:.1} | {SIZES} |\n",
        megabytes(bytes as f64),
        milliseconds(parser),
        milliseconds(check.wall),
        megabytes(peak),
    )
}
