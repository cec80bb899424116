//! The limit: the same calls from a client without an engine and without a state.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::middle;
use crate::peers::Peers;
use crate::workspace;

/// What the client measured.
#[derive(Default, Deserialize)]
pub(super) struct Bare {
    /// Seconds from starting the provider to the line with its port.
    pub(super) start: f64,
    pub(super) up: Phase,
    pub(super) preview: Phase,
    pub(super) destroy: Phase,
}

/// One kind of call for every resource, in seconds.
#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct Phase {
    pub(super) wall: f64,
    pub(super) client_cpu: f64,
    pub(super) provider_cpu: f64,
}

impl Bare {
    /// The middle round of each phase.
    pub(super) fn middle(rounds: &[Self]) -> Self {
        let phase = |of: fn(&Self) -> Phase| middle(rounds.iter().map(of), |phase| phase.wall).unwrap_or_default();
        Self {
            start: middle(rounds.iter().map(|round| round.start), |start| *start).unwrap_or_default(),
            up: phase(|round| round.up),
            preview: phase(|round| round.preview),
            destroy: phase(|round| round.destroy),
        }
    }
}

/// How many calls an engine has under way at once by default: four for each core.
pub(super) fn at_once() -> usize {
    4 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Builds the client and runs it.
pub(super) fn run(peers: &Peers, resources: usize) -> Result<Bare> {
    let text = workspace::output(
        workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bench", "--bin", "bare", "--"])
            .arg(peers.bin().join("pulumi-resource-random"))
            .args([resources.to_string(), at_once().to_string()]),
    )?;
    serde_json::from_str(&text).context("the bare client answered oddly")
}
