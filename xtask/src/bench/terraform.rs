//! `outrigger` with Terraform providers beside OpenTofu and Terraform: the same provider binary, the same resources.

mod cloud;
mod engine;
mod program;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use self::cloud::Cloud;
use self::engine::{Engine, Steps};
use self::program::Program;
use crate::peers::Peers;
use crate::workspace::{self, Profile};

/// How many parameters the program for AWS has.
const PARAMETERS: usize = 200;

/// All engines with one program, one right after the other.
struct Turn {
    outrigger: Steps,
    tofu: Steps,
    terraform: Option<Steps>,
}

/// `outrigger` with few and with many strings.
struct Growth {
    resources: usize,
    before: Steps,
    after: Steps,
}

/// What was measured with one program.
struct Measurements {
    program: Program,
    turns: Vec<Turn>,
}

/// Measures, prints the tables and writes `docs/benchmarks-terraform.md`.
pub(super) fn run(resources: usize, growth: usize, turns: usize) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Shipped)?;
    let terraform = on_path("terraform");
    // Early: a file that has just changed is not trusted to stay as it is, and so it is read again and again.
    let scratch = tempfile::Builder::new().prefix("outrigger-mirror-").tempdir()?;
    let with_aws = peers.terraform().join("terraform-provider-aws").is_file();
    let cloud = Cloud::start()?;
    let mut programs = vec![Program::Strings(resources), Program::Blocks(resources)];
    programs.extend(with_aws.then(|| Program::Parameters(PARAMETERS, cloud.address())));
    let mirror = engine::lay_mirror(scratch.path(), &peers, &programs)?;
    let measure = |program: Program| -> Result<Measurements> {
        let run = |engine: Engine| {
            eprintln!("measuring {} with {program}", engine.title());
            engine.run(&peers, &outrigger, &mirror, &program)
        };
        let turns = (0..turns).map(|_| {
            Ok(Turn {
                outrigger: run(Engine::Outrigger)?,
                tofu: run(Engine::Other("tofu", &peers.bin().join("tofu")))?,
                terraform: terraform.as_deref().map(|path| run(Engine::Other("terraform", path))).transpose()?,
            })
        });
        let turns = turns.collect::<Result<Vec<Turn>>>()?;
        Ok(Measurements { program, turns })
    };
    let all = programs.into_iter().map(measure).collect::<Result<Vec<_>>>()?;
    // A machine is not equally fast all the time: the small one again, right before the large one.
    let strings = |resources: usize| {
        let program = Program::Strings(resources);
        eprintln!("measuring outrigger with {program}");
        Engine::Outrigger.run(&peers, &outrigger, &mirror, &program)
    };
    let grown = Growth { resources: growth, before: strings(resources)?, after: strings(growth)? };
    let text = report::text(&all, resources, &grown);
    print!("{text}");
    fs::write(workspace::root().join("docs/benchmarks-terraform.md"), text)?;
    Ok(())
}

/// A program that is used where it is installed.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file: &PathBuf| Path::is_file(file))
}
