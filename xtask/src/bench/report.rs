//! The figures as a page, with each target and whether it is met.

use std::fmt::Write as _;

use super::bare::{Bare, Phase, at_once};
use super::measure::{Measured, Role, megabytes};
use super::page;
use super::start::Start;
use super::subject::{Steps, Subject};
use super::targets::{self, Target, ratio};

/// All measurements.
pub(super) struct Figures {
    pub(super) resources: usize,
    pub(super) growth: usize,
    pub(super) bare: Bare,
    pub(super) outrigger: Steps<Measured>,
    pub(super) grown: Steps<Measured>,
    pub(super) lean: Steps<Measured>,
    pub(super) pulumi: Steps<Measured>,
    pub(super) start: Start,
}

/// The page.
pub(super) fn text(figures: &Figures) -> String {
    let mut text = format!(
        "{}\n\nThe program is {} `random:RandomString`; every engine runs the same provider binary, with a file backend of \
         its own and its journal or checkpoints on the same disk. The bare client makes the same calls to the provider, \
         {} at once, with no engine and no state; its wall times have the provider's start ({:.0} ms) added, which \
         every engine pays too. `engine` is `pulumi` with its YAML host, or `outrigger` with its keeper. The bare client and `outrigger` \
         ran {} times in turn, the large program {} times; each figure is of the middle run.\n\n{}",
        page::heading("Benchmarks", "engine"),
        figures.resources,
        at_once(),
        figures.bare.start * 1000.0,
        super::ROUNDS,
        super::GROWN_ROUNDS,
        page::STEPS,
    );
    let bare = [("up", &figures.bare.up), ("preview", &figures.bare.preview), ("destroy", &figures.bare.destroy)];
    for (step, phase) in bare {
        let wall = phase.wall + figures.bare.start;
        let _ = writeln!(
            text,
            "| bare client | {step} | {wall:.2} | {:.2} | {:.2} | | |",
            phase.client_cpu, phase.provider_cpu
        );
    }
    rows(&mut text, Subject::Outrigger.title(), &figures.outrigger);
    rows(&mut text, Subject::PulumiWithoutCheckpoints.title(), &figures.lean);
    rows(&mut text, Subject::Pulumi.title(), &figures.pulumi);
    rows(&mut text, &format!("outrigger, {} resources", figures.growth), &figures.grown);
    let _ = writeln!(
        text,
        "\nFrom the start of a warm `outrigger up` to its first call for a resource: {:.0} ms (median). The provider's \
         own start, from spawning it to the line with its port: {:.0} ms.\n",
        figures.start.outrigger * 1000.0,
        figures.start.provider * 1000.0
    );
    let _ = writeln!(
        text,
        "Every command that uses a secret derives the stack's key, in {:.2} s of processor time, as Pulumi's format asks. Each of these \
         resources has secrets in its state. The last two rows are without it.\n",
        figures.bare.key
    );
    text.push_str(&targets::table(&limits(figures)));
    text
}

fn rows(text: &mut String, title: &str, steps: &Steps<Measured>) {
    for (name, step) in [("up", &steps.up), ("preview", &steps.preview), ("destroy", &steps.destroy)] {
        text.push_str(&page::step(title, name, |figure| figure(step)));
    }
}

fn limits(figures: &Figures) -> Vec<Target> {
    let Figures { bare, outrigger, grown, lean, pulumi, start, .. } = figures;
    let target = |what: &str, ratio, limit| Target::new(what, ratio, limit);
    let wall = |ours: &Measured, theirs: &Measured| ratio(ours.seconds(), theirs.seconds());
    let share = |step: &Measured| ratio(step.cpu(Role::Engine), step.cpu(Role::Provider));
    let growth = |of: fn(&Measured) -> f64| {
        let up = ratio(of(&grown.up), of(&outrigger.up));
        let preview = ratio(of(&grown.preview), of(&outrigger.preview));
        up.max(preview).max(ratio(of(&grown.destroy), of(&outrigger.destroy)))
    };
    // Growth limits are for ten times the resources.
    let grown_limit = 12.0;
    let own = |step: &Measured, phase: &Phase, key: f64| ratio(step.cpu(Role::Engine) - key, phase.client_cpu);
    vec![
        target("CPU of outrigger / provider, up", share(&outrigger.up), 0.2),
        target("CPU of outrigger / provider, preview", share(&outrigger.preview), 0.2),
        target("wall / bare client, up", ratio(outrigger.up.seconds(), bare.up.wall + bare.start), 1.25),
        target("wall / bare client, preview", ratio(outrigger.preview.seconds(), bare.preview.wall + bare.start), 1.25),
        target("wall / pulumi as shipped, up", wall(&outrigger.up, &pulumi.up), 1.0 / 30.0),
        target("wall / pulumi as shipped, preview", wall(&outrigger.preview, &pulumi.preview), 0.55),
        target("wall / pulumi as shipped, destroy", wall(&outrigger.destroy, &pulumi.destroy), 1.0 / 30.0),
        target("wall / pulumi without checkpoints, up", wall(&outrigger.up, &lean.up), 0.65),
        target("wall / pulumi without checkpoints, destroy", wall(&outrigger.destroy, &lean.destroy), 0.6),
        target("peak memory / pulumi and its YAML host", ratio(peak(outrigger), peak(pulumi)), 0.25),
        target("growth of wall, worst step", growth(Measured::seconds), grown_limit),
        target("growth of CPU, worst step", growth(|step| step.cpu(Role::Engine)), grown_limit),
        target("growth of bytes written, up", ratio(written(&grown.up), written(&outrigger.up)), grown_limit),
        target(
            "growth of bytes written, destroy",
            ratio(written(&grown.destroy), written(&outrigger.destroy)),
            grown_limit,
        ),
        target("warm start to first call / provider's start", ratio(start.outrigger, start.provider), 2.0),
        target("CPU of outrigger / bare client, up", own(&outrigger.up, &bare.up, 0.0), 1.3),
        target("CPU of outrigger / bare client, preview", own(&outrigger.preview, &bare.preview, 0.0), 1.3),
        target("the same without the key's derivation, up", own(&outrigger.up, &bare.up, bare.key), 1.3),
        target("the same without the key's derivation, preview", own(&outrigger.preview, &bare.preview, bare.key), 1.3),
    ]
}

/// The highest of the three steps.
fn peak(steps: &Steps<Measured>) -> f64 {
    [&steps.up, &steps.preview, &steps.destroy]
        .map(|step| megabytes(step.of(Role::Engine).peak_bytes))
        .into_iter()
        .fold(0.0, f64::max)
}

fn written(step: &Measured) -> f64 {
    megabytes(step.of(Role::Engine).written_bytes)
}
