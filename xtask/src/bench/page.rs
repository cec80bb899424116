//! The parts that all benchmark pages in `docs` share.

use anyhow::Result;

use super::measure::{Measured, Role, megabytes};
use crate::workspace;

/// The head of a table of steps.
pub(super) const STEPS: &str = "| | step | wall s | engine CPU s | provider CPU s | engine peak MB | engine MB written |\n\
     | --- | --- | ---: | ---: | ---: | ---: | ---: |\n";

/// A row of that table, with the median of each figure.
pub(super) fn step(title: &str, step: &str, middle: impl Fn(fn(&Measured) -> f64) -> f64) -> String {
    format!(
        "| {title} | {step} | {:.2} | {:.2} | {:.2} | {:.0} | {:.1} |\n",
        middle(Measured::seconds),
        middle(|step| step.cpu(Role::Engine)),
        middle(|step| step.cpu(Role::Provider)),
        middle(|step| megabytes(step.of(Role::Engine).peak_bytes)),
        middle(|step| megabytes(step.of(Role::Engine).written_bytes)),
    )
}

/// How many cores this machine has.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A page's title, with the command, date and machine behind it.
pub(super) fn heading(title: &str, command: &str) -> String {
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let cores = cores();
    format!("# {title}\n\nWritten by `cargo xtask bench {command}` on {today}, on a machine with {cores} cores.")
}

/// Prints a page and writes it to `docs`.
pub(super) fn write(name: &str, text: &str) -> Result<()> {
    print!("{text}");
    Ok(std::fs::write(workspace::root().join("docs").join(name), text)?)
}
