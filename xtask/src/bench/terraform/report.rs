//! The figures as a page.

use std::fmt::Write as _;

use super::super::measure::{Measured, Role};
use super::super::targets::{self, Target, ratio};
use super::super::{middle_of, page};
use super::engine::Steps;
use super::program::Program;
use super::{Growth, Measurements, Turn};

/// Selects one step out of five.
type Step = fn(&Steps) -> &Measured;

const APPLY: (&str, Step) = ("apply", |steps| &steps.apply);
const PLAN: (&str, Step) = ("plan", |steps| &steps.plan);
const PLAN_UNREAD: (&str, Step) = ("plan, not refreshed", |steps| &steps.plan_unread);
const DESTROY: (&str, Step) = ("destroy", |steps| &steps.destroy);
const DESTROY_UNREAD: (&str, Step) = ("destroy, not refreshed", |steps| &steps.destroy_unread);
const STEPS: [(&str, Step); 5] = [APPLY, PLAN, PLAN_UNREAD, DESTROY, DESTROY_UNREAD];

/// The page.
pub(super) fn text(all: &[Measurements], growth: Option<&Growth>) -> String {
    let heading = page::heading("Terraform providers", "terraform");
    let turns = all.first().map_or(0, |measurements| measurements.turns.len());
    let mut text = format!(
        "{heading}\n\nThe same resources in a Pulumi project under `outrigger` and in a configuration under `tofu` and, where it is \
         installed, `terraform`; the provider binary is the same and comes from a filesystem mirror. A plan has nothing to do. For all of them the provider's log is off (`TF_LOG_SDK=off TF_LOG_PROVIDER=off`), which is close to our default. AWS is a cloud of our own that answers at once, since one that \
         takes its time takes it from everybody; and moto, beside it. Like is compared with like: a plan and a \
         destroy that read every resource first (`--refresh`; the others' default) with each other, and those that do not (our \
         default; `-refresh=false`). All ran {turns} times in turn. A figure is the middle one; a ratio is the middle of the turns' \
         ratios, each with the faster of the others in that turn.\n",
    );
    for measurements in all {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}\n\n{}", measurements.program, page::STEPS);
        engine(&mut text, "outrigger", &measurements.turns, |turn| Some(&turn.outrigger));
        engine(&mut text, "tofu", &measurements.turns, |turn| Some(&turn.tofu));
        engine(&mut text, "terraform", &measurements.turns, |turn| turn.terraform.as_ref());
        if measurements.program.cloud_used().is_some() {
            cloud(&mut text, &measurements.turns);
        }
        let _ = write!(text, "\n{}", targets::table(&limits(measurements)));
    }
    if let Some(growth) = growth {
        grown(&mut text, growth);
    }
    text
}

fn grown(text: &mut String, Growth { resources: [few, many], few: before, many: after }: &Growth) {
    let _ = write!(text, "\n## {many} `random_string`, and {few} around it\n\n{}", page::STEPS);
    for (name, step) in STEPS {
        *text += &page::step(&few.to_string(), name, |figure| middle_of(before, |steps| figure(step(steps))));
    }
    for (name, step) in STEPS {
        *text += &page::step(&many.to_string(), name, |figure| figure(step(after)));
    }
    let times = *many as f64 / *few as f64;
    let growth = STEPS.map(|(name, step)| {
        let measured = ratio(step(after).seconds(), middle_of(before, |steps| step(steps).seconds()));
        Target::new(format!("growth of wall for {times:.0} times the resources, {name}"), measured, 1.2 * times)
    });
    let _ = write!(text, "\n{}", targets::table(&growth));
}

fn engine(text: &mut String, title: &str, turns: &[Turn], of: fn(&Turn) -> Option<&Steps>) {
    let runs: Vec<&Steps> = turns.iter().filter_map(of).collect();
    if runs.is_empty() {
        return;
    }
    for (name, step) in STEPS {
        *text += &page::step(title, name, |figure| middle_of(&runs, |steps| figure(step(steps))));
    }
}

/// The time of the cloud itself. It answers one request at a time, so a step takes at least as long as the cloud works.
fn cloud(text: &mut String, turns: &[Turn]) {
    text.push_str(
        "\nThe cloud answers one request at a time, and every engine's provider makes the same requests: no step can be shorter than \
         the cloud's own work. The last column is the ratio that an engine would have that takes no time at all.\n\n\
         | step | cloud CPU s, outrigger | cloud CPU s, the faster one | cloud CPU, outrigger / wall of the faster one |\n\
         | --- | ---: | ---: | ---: |\n",
    );
    for (name, step) in STEPS {
        let _ = writeln!(
            text,
            "| {name} | {:.2} | {:.2} | {:.3} |",
            middle_of(turns, |turn| cloud_cpu(step(&turn.outrigger))),
            middle_of(turns, |turn| cloud_cpu(faster(turn, step))),
            middle_of(turns, |turn| ratio(cloud_cpu(step(&turn.outrigger)), faster(turn, step).seconds())),
        );
    }
}

fn engine_cpu(step: &Measured) -> f64 {
    step.cpu(Role::Engine)
}

fn provider_cpu(step: &Measured) -> f64 {
    step.cpu(Role::Provider)
}

fn cloud_cpu(step: &Measured) -> f64 {
    step.cpu(Role::Cloud)
}

/// The wall time without the cloud's work.
fn wall_beyond(step: &Measured) -> f64 {
    step.seconds() - cloud_cpu(step)
}

/// The faster of the other engines in a turn.
fn faster(turn: &Turn, step: Step) -> &Measured {
    let tofu = step(&turn.tofu);
    turn.terraform.as_ref().map(step).filter(|terraform| terraform.wall < tofu.wall).unwrap_or(tofu)
}

fn limits(Measurements { program, turns }: &Measurements) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut target = |what: &str, (name, step): (&str, Step), figure: fn(&Measured) -> f64, limit: f64| {
        let measured = middle_of(turns, |turn| ratio(figure(step(&turn.outrigger)), figure(faster(turn, step))));
        targets.push(Target::new(format!("{what}, {name}"), measured, limit));
    };
    for step in [APPLY, DESTROY, DESTROY_UNREAD] {
        target("wall", step, Measured::seconds, 0.5);
    }
    let cloud = matches!(program, Program::Parameters(..));
    for step in [PLAN, PLAN_UNREAD] {
        target("wall", step, Measured::seconds, if cloud { 0.5 } else { 0.65 });
    }
    if program.cloud_used().is_some() {
        for step in STEPS {
            target("wall beyond the cloud's own work", step, wall_beyond, 0.5);
        }
    }
    if cloud {
        return targets;
    }
    for step in [APPLY, DESTROY, DESTROY_UNREAD] {
        target("CPU of the provider", step, provider_cpu, 2.0 / 3.0);
    }
    for step in [PLAN, PLAN_UNREAD] {
        target("CPU of the provider", step, provider_cpu, 1.0);
    }
    for (name, step) in STEPS {
        let measured = middle_of(turns, |turn| ratio(engine_cpu(step(&turn.outrigger)), engine_cpu(step(&turn.tofu))));
        targets.push(Target::new(format!("CPU of outrigger / tofu, {name}"), measured, 0.2));
    }
    targets
}
