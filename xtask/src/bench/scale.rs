//! `outrigger` with many resources: the cost of each, and of reading their state.

use std::fmt::Write as _;

use anyhow::Result;

use super::measure::{Measured, Role, megabytes};
use super::page;
use super::subject::{Stack, Subject};
use super::targets::{self, Target};
use crate::peers::Peers;
use crate::workspace::{self, Profile};

const STEPS: [(&str, &[&str]); 3] = [
    ("preview of the new program", &["preview", "--stack", "dev"]),
    ("up", &["up", "--yes", "--skip-preview", "--stack", "dev"]),
    ("preview without changes", &["preview", "--stack", "dev", "--expect-no-changes"]),
];

/// The commands that read the state of the largest program.
const READING: [(&str, &[&str]); 5] = [
    ("stack output", &["stack", "output", "--stack", "dev"]),
    ("stack", &["stack", "--stack", "dev"]),
    ("stack ls", &["stack", "ls"]),
    ("config", &["config", "--stack", "dev"]),
    ("preview of one target", &["preview", "--stack", "dev", "--target", TARGET]),
];

const TARGET: &str = "urn:pulumi:dev::bench::random:index/randomString:RandomString::text7";

/// The limits: kilobytes for a resource, and seconds and megabytes for a command that reads the state.
const RESOURCE: f64 = 8.0;
const SECONDS: f64 = 0.5;
const MEGABYTES: f64 = 150.0;

/// Measures, prints the tables and writes them to `docs`.
pub(super) fn run(sizes: &[usize]) -> Result<()> {
    let peers = Peers::ready()?;
    let outrigger = workspace::build_outrigger(Profile::Release)?;
    let heading = page::heading("Many resources", "scale");
    let mut text = format!(
        "{heading} The program is that of `cargo xtask bench engine`, with more resources. The last column is the growth of the peak \
         since the smallest program, for each resource.\n\n| resources | command | wall s | CPU s | peak MB | KB per resource |\n| ---: | --- | ---: | ---: | ---: | ---: |\n"
    );
    let mut smallest: Vec<(usize, f64)> = Vec::new();
    let mut worst = 0.0_f64;
    let mut last = None;
    for &size in sizes {
        let stack = Stack::new(Subject::Outrigger, &peers, &outrigger, size)?;
        for (number, (name, arguments)) in STEPS.into_iter().enumerate() {
            eprintln!("measuring {name} with {size} resources");
            let measured = stack.step(arguments)?;
            let peak = peak(&measured);
            let growth = smallest
                .get(number)
                .filter(|first| first.0 < size)
                .map(|first| (peak - first.1) * 1000.0 / (size - first.0) as f64);
            worst = worst.max(growth.unwrap_or_default());
            if smallest.len() == number {
                smallest.push((size, peak));
            }
            row(&mut text, size, name, &measured, growth);
        }
        last = Some((size, stack));
    }
    let mut limits = vec![Target::new("KB per resource, worst", worst, RESOURCE)];
    if let Some((size, stack)) = last {
        for (name, arguments) in READING {
            let measured = stack.step(arguments)?;
            row(&mut text, size, name, &measured, None);
            limits.push(Target::new(format!("seconds, {name}"), measured.seconds(), SECONDS));
            limits.push(Target::new(format!("MB, {name}"), peak(&measured), MEGABYTES));
        }
    }
    text.push('\n');
    text.push_str(&targets::table(&limits));
    page::write("benchmarks-scale.md", &text)
}

fn peak(measured: &Measured) -> f64 {
    megabytes(measured.of(Role::Engine).peak_bytes)
}

fn row(text: &mut String, size: usize, name: &str, measured: &Measured, growth: Option<f64>) {
    let growth = growth.map(|kilobytes| format!("{kilobytes:.1}")).unwrap_or_default();
    let (wall, cpu) = (measured.seconds(), measured.cpu(Role::Engine));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "| {size} | `{name}` | {wall:.2} | {cpu:.2} | {:.0} | {growth} |", peak(measured));
}
