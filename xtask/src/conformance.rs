//! `cargo xtask conformance`: Pulumi's own YAML projects under `pulumi` and under `outrigger`.
//!
//! Both sides run a project in the same folder, one after the other, each with its own backend, so that a
//! program that asks for its folder gets the same answer. The results of `pulumi` are cached: they do not change.

pub(crate) mod cases;
mod compare;
mod export;
mod reasons;
pub(crate) mod side;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::cases::Case;
use self::compare::Difference;
use crate::parallel::in_parallel;
use crate::peers::{Peers, copy_tree, remove, yaml_sources};
use crate::sandbox::Tool;
use crate::workspace::{self, Profile};

/// How many projects have to agree: all except one that needs the network, and one with a race in `pulumi`.
const THRESHOLD: usize = 89;

/// The command's arguments.
#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Only projects whose name contains this
    #[arg(long)]
    filter: Option<String>,
    /// Keep the scratch folders of every project, not only of those that differ
    #[arg(long)]
    keep: bool,
    /// Run `pulumi` again instead of using its cached results
    #[arg(long)]
    fresh: bool,
    /// Compare with this program instead of `outrigger`; `pulumi` itself shows the differences that the masks miss
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Compare with a `pulumi` that reaches its providers through our client half and our server half, back to back
    #[arg(long, conflicts_with = "against")]
    relay: bool,
}

/// Runs every project and compares. The last line printed is `N of M agree`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = match &arguments.against {
        Some(program) => std::path::absolute(program)?,
        None if arguments.relay => peers.bin().join("pulumi"),
        None => workspace::build_outrigger(Profile::Debug)?,
    };
    let folder = workspace::target().join("conformance");
    let scratch = peers.scratch("conformance");
    for folder in [&folder, &scratch] {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // The scratch folders have fixed names (see above). The lock ends with the process.
    let lock = fs::File::create(scratch.join("lock"))?;
    lock.lock().context("cannot lock the scratch folder")?;

    let projects = yaml_sources()?.join("cmd/pulumi-language-yaml/testdata/projects");
    let mut cases = cases::load(&projects)?;
    if let Some(filter) = &arguments.filter {
        cases.retain(|case| case.name.contains(filter.as_str()));
    }
    if cases.is_empty() {
        bail!("no project has a name like that");
    }
    let relay = if arguments.relay {
        // A plugin takes its version from its folder, and a relay is in another one.
        cases.retain(|case| case.simple_versions.is_empty());
        Some(relay(&peers, &folder)?)
    } else {
        None
    };
    let bench = Bench { peers, outrigger, relay, folder, fresh: arguments.fresh, keep: arguments.keep };
    let verdicts = bench.run_all(&cases)?;
    let threshold = match (&arguments.filter, arguments.relay) {
        (Some(_), _) => 0,
        (None, true) => cases.len(),
        (None, false) => THRESHOLD,
    };
    report(&verdicts, threshold)
}

/// A folder in which every conformance provider is our relay.
fn relay(peers: &Peers, folder: &Path) -> Result<PathBuf> {
    let program = workspace::build_example("relay")?;
    let links = folder.join("relay");
    remove(&links)?;
    fs::create_dir_all(&links)?;
    for entry in fs::read_dir(peers.conformance())? {
        std::os::unix::fs::symlink(&program, links.join(entry?.file_name()))?;
    }
    Ok(links)
}

/// The result of one project.
struct Verdict {
    name: String,
    difference: Option<Difference>,
}

struct Bench {
    peers: Peers,
    outrigger: PathBuf,
    relay: Option<PathBuf>,
    folder: PathBuf,
    fresh: bool,
    keep: bool,
}

impl Bench {
    fn run_all(&self, cases: &[Case<'_>]) -> Result<Vec<Verdict>> {
        let mut verdicts = in_parallel(cases, |case| {
            let verdict = self.run_one(case).with_context(|| format!("in the project {}", case.name))?;
            match &verdict.difference {
                None => println!("agree {}", verdict.name),
                Some(difference) => println!("differ {}: {difference}", verdict.name),
            }
            Ok(verdict)
        })?;
        verdicts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(verdicts)
    }

    fn run_one(&self, case: &Case<'_>) -> Result<Verdict> {
        let scratch = self.peers.scratch("conformance").join(&case.name);
        let relay = self.relay.as_deref();
        let place = side::Place { scratch: &scratch, peers: &self.peers, outrigger: &self.outrigger, relay };
        let mut expected = side::Remembered::load(case, &place, self.fresh)?;
        let actual = side::run(case, &place, Tool::Outrigger)?;
        let difference = expected.difference(case, &place, &actual)?;
        let expected = expected.runs;
        fs::write(self.folder.join(format!("{}.txt", case.name)), details(&expected, &actual, difference.as_ref()))?;
        if difference.is_none() && !self.keep {
            remove(&scratch)?;
        }
        Ok(Verdict { name: case.name.clone(), difference })
    }
}

fn details(expected: &[side::Run], actual: &side::Run, difference: Option<&Difference>) -> String {
    let mut text = match difference {
        None => "the two agree\n".to_owned(),
        Some(difference) => format!("{difference}\n"),
    };
    for (index, run) in expected.iter().enumerate() {
        let _ = writeln!(text, "\n======== pulumi, run {}\n{}", index + 1, run.transcript());
    }
    let _ = writeln!(text, "\n======== outrigger\n{}", actual.transcript());
    text
}

fn report(verdicts: &[Verdict], threshold: usize) -> Result<()> {
    let agree = verdicts.iter().filter(|verdict| verdict.difference.is_none()).count();
    if agree < verdicts.len() {
        println!("\n| project | reason | first difference |\n| --- | --- | --- |");
        for verdict in verdicts {
            if let Some(difference) = &verdict.difference {
                let reason = reasons::reason(&verdict.name).unwrap_or("not known: please look");
                println!("| {} | {reason} | {} |", verdict.name, difference.to_string().replace('|', "\\|"));
            }
        }
        println!();
    }
    println!("{agree} of {} agree", verdicts.len());
    if agree < threshold {
        bail!("at least {threshold} projects have to agree");
    }
    Ok(())
}

/// Empties the project's folder except the stack's settings, and copies the sources of one update into it.
pub(crate) fn lay_out(project: &Path, sources: &Path) -> Result<()> {
    let settings = project.join("Pulumi.test.yaml");
    let kept = fs::read(&settings).ok();
    remove(project)?;
    copy_tree(sources, project)?;
    if let Some(kept) = kept {
        fs::write(&settings, kept)?;
    }
    Ok(())
}
