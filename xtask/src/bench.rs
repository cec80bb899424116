//! `cargo xtask bench`: the cost of `outrigger`, compared with `pulumi`, the provider, and a client without an engine.

mod bare;
mod bridge;
mod client;
mod inside;
mod measure;
mod page;
mod report;
mod scale;
mod schema;
mod sdk;
mod start;
mod subject;
mod targets;
mod terraform;
mod yaml;

use std::path::PathBuf;

use anyhow::Result;

use self::bare::Bare;
use self::report::Figures;
use self::subject::{Steps, Subject};
use crate::peers::Peers;
use crate::workspace::{self, Profile};

/// The number of rounds of the bare client and `outrigger`.
const ROUNDS: usize = 9;

/// The number of rounds of the large program.
const GROWN_ROUNDS: usize = 3;

/// The command's arguments.
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
    /// How many it has for `scale`, smallest first
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 10_000, 50_000])]
    sizes: Vec<usize>,
    /// How often two sides are measured in turn, where they are slow
    #[arg(long, default_value_t = 5)]
    turns: usize,
    /// The executable of a Terraform provider with a large schema, for an additional measurement of `bridge`
    #[arg(long)]
    provider: Option<PathBuf>,
    /// Only this part of `terraform`; the page in `docs` stays as it is
    #[arg(long, value_enum)]
    only: Option<terraform::Part>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Name {
    /// The bridge to Terraform providers compared with Pulumi's, under the same `pulumi`
    Bridge,
    /// The engine: one program, one provider, a file backend
    Engine,
    /// Many resources: time and memory of `outrigger`, and of the commands that read their state
    Scale,
    /// The SDK: a plugin built with it, compared with its twin in Go
    Sdk,
    /// `outrigger` with Terraform providers, compared with the engines that they are made for
    Terraform,
    /// `outrigger check` of a large program, compared with the bare parser; a large schema with few types in use
    Yaml,
}

/// Measures, prints the tables and writes them to `docs`.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match arguments.name {
        Name::Bridge => bridge::run(arguments.resources, arguments.turns, arguments.provider.as_deref()),
        Name::Engine => engine(arguments),
        Name::Scale => scale::run(&arguments.sizes),
        Name::Sdk => sdk::run(),
        Name::Terraform => terraform::run(arguments.resources, arguments.growth, arguments.turns, arguments.only),
        Name::Yaml => yaml::run(arguments.growth),
    }
}

/// The median, by a figure.
fn middle<T>(values: impl IntoIterator<Item = T>, figure: impl Fn(&T) -> f64) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_by(|one, other| figure(one).total_cmp(&figure(other)));
    let middle = values.len() / 2;
    values.into_iter().nth(middle)
}

/// The median of a figure over all turns.
fn middle_of<T>(turns: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    middle(turns.iter().map(figure), |value| *value).unwrap_or_default()
}

fn engine(arguments: &Arguments) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let client = client::build("bare")?;
    let measure = |subject: Subject, resources: usize| {
        eprintln!("measuring {} with {resources} resources", subject.title());
        subject.run(&peers, &outrigger, resources)
    };
    // A machine's speed varies: the two that are close are measured in turn, and the median round counts.
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(bare::run(&client, &peers, arguments.resources)?);
        ours.push(measure(Subject::Outrigger, arguments.resources)?);
    }
    let grown: Vec<_> =
        (0..GROWN_ROUNDS).map(|_| measure(Subject::Outrigger, arguments.growth)).collect::<Result<_>>()?;
    let figures = Figures {
        resources: arguments.resources,
        growth: arguments.growth,
        bare: Bare::middle(&bare),
        outrigger: Steps::middle(&ours),
        grown: Steps::middle(&grown),
        lean: measure(Subject::PulumiWithoutCheckpoints, arguments.resources)?,
        pulumi: measure(Subject::Pulumi, arguments.resources)?,
        start: start::run(&peers, &outrigger)?,
    };
    page::write("benchmarks.md", &report::text(&figures))
}
