//! The same package in the engine's process and as a process of its own: what the process costs an `up`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::targets::{self, Target};
use super::{client, middle_of};

/// How often each is measured, in turn.
const ROUNDS: usize = 15;

/// How often each runs before that. Together they take longer than the host reads an executable anew because it was just built, and
/// the disk has written what the build left.
const WARM_UP: usize = 3;

/// How many resources there are; each takes 5 ms.
const RESOURCES: usize = 1000;

/// How much longer the process may make it.
const LIMIT: f64 = 1.10;

/// Measures, and answers a section of the page.
pub(super) fn section() -> Result<String> {
    let program = client::build("slow")?;
    // The host knows the executable when it counts, as it does when a command is not the first one.
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
