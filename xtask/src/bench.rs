//! `cargo xtask bench`: what `outrigger` costs beside `pulumi`, the provider, and a client without an engine.

mod bare;
mod measure;
mod report;
mod start;
mod subject;

use anyhow::Result;

use self::report::Figures;
use self::subject::Subject;
use crate::peers::Peers;
use crate::workspace::{self, Profile};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    name: Name,
    /// How many resources the program has
    #[arg(long, default_value_t = 1000)]
    resources: usize,
    /// How many it has for the growth figures
    #[arg(long, default_value_t = 10_000)]
    growth: usize,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Name {
    /// The engine: one program, one provider, a file backend
    Engine,
}

/// Measures, prints the tables and writes `docs/benchmarks.md`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match arguments.name {
        Name::Engine => engine(arguments),
    }
}

fn engine(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let bare = bare::run(&peers, arguments.resources)?;
    let measure = |subject: Subject, resources: usize| {
        eprintln!("measuring {} with {resources} resources", subject.title());
        subject.run(&peers, &outrigger, resources)
    };
    let figures = Figures {
        resources: arguments.resources,
        growth: arguments.growth,
        bare,
        outrigger: measure(Subject::Outrigger, arguments.resources)?,
        grown: measure(Subject::Outrigger, arguments.growth)?,
        lean: measure(Subject::PulumiWithoutCheckpoints, arguments.resources)?,
        pulumi: measure(Subject::Pulumi, arguments.resources)?,
        start: start::run(&peers, &outrigger)?,
    };
    let text = report::text(&figures);
    print!("{text}");
    std::fs::write(workspace::root().join("docs/benchmarks.md"), text)?;
    Ok(())
}
