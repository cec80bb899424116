//! The scenarios.

mod local;
mod null;
mod random;
mod time;
mod tls;

use super::Scenario;

/// All of them, each provider's together.
pub(crate) fn all() -> impl Iterator<Item = Scenario> {
    [random::SCENARIOS, tls::SCENARIOS, time::SCENARIOS, null::SCENARIOS, local::SCENARIOS]
        .into_iter()
        .flatten()
        .map(|&(provider, name, play)| Scenario { provider, name, play })
}

/// A provider's name, a scenario's name, and the scenario.
type Listed = (&'static str, &'static str, fn(&mut super::talk::Talk));
