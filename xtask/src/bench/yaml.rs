//! How long `outrigger check` takes for a large program, beside the bare YAML parser on the same file,
//! and what a large schema costs.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use granit_parser::Parser;

use super::measure::{Measured, Role, measure};
use super::schema::{self, Schema};
use super::subject::program;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};
use crate::workspace::{self, Profile};

/// How often each is measured. The fastest counts: what else runs on a machine makes it slower, never faster.
const ROUNDS: usize = 9;

/// How many times the parser's time and the file's size a check may take.
const TIMES: f64 = 5.0;
const SIZES: f64 = 20.0;

/// What a program that uses ten types of a schema may pay of what decoding the whole schema takes.
const SHARE: f64 = 0.2;

/// What was measured of the command.
struct Check {
    resources: usize,
    /// The size of the program.
    bytes: usize,
    parser: Duration,
    wall: Duration,
    /// The highest memory: of a program of one resource, of this one, and of one of twice the size.
    base: f64,
    peak: f64,
    grown: f64,
    /// How much larger the one of twice the size is.
    growth: usize,
}

/// Measures, prints the table and writes `docs/benchmarks-yaml.md`.
pub(super) fn run(resources: usize) -> Result<()> {
    let report = report(&check(resources)?, &schema::run()?);
    print!("{report}");
    fs::write(workspace::root().join("docs/benchmarks-yaml.md"), report)?;
    Ok(())
}

fn check(resources: usize) -> Result<Check> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let scratch = tempfile::tempdir()?;
    let sandbox = Sandbox::create(scratch.path(), &peers, &outrigger)?;
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    let write = |text: &str| fs::write(project.join("Pulumi.yaml"), text);
    let check = || measure(&mut sandbox.command(Tool::Outrigger, &project, &["check"]));
    let text = program(resources);
    write(&text)?;
    // The first one asks the plugin for its schema.
    sandbox.succeed(Tool::Outrigger, &project, &["check"])?;
    let (mut parsed, mut checked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        parsed.push(parse(&text)?);
        checked.push(check()?);
    }
    let parser = parsed.into_iter().min().context("nothing was measured")?;
    let wall = checked.iter().map(|measured| measured.wall).min().context("nothing was measured")?;
    // Memory is looked at from time to time, and the last look may come too early: the highest of several rounds counts.
    let highest = |rounds: &[Measured]| {
        rounds.iter().map(|measured| measured.of(Role::Engine).peak_bytes).max().unwrap_or_default() as f64
    };
    let peak_of = |text: &str| -> Result<f64> {
        write(text)?;
        let rounds: Vec<Measured> = (0..ROUNDS).map(|_| check()).collect::<Result<_>>()?;
        Ok(highest(&rounds))
    };
    let twice = program(2 * resources);
    Ok(Check {
        resources,
        bytes: text.len(),
        parser,
        wall,
        base: peak_of(&program(1))?,
        peak: highest(&checked),
        grown: peak_of(&twice)?,
        growth: twice.len() - text.len(),
    })
}

/// Reads every event and keeps none.
fn parse(text: &str) -> Result<Duration> {
    let started = Instant::now();
    for event in Parser::new_from_str(text) {
        black_box(event.context("the program is not YAML")?);
    }
    Ok(started.elapsed())
}

fn report(check: &Check, schema: &Schema) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let megabytes = |bytes: f64| bytes / 1e6;
    let bytes = check.bytes as f64;
    format!(
        "# `outrigger check`\n\n\
         Written by `cargo xtask bench yaml`: a program of {} resources ({:.2} MB), with the schema in the cache. The whole\n\
         command, the start of its process included, beside the bare YAML parser that it uses, which reads the same file's events\n\
         and keeps nothing. The fastest of {ROUNDS} rounds. Memory is the highest resident size of the process, the pages of\n\
         its executable included; a program of one resource shows what it is without a large file.\n\n\
         | | measured | limit |\n| --- | ---: | ---: |\n\
         | the parser alone | {:.1} ms | |\n\
         | `outrigger check` | {:.1} ms | |\n\
         | times the parser | {:.1} | {TIMES} |\n\
         | highest memory | {:.1} MB | |\n\
         | highest memory with one resource | {:.1} MB | |\n\
         | times the file, everything included | {:.1} | |\n\
         | times the file, without what one resource takes | {:.1} | {SIZES} |\n\
         | what a program of twice the size takes more, for each byte | {:.1} | {SIZES} |\n\n\
         # A large schema\n\n\
         A schema of {:.1} MB with {} resource types, of which a program uses {}: reading its outline and decoding these, with the\n\
         types that their properties name, beside reading the outline and decoding every entry. Both from memory, in one process,\n\
         in turn; the fastest round of each.\n\n\
         | | measured | limit |\n| --- | ---: | ---: |\n\
         | all of it | {:.1} ms | |\n\
         | what the program uses | {:.1} ms | |\n\
         | share | {:.2} | {SHARE} |\n",
        check.resources,
        megabytes(bytes),
        milliseconds(check.parser),
        milliseconds(check.wall),
        check.wall.as_secs_f64() / check.parser.as_secs_f64(),
        megabytes(check.peak),
        megabytes(check.base),
        check.peak / bytes,
        (check.peak - check.base) / bytes,
        (check.grown - check.peak) / check.growth as f64,
        megabytes(schema.bytes as f64),
        schema.resources,
        schema.used,
        milliseconds(schema.all()),
        milliseconds(schema.some()),
        schema.some().as_secs_f64() / schema.all().as_secs_f64(),
    )
}
