//! The limit: the same calls from a client without an engine and without a state.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;

use super::{client, middle, middle_of, page};
use crate::peers::Peers;

/// The figures of the client.
#[derive(Default, Deserialize)]
pub(super) struct Bare {
    /// Seconds from starting the provider to the line with its port.
    pub(super) start: f64,
    /// Seconds to derive a stack's key.
    pub(super) key: f64,
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
    /// The median round of each phase.
    pub(super) fn middle(rounds: &[Self]) -> Self {
        let phase = |of: fn(&Self) -> Phase| middle(rounds.iter().map(of), |phase| phase.wall).unwrap_or_default();
        Self {
            start: middle_of(rounds, |round| round.start),
            key: middle_of(rounds, |round| round.key),
            up: phase(|round| round.up),
            preview: phase(|round| round.preview),
            destroy: phase(|round| round.destroy),
        }
    }
}

/// How many calls an engine runs at once by default: four for each core.
pub(super) fn at_once() -> usize {
    4 * page::cores()
}

/// Runs the client.
pub(super) fn run(client: &Path, peers: &Peers, resources: usize) -> Result<Bare> {
    let provider = peers.bin().join("pulumi-resource-random");
    client::figures(Command::new(client).arg(provider).args([resources.to_string(), at_once().to_string()]))
}
