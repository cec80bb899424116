//! `outrigger` with Terraform providers compared with OpenTofu and Terraform: the same provider binary, the same resources.

mod cloud;
mod engine;
mod program;
mod report;

use std::path::{Path, PathBuf};

use anyhow::Result;

use self::cloud::Cloud;
use self::engine::{Engine, Steps};
use self::program::Program;
use super::page;
use crate::peers::Peers;
use crate::workspace::{self, Profile};

/// The number of parameters in the program for AWS.
const PARAMETERS: usize = 200;

/// The parts that can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    /// `random_string`
    Strings,
    /// A type with blocks in blocks and sets of blocks
    Blocks,
    /// `aws_ssm_parameter` in a cloud that answers at once
    Parameters,
    /// `aws_ssm_parameter` in moto
    Moto,
    /// `outrigger` with few and with many strings
    Growth,
}

/// All engines with one program, measured one right after the other.
struct Turn {
    outrigger: Steps,
    tofu: Steps,
    terraform: Option<Steps>,
}

/// `outrigger` with few and with many strings.
struct Growth {
    /// The small and the large number of resources.
    resources: [usize; 2],
    few: Vec<Steps>,
    many: Steps,
}

/// The measurements of one program.
struct Measurements {
    program: Program,
    turns: Vec<Turn>,
}

/// Measures, prints the tables and, if nothing was left out, writes `docs/benchmarks-terraform.md`.
pub(super) fn run(resources: usize, growth: usize, turns: usize, only: Option<Part>) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let terraform = on_path("terraform");
    // Early: the digest of a file that has just changed is not cached, so the file would be read again and again.
    let scratch = tempfile::Builder::new().prefix("outrigger-mirror-").tempdir()?;
    let mut programs = vec![Program::Strings(resources), Program::Blocks(resources)];
    if peers.terraform().join("terraform-provider-aws").is_file() {
        programs.push(Program::Parameters(PARAMETERS, Cloud::instant()?));
        programs.push(Program::Parameters(PARAMETERS, Cloud::moto(&peers)?));
    }
    let mirror = engine::lay_mirror(scratch.path(), &peers, &programs)?;
    let run = |engine: Engine<'_>, program: &Program| {
        eprintln!("measuring {} with {program}", engine.title());
        engine.run(&peers, &outrigger, &mirror, program)
    };
    let measure = |program: Program| -> Result<Measurements> {
        let turns = (0..turns).map(|_| {
            let other = |name, path: &Path| run(Engine::Other(name, path), &program);
            Ok(Turn {
                outrigger: run(Engine::Outrigger, &program)?,
                tofu: other("tofu", &peers.bin().join("tofu"))?,
                terraform: terraform.as_deref().map(|path| other("terraform", path)).transpose()?,
            })
        });
        let turns = turns.collect::<Result<Vec<Turn>>>()?;
        Ok(Measurements { program, turns })
    };
    let wanted = |part: Part| only.is_none_or(|only| only == part);
    let programs = programs.into_iter().filter(|program| wanted(program.part()));
    let all = programs.map(measure).collect::<Result<Vec<_>>>()?;
    let grown = wanted(Part::Growth)
        .then(|| {
            let strings = |resources: usize| run(Engine::Outrigger, &Program::Strings(resources));
            // A machine's speed varies: the small one is measured again, around the large one.
            let mut few = vec![strings(resources)?, strings(resources)?];
            let many = strings(growth)?;
            few.push(strings(resources)?);
            anyhow::Ok(Growth { resources: [resources, growth], few, many })
        })
        .transpose()?;
    let text = report::text(&all, grown.as_ref());
    if only.is_none() {
        return page::write("benchmarks-terraform.md", &text);
    }
    print!("{text}");
    Ok(())
}

/// An installed program, used from where it is.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file: &PathBuf| Path::is_file(file))
}
