//! Time and memory until a bridge is a provider's package, and until it has returned that package's schema.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde::Deserialize;

use super::super::client;
use super::super::start::provider_start;
use super::super::targets::ratio;
use super::{Executables, Pair, Side};
use crate::peers::Peers;
use crate::sandbox::Sandbox;

/// The number of measurements of each, in turn.
const ROUNDS: usize = 7;

/// Sent by every engine to a provider, which then knows that it was not started by hand.
const COOKIE: (&str, &str) =
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

/// A client certificate. Both bridges send one (AutoMTLS), and a provider that receives one creates a key of its own before it prints its
/// address; its own start is measured with that.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUKtzK+50URRmVwmEGPr8qm8ima3owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNzAwNDc0MVoYDzIxMjYxMDI0
MDA0NzQxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ/cbDD78JlBLOP8MGgBTZ8dmJChQinjWRVieSrOXoSJchc0LFbC25C
czQC3eRisPMQ4pPcI8KLlpkg18mxG7apo1MwUTAdBgNVHQ4EFgQUSquteadQ02vT
Z4U2hV32JGvNcaswHwYDVR0jBBgwFoAUSquteadQ02vTZ4U2hV32JGvNcaswDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAr/d+raPM1mGfF3ogOKAz
utcduxdNNJxgQ/nji35DCOYCIG44PARl7bYFNvT7R1NUtNP5zOU0/PTCo/ADmYmf
0fzZ
-----END CERTIFICATE-----
";

/// One start of a bridge, in seconds and bytes.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Start {
    /// From starting the bridge to the answer of Parameterize.
    pub(super) parameterized: f64,
    /// Seconds for GetSchema after that.
    pub(super) schema: f64,
    /// The bridge's peak resident size after its answer to GetSchema.
    pub(super) schema_peak: u64,
    /// The length of the schema.
    pub(super) bytes: u64,
}

/// One provider, with both bridges.
pub(super) struct Package {
    pub(super) title: String,
    pub(super) rounds: Vec<Round>,
}

/// One round of all measurements.
pub(super) struct Round {
    /// From starting the provider, with AutoMTLS, to the line with its address.
    pub(super) provider: f64,
    pub(super) bridges: Pair<Start>,
    /// Our bridge again, with the provider's schema in its cache.
    pub(super) again: Start,
}

impl Round {
    /// The ratio of our start to theirs, both without the provider's own.
    pub(super) fn beyond(&self, ours: &Start) -> f64 {
        let own = |start: &Start| (start.parameterized - self.provider).max(0.0);
        ratio(own(ours), own(&self.bridges.go))
    }
}

/// Measures with the available providers, and with one that the caller supplies.
pub(super) fn run(peers: &Peers, executables: &Executables, provider: Option<&Path>) -> Result<Vec<Package>> {
    let client = client::build("parameterize")?;
    let mut packages = vec![("random".to_owned(), peers.terraform().join("terraform-provider-random"))];
    packages.extend(small_aws(peers));
    packages.extend(provider.map(given));
    let packages = packages.into_iter().map(|(title, provider)| {
        eprintln!("measuring the start with {title}");
        let rounds = (0..ROUNDS).map(|_| round(peers, executables, &client, &provider)).collect::<Result<_>>()?;
        Ok(Package { title, rounds })
    });
    packages.collect()
}

/// The AWS provider among the peers, which exists on some platforms only.
fn small_aws(peers: &Peers) -> Option<(String, PathBuf)> {
    let program = peers.terraform().join("terraform-provider-aws");
    program.is_file().then(|| ("aws 3.39.0".to_owned(), program))
}

/// The caller's provider, by the name and version in its file's name: `terraform-provider-NAME_vVERSION_x5`.
fn given(program: &Path) -> (String, PathBuf) {
    let file = program.file_name().unwrap_or_default().to_string_lossy();
    let mut parts = file.trim_start_matches("terraform-provider-").split('_');
    let name = parts.next().unwrap_or_default();
    let version = parts.next().unwrap_or_default().trim_start_matches('v');
    (format!("{name} {version}").trim().to_owned(), program.to_owned())
}

fn round(peers: &Peers, executables: &Executables, client: &Path, provider: &Path) -> Result<Round> {
    let scratch = tempfile::Builder::new().prefix("outrigger-bench-").tempdir()?;
    let sandbox = Sandbox::create(scratch.path(), peers, &executables.ours)?;
    let start = |side: Side| -> Result<Start> {
        let folder = scratch.path().join(side.title());
        let bridge = folder.join(super::BRIDGE);
        if !bridge.exists() {
            executables.install(side, &folder)?;
        }
        let arguments = [bridge.display().to_string(), provider.display().to_string()];
        let arguments = arguments.each_ref().map(String::as_str);
        let start = client::figures(&mut sandbox.command_of(client, scratch.path(), &arguments));
        sandbox.end_the_rest()?;
        start
    };
    let mut own = Command::new(provider);
    own.env(COOKIE.0, COOKIE.1).env("PLUGIN_PROTOCOL_VERSIONS", "5,6").env("PLUGIN_CLIENT_CERT", CERTIFICATE);
    let provider = provider_start(&mut own, |line| line.split('|').count() >= 6)?;
    Ok(Round { provider, bridges: Pair::of(start)?, again: start(Side::Ours)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_called_what_its_file_is_called() {
        let title = |file: &str| given(Path::new(file)).0;
        assert_eq!(title("/opt/terraform-provider-aws_v5.100.0_x5"), "aws 5.100.0");
        assert_eq!(title("terraform-provider-own"), "own");
    }
}
