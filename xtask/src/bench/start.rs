//! How long it takes to the first call for a resource, beside the provider's own start.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::peers::Peers;
use crate::sandbox::{Sandbox, Tool};

/// How often each is measured; the median counts.
const RUNS: usize = 9;

const PROGRAM: &str =
    "name: start\nruntime: yaml\nresources:\n  one:\n    type: oracle:Thing\n    properties:\n      value: one\n";

/// The two medians.
pub(super) struct Start {
    /// From starting the provider to the line with its port.
    pub(super) provider: Duration,
    /// From starting `outrigger up` on a stack that was up before to the provider's first call for a resource.
    pub(super) outrigger: Duration,
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

    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..RUNS {
        theirs.push(provider_start(&peers.bin().join("pulumi-resource-oracle"))?);
        fs::remove_file(&first_call).context("no call for a resource was seen")?;
        let started = UNIX_EPOCH.elapsed()?;
        sandbox.succeed(Tool::Outrigger, &project, &up)?;
        let micros = fs::read_to_string(&first_call).context("no call for a resource was seen")?.trim().parse()?;
        ours.push(Duration::from_micros(micros).saturating_sub(started));
    }
    Ok(Start { provider: super::median(theirs), outrigger: super::median(ours) })
}

fn provider_start(program: &Path) -> Result<Duration> {
    let started = Instant::now();
    // It wants the engine's address and calls it only when it has something to say.
    let mut child = Command::new(program).arg("127.0.0.1:1").stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let stdout = child.stdout.take().context("the provider has no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let took = started.elapsed();
    child.kill()?;
    child.wait()?;
    if line.trim().parse::<u16>().is_err() {
        bail!("the provider did not print a port but `{}`", line.trim());
    }
    Ok(took)
}
