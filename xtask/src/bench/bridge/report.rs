//! The figures as a page.

use std::fmt::Write as _;

use super::super::measure::{Measured, Role, megabytes};
use super::super::subject::Steps;
use super::super::targets::{self, Target};
use super::super::{middle_of, page};
use super::start::{Package, Round, Start};
use super::{Pair, Run, Side};

/// All measurements.
pub(super) struct Figures {
    pub(super) resources: usize,
    pub(super) runs: Vec<Pair<Run>>,
    pub(super) packages: Vec<Package>,
}

/// Selects one step out of three.
type Step = fn(&Steps<Measured>) -> &Measured;

/// Selects one start of a round.
type Which = fn(&Round) -> &Start;

const STEPS: [(&str, Step); 3] =
    [("up", |steps| &steps.up), ("preview", |steps| &steps.preview), ("destroy", |steps| &steps.destroy)];

/// A cost of the bridges, and the limit of ours relative to theirs.
struct Cost {
    what: &'static str,
    figure: fn(&Measured) -> f64,
    /// How the costs of two steps combine.
    together: fn(f64, f64) -> f64,
    limit: f64,
}

const COSTS: [Cost; 3] = [
    Cost { what: "CPU of the bridge", figure: |step| step.cpu(Role::Bridge), together: |a, b| a + b, limit: 0.2 },
    Cost {
        what: "peak memory of the bridge",
        figure: |step| megabytes(step.of(Role::Bridge).peak_bytes),
        together: f64::max,
        limit: 0.25,
    },
    Cost { what: "CPU of the provider", figure: |step| step.cpu(Role::Provider), together: |a, b| a + b, limit: 1.0 },
];

impl Cost {
    fn of_all_steps(&self, run: &Run) -> f64 {
        STEPS.iter().map(|(_, step)| (self.figure)(step(&run.steps))).fold(0.0, self.together)
    }
}

impl Figures {
    fn ratio(&self, figure: impl Fn(&Run) -> f64) -> f64 {
        middle_of(&self.runs, |pair| pair.ratio(&figure))
    }
}

/// The page.
pub(super) fn text(figures: &Figures) -> String {
    let mut text = format!(
        "{}\n\n`pulumi` with checkpoints off runs a program of {} `random:String`, once with Pulumi's dynamic bridge and once with \
         ours under the same name; the provider binary is the same. Each ran {} times in turn. A figure is the middle one; a ratio \
         is the middle of the turns' ratios. For a deletion we make one call more than Pulumi's bridge: the provider plans it \
         first. `pulumi` starts the bridge twice for a step that runs the program; memory is the sum of \
         all processes of the bridge, its keeper included.\n\n\
         | | step | wall s | bridge CPU s | provider CPU s | bridge peak MB | engine CPU s |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
        page::heading("The bridge to Terraform providers", "bridge"),
        figures.resources,
        figures.runs.len(),
    );
    for side in [Side::Go, Side::Ours] {
        for (name, step) in STEPS {
            let middle = |figure: &dyn Fn(&Measured) -> f64| {
                middle_of(&figures.runs, |pair| figure(step(&of(pair, side).steps)))
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {} | {name} | {:.2} | {:.2} | {:.2} | {:.1} | {:.2} |",
                side.title(),
                middle(&Measured::seconds),
                middle(&|step| step.cpu(Role::Bridge)),
                middle(&|step| step.cpu(Role::Provider)),
                middle(&|step| megabytes(step.of(Role::Bridge).peak_bytes)),
                middle(&|step| step.cpu(Role::Engine)),
            );
        }
    }
    let left = |side| figures.runs.iter().map(|pair| of(pair, side).left).max().unwrap_or_default();
    let _ = writeln!(
        text,
        "\nProvider processes that are left running after the three steps: {} by Pulumi's bridge, {} by ours.\n",
        left(Side::Go),
        left(Side::Ours)
    );
    text.push_str(
        "A bridge by itself: from its start to the answer of Parameterize, and GetSchema after that. `again` is our bridge when it \
         has seen the provider before and kept its schema. The provider's own start ends with the line that it prints; it is started \
         with AutoMTLS, as both bridges start it.\n\n\
         | provider | | provider's start ms | to Parameterize ms | GetSchema ms | peak MB | schema MB |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for package in &figures.packages {
        rows(&mut text, package);
    }
    text.push('\n');
    text.push_str(&targets::table(&limits(figures)));
    text
}

fn rows(text: &mut String, package: &Package) {
    let sides: [(&str, Which); 3] = [
        (Side::Go.title(), |round| &round.bridges.go),
        (Side::Ours.title(), |round| &round.bridges.ours),
        ("our bridge, again", |round| &round.again),
    ];
    for (side, start) in sides {
        let middle = |figure: fn(&Start) -> f64| middle_of(&package.rounds, |round| figure(start(round)));
        let _ = writeln!(
            text,
            "| {} | {side} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} |",
            package.title,
            middle_of(&package.rounds, |round| round.provider) * 1e3,
            middle(|start| start.parameterized) * 1e3,
            middle(|start| start.schema) * 1e3,
            middle(|start| megabytes(start.schema_peak)),
            middle(|start| megabytes(start.bytes)),
        );
    }
}

fn of(pair: &Pair<Run>, side: Side) -> &Run {
    match side {
        Side::Go => &pair.go,
        Side::Ours => &pair.ours,
    }
}

fn limits(figures: &Figures) -> Vec<Target> {
    let mut targets = Vec::new();
    for cost in &COSTS {
        let all = figures.ratio(|run| cost.of_all_steps(run));
        targets.push(Target::new(format!("{}, all steps", cost.what), all, cost.limit));
        targets.extend(STEPS.map(|(name, step)| {
            let ratio = figures.ratio(|run| (cost.figure)(step(&run.steps)));
            Target::new(format!("{}, {name} alone", cost.what), ratio, cost.limit)
        }));
    }
    for Package { title, rounds } in &figures.packages {
        let first = middle_of(rounds, |round| round.beyond(&round.bridges.ours));
        let again = middle_of(rounds, |round| round.beyond(&round.again));
        targets.push(Target::new(format!("start to Parameterize beyond the provider's start, {title}"), first, 0.5));
        targets.push(Target::new(format!("the same with the schema kept, {title}"), again, 0.5));
        if title.starts_with("aws") {
            let wall = middle_of(rounds, |round| round.bridges.ratio(|start| start.schema));
            let peak = middle_of(rounds, |round| round.bridges.ratio(|start| start.schema_peak as f64));
            targets.push(Target::new(format!("GetSchema, {title}"), wall, 0.25));
            targets.push(Target::new(format!("peak memory for GetSchema, {title}"), peak, 0.25));
        }
    }
    targets
}
