//! The same package in the engine's process and in a separate process: the cost of the process to an `up`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::targets::{self, Target};
use super::{client, middle_of};

/// The number of measurements of each, in turn.
const ROUNDS: usize = 15;

/// The number of unmeasured runs before that. Together they take longer than the host distrusts a freshly built executable, and
/// the disk has written the build's output.
const WARM_UP: usize = 3;

/// The number of resources; each takes 5 ms.
const RESOURCES: usize = 1000;

/// The limit of the slowdown by the process.
const LIMIT: f64 = 1.10;

/// Measures, and returns a section of the page.
pub(super) fn section() -> Result<String> {
    let program = client::build("slow")?;
    // In the measured runs the host knows the executable, as it does in every command but the first.
    let cache = tempfile::tempdir()?;
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for _ in 0..WARM_UP + ROUNDS {
        inside.push(up(&program, "inside", cache.path())?);
        outside.push(up(&program, "outside", cache.path())?);
    }
    let (inside, outside) = (inside.split_off(WARM_UP), outside.split_off(WARM_UP));
    let ratios: Vec<f64> = outside.iter().zip(&inside).map(|(outside, inside)| outside / inside).collect();
    let [inside, outside, ratio] = [inside, outside, ratios].map(|rounds| middle_of(&rounds, |figure| *figure));
    Ok(text(inside, outside, ratio))
}

/// One `up` into an empty directory, in seconds.
fn up(program: &Path, place: &str, cache: &Path) -> Result<f64> {
    let state = tempfile::tempdir()?;
    client::figures(Command::new(program).args([place, &RESOURCES.to_string()]).args([state.path(), cache]))
}

fn text(inside: f64, outside: f64, ratio: f64) -> String {
    let targets = targets::table(&[Target::new("out of process / in process, at most", ratio, LIMIT)]);
    format!(
        "\n## In process and out of process\n\n\
         One `up` of {RESOURCES} resources that take 5 ms each, from an empty directory to the written state: program, engine, \
         state and package are the same, as many calls at once as `outrigger` makes. Once the engine calls the package in its own \
         process, once the package is a process that the host finds, starts, watches and ends, all of which is part of the time. \
         Each ran {ROUNDS} times in turn, after {WARM_UP} times that do not count; each figure is the middle one, and so is \
         the ratio of the two runs of a turn.\n\n\
         | | wall s |\n| --- | ---: |\n| in process | {inside:.3} |\n| out of process | {outside:.3} |\n\n{targets}"
    )
}
