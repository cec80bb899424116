//! `cargo xtask sdks`: Pulumi's own generators make SDKs from our packages' schemas, and the compilers of their languages compile them.
//!
//! Go is always compiled. Node and Python need packages from their registries; if a tool is missing, the language is
//! left out with a message.

mod compile;
mod package;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::compile::{Language, Verdict};
use self::package::{Package, Workshop};
use crate::peers::{Peers, remove};
use crate::workspace;

/// Pulumi's generators, as a program.
const GENERATOR: &str = "pulumi-generate";

/// The command's arguments.
#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Only the package of this name; may be given more than once
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Only generate, and compile nothing
    #[arg(long)]
    generate: bool,
}

/// The overall results.
#[derive(Default)]
struct Tally {
    packages: usize,
    compiled: usize,
    wrong: Vec<String>,
}

/// Continues after an SDK that does not compile, so that one run reports every problem. The last line printed is
/// `N SDKs of M packages compile`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    if !peers.bin().join(GENERATOR).is_file() {
        bail!("`{GENERATOR}` is not in {}: run `cargo xtask peers` first", peers.bin().display());
    }
    let packages = package::chosen(&arguments.only)?;
    let folder = workspace::target().join("sdks");
    remove(&folder)?;
    let workshop = Workshop::open(&folder, &peers)?;
    let mut tally = Tally::default();
    for package in packages {
        if let Some(reason) = package.missing(&peers) {
            println!("{}: left out, {reason}", package.name);
            continue;
        }
        tally.packages += 1;
        let sdks = folder.join(package.name);
        let before = tally.wrong.len();
        if let Err(error) = generate(&workshop, package, &sdks) {
            tally.fail(&format!("{}: {error:#}", package.name));
        } else if !arguments.generate {
            for language in Language::ALL {
                compile(&peers, package, language, &sdks, &mut tally);
            }
        }
        // A faulty SDK is kept for inspection. With their dependencies, all of them together would take gigabytes.
        if tally.wrong.len() == before {
            remove(&sdks)?;
        }
    }
    tally.report(arguments)
}

/// Asks for the schema and writes one folder for each language into `sdks`.
fn generate(workshop: &Workshop<'_>, package: &Package, sdks: &Path) -> Result<()> {
    fs::create_dir_all(sdks).with_context(|| format!("cannot create {}", sdks.display()))?;
    let schema = sdks.join("schema.json");
    fs::write(&schema, workshop.schema(package, sdks)?)?;
    let begun = Instant::now();
    workspace::run(Command::new(workshop.peers.bin().join(GENERATOR)).arg(&schema).arg(sdks))?;
    println!("{}: generated in {:.0} s", package.name, begun.elapsed().as_secs_f64());
    Ok(())
}

fn compile(peers: &Peers, package: &Package, language: Language, sdks: &Path, tally: &mut Tally) {
    let title = format!("{} {}", package.name, language.name());
    let begun = Instant::now();
    match compile::compile(language, peers, package.name, &sdks.join(language.name())) {
        Ok(Verdict::Compiles) => {
            tally.compiled += 1;
            println!("{title}: compiles, in {:.0} s", begun.elapsed().as_secs_f64());
        }
        Ok(Verdict::LeftOut(reason)) => println!("{title}: left out, {reason}"),
        Err(error) => tally.fail(&format!("{title}: {error:#}")),
    }
}

impl Tally {
    fn fail(&mut self, what: &str) {
        eprintln!("error: {what}");
        self.wrong.push(what.to_owned());
    }

    fn report(&self, arguments: &Arguments) -> Result<()> {
        for what in &self.wrong {
            println!("wrong: {what}");
        }
        if arguments.generate {
            println!("SDKs of {} packages are generated", self.packages);
        } else {
            println!("{} SDKs of {} packages compile", self.compiled, self.packages);
        }
        if !self.wrong.is_empty() {
            bail!("{} are wrong", self.wrong.len());
        }
        Ok(())
    }
}
