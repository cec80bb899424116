//! The time of `outrigger check` for a large program, compared with the bare YAML parser on the same file,
//! and the cost of a large schema.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::measure::{Measured, Role, measure};
use super::schema::{self, Schema};
use super::subject::program;
use super::{client, page};
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// The number of measurements of each. The fastest counts: other work on the machine only makes it slower.
const ROUNDS: usize = 9;

/// The limits of a check: a multiple of the parser's time, and of the file's size.
const TIMES: f64 = 5.0;
const SIZES: f64 = 20.0;

/// The limit for a program that uses ten types of a schema, as a share of the time to decode all of it.
const SHARE: f64 = 0.2;

/// The measurements of the command with one program.
struct Check {
    /// The size of the program.
    bytes: usize,
    parser: Duration,
    wall: Duration,
    /// The peak memory of the process.
    peak: f64,
}

/// Programs that are checked.
struct Checks {
    resources: usize,
    /// Minimal resources.
    least: Check,
    /// Resources as people write them.
    usual: Check,
    /// Twice as many minimal resources.
    twice: Check,
    /// One resource.
    one: Check,
}

/// Measures, prints the table and writes `docs/benchmarks-yaml.md`.
pub(super) fn run(resources: usize) -> Result<()> {
    page::write("benchmarks-yaml.md", &report(&checks(resources)?, &schema::run()?))
}

fn checks(resources: usize) -> Result<Checks> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let parser = client::build("parse")?;
    let scratch = tempfile::tempdir()?;
    let sandbox = Sandbox::create(scratch.path(), &peers, &outrigger)?;
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    let file = project.join("Pulumi.yaml");
    let check = |text: &str| -> Result<Check> {
        fs::write(&file, text)?;
        // The first run asks the plugin for its schema.
        sandbox.succeed(Tool::Outrigger, &project, &["check"])?;
        let rounds = (0..ROUNDS).map(|_| measure(&mut sandbox.command(Tool::Outrigger, &project, &["check"])));
        let rounds = rounds.collect::<Result<Vec<Measured>>>()?;
        Ok(Check {
            bytes: text.len(),
            // In a separate process, built like the command; it returns the fastest of several rounds.
            parser: Duration::from_nanos(client::figures(Command::new(&parser).arg(&file).arg(ROUNDS.to_string()))?),
            wall: rounds.iter().map(|round| round.wall).min().context("nothing was measured")?,
            // Memory is sampled, and the last sample may be too early: the highest of the rounds counts.
            peak: rounds.iter().map(|round| round.of(Role::Engine).peak_bytes).max().unwrap_or_default() as f64,
        })
    };
    Ok(Checks {
        resources,
        least: check(&program(resources))?,
        usual: check(&usual_program(resources))?,
        twice: check(&program(2 * resources))?,
        one: check(&program(1))?,
    })
}

/// Resources with the properties and options that people write.
fn usual_program(resources: usize) -> String {
    let mut text = String::from("name: bench\nruntime: yaml\nresources:\n");
    for index in 0..resources {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "  text{index}:\n    type: random:RandomString\n    properties:\n      length: {}\n      special: true\n      \
             overrideSpecial: '_-%@'\n      minLower: 2\n      keepers:\n        release: '2026-{index}'\n        \
             region: eu-central-1\n    options:\n      protect: false\n",
            8 + index % 32
        );
    }
    text
}

fn report(checks: &Checks, schema: &Schema) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let megabytes = |bytes: f64| bytes / 1e6;
    let Checks { resources, least, usual, twice, one } = checks;
    let size = |check: &Check| check.bytes as f64;
    let times = |check: &Check| check.wall.as_secs_f64() / check.parser.as_secs_f64();
    format!(
        "# `outrigger check`\n\n\
         Written by `cargo xtask bench yaml`: programs of {resources} resources, with the schema in the cache. In one a resource has a\n\
         type and one property; in the other it has five, a map among them, and an option. The whole command, the start of its\n\
         process included, beside the bare YAML parser that it uses, which reads the same file's events and keeps nothing. The\n\
         fastest of {ROUNDS} rounds. Memory is the highest resident size of the process, the pages of its executable included; a\n\
         program of one resource shows what it is without a large file.\n\n\
         | | one property | five properties | limit |\n| --- | ---: | ---: | ---: |\n\
         | the file | {:.2} MB | {:.2} MB | |\n\
         | the parser alone | {:.1} ms | {:.1} ms | |\n\
         | `outrigger check` | {:.1} ms | {:.1} ms | |\n\
         | times the parser | {:.1} | {:.1} | {TIMES} |\n\
         | highest memory | {:.1} MB | {:.1} MB | |\n\
         | highest memory with one resource | {:.1} MB | {:.1} MB | |\n\
         | times the file, everything included | {:.1} | {:.1} | |\n\
         | times the file, without what one resource takes | {:.1} | {:.1} | {SIZES} |\n\
         | what a program of twice the size takes more, for each byte | {:.1} | | {SIZES} |\n\n\
         # A large schema\n\n\
         A schema of {:.1} MB with {} resource types, of which a program uses {}: reading its outline and decoding these, with the\n\
         types that their properties name, beside reading the outline and decoding every entry. Both from memory, in one process,\n\
         in turn; the fastest round of each.\n\n\
         | | measured | limit |\n| --- | ---: | ---: |\n\
         | all of it | {:.1} ms | |\n\
         | what the program uses | {:.1} ms | |\n\
         | share | {:.2} | {SHARE} |\n",
        megabytes(size(least)),
        megabytes(size(usual)),
        milliseconds(least.parser),
        milliseconds(usual.parser),
        milliseconds(least.wall),
        milliseconds(usual.wall),
        times(least),
        times(usual),
        megabytes(least.peak),
        megabytes(usual.peak),
        megabytes(one.peak),
        megabytes(one.peak),
        least.peak / size(least),
        usual.peak / size(usual),
        (least.peak - one.peak) / size(least),
        (usual.peak - one.peak) / size(usual),
        (twice.peak - least.peak) / (size(twice) - size(least)),
        megabytes(schema.bytes as f64),
        schema.resources,
        schema.used,
        milliseconds(schema.all()),
        milliseconds(schema.some()),
        schema.some().as_secs_f64() / schema.all().as_secs_f64(),
    )
}
