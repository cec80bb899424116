//! The scenarios.

mod ancient;
mod aws;
mod changes;
mod classic;
mod crude;
mod framed;
mod local;
mod named;
mod nested;
mod null;
mod random;
mod time;
mod tls;

use super::Scenario;

/// All of them, each provider's together.
pub(crate) fn all() -> impl Iterator<Item = Scenario> {
    let upstream = [random::SCENARIOS, tls::SCENARIOS, time::SCENARIOS, null::SCENARIOS, local::SCENARIOS];
    let framed = [framed::SCENARIOS, named::SCENARIOS, changes::SCENARIOS, nested::SCENARIOS];
    let own = [crude::SCENARIOS, classic::SCENARIOS, ancient::SCENARIOS];
    // The provider for AWS is an archive for one platform.
    let aws = cfg!(all(target_os = "linux", target_arch = "x86_64")).then_some(aws::SCENARIOS);
    upstream.into_iter().chain(framed).chain(own).chain(aws).flatten().map(|&(provider, name, play)| Scenario {
        provider,
        name,
        play,
    })
}

/// A provider's name, a scenario's name, and the scenario.
type Listed = (&'static str, &'static str, fn(&mut super::talk::Talk));
