//! The time until the first call for a resource, compared with the provider's own start.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use super::middle_of;
use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};

/// The number of measurements of each; the median counts.
const RUNS: usize = 9;

const PROGRAM: &str =
    "name: start\nruntime: yaml\nresources:\n  one:\n    type: oracle:Thing\n    properties:\n      value: one\n";

/// The two medians, in seconds.
pub(super) struct Start {
    /// From starting the provider to the line with its port.
    pub(super) provider: f64,
    /// From starting `outrigger up` on an existing stack to the provider's first call for a resource.
    pub(super) outrigger: f64,
}

/// Measures both.
pub(super) fn run(peers: &Peers, outrigger: &Path) -> Result<Start> {
    let scratch = tempfile::tempdir()?;
    let mut sandbox = Sandbox::create(scratch.path(), peers, outrigger)?;
    let first_call = scratch.path().join("first-call");
    sandbox.set("ORACLE_LOG", scratch.path().join("cloud").display().to_string());
    sandbox.set("ORACLE_FIRST_CALL", first_call.display().to_string());
    let project = scratch.path().join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("Pulumi.yaml"), PROGRAM)?;
    sandbox.succeed(Tool::Outrigger, &project, &["stack", "init", "dev"])?;
    let up = ["up", "--yes", "--skip-preview", "--stack", "dev"];
    sandbox.succeed(Tool::Outrigger, &project, &up)?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let mut provider = Command::new(peers.bin().join("pulumi-resource-oracle"));
        // It requires the engine's address, but calls it only to log.
        theirs.push(provider_start(provider.arg("127.0.0.1:1"), |line| line.parse::<u16>().is_ok())?);
        fs::remove_file(&first_call).context("no call for a resource was seen")?;
        let started = UNIX_EPOCH.elapsed()?;
        sandbox.succeed(Tool::Outrigger, &project, &up)?;
        let micros = fs::read_to_string(&first_call).context("no call for a resource was seen")?.trim().parse()?;
        ours.push(Duration::from_micros(micros).saturating_sub(started).as_secs_f64());
    }
    let median = |seconds: &[f64]| middle_of(seconds, |one| *one);
    Ok(Start { provider: median(&theirs), outrigger: median(&ours) })
}

/// Seconds until a provider prints its address.
pub(super) fn provider_start(provider: &mut Command, is_place: impl Fn(&str) -> bool) -> Result<f64> {
    let program = Path::new(provider.get_program()).to_owned();
    let started = Instant::now();
    provider.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = provider.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let stdout = child.stdout.take().context("the provider has no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let took = started.elapsed();
    child.kill()?;
    child.wait()?;
    if !is_place(line.trim()) {
        bail!("{} did not print where it is but `{}`", program.display(), line.trim());
    }
    Ok(took.as_secs_f64())
}
