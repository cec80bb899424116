//! The bridge as a host opens it: in the host's own process, with the provider as a child process.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_provider::{CallError, PluginDescriptor};
use outrigger_transport::goplugin::LogLevel;
use outrigger_transport::tap::CallLog;
use outrigger_transport::{OpenError, Opened, Opening, Protocol, Resolver};

use crate::{Bridge, BridgeOptions, NAME};

/// How Terraform providers are found and used.
#[derive(Clone)]
pub struct Terraform {
    /// Finds providers.
    pub resolver: Arc<dyn Resolver>,
    /// The bridge's version, for hosts that ask for none.
    pub version: String,
    /// Whether connections to providers are encrypted (AutoMTLS).
    pub tls: bool,
    /// Whether a step fails if the provider violates Terraform's rules; otherwise there is a warning.
    pub strict: bool,
    /// The lowest level of a provider's log that is passed on (`TF_LOG`).
    pub log_level: Option<LogLevel>,
    /// The log to which calls to providers are written.
    pub call_log: Option<Arc<dyn CallLog>>,
}

#[async_trait]
impl Protocol for Terraform {
    /// The parameter decides which package the bridge becomes. The version beside it is the provider's in a project and the bridge's in some
    /// entries of a state, as Pulumi writes them, and must not lead to a second process for the same provider.
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor> {
        let mut claimed = Some(wanted).filter(|wanted| wanted.name == NAME).cloned()?;
        if let Some(parameterization) = &mut claimed.parameterization {
            parameterization.version.clear();
        }
        Some(claimed)
    }

    /// The bridge has the version that is asked for, like the plugin that `pulumi` would start: lock files name it.
    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError> {
        let version = opening.descriptor.wanted_version()?;
        let version = version.map_or_else(|| self.version.clone(), |version| version.to_string());
        let bridge = Bridge::new(BridgeOptions {
            terraform: Self { version, ..self.clone() },
            launcher: opening.launcher,
            schemas: opening.schemas,
            environment: opening.environment,
            directory: opening.directory.to_owned(),
            deadlines: *opening.deadlines,
            lasting: true,
        });
        Ok(Opened { plugin: Arc::new(bridge), warnings: Vec::new() })
    }

    /// Parameterize is answered by the bridge itself; every other error comes from the provider or from the attempt to start it.
    fn hint(&self, _: Option<&Path>, error: &CallError) -> String {
        let hint = match error.call.as_str() {
            "Parameterize" => {
                "Install the provider at the source that `packages:` in the project file names, or choose another one \
                 with `outrigger package add`."
            }
            _ => "With TF_LOG=TRACE, `outrigger preview --json-events` shows every line that the provider writes.",
        };
        hint.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use outrigger_provider::{ErrorKind, Parameterization};
    use outrigger_transport::{Resolved, Unresolved};

    use super::*;

    struct Nothing;

    #[async_trait]
    impl Resolver for Nothing {
        async fn resolve(&self, _: &PluginDescriptor) -> Result<Resolved, Unresolved> {
            unreachable!()
        }
    }

    fn terraform() -> Terraform {
        let (resolver, version) = (Arc::new(Nothing), "1.0.0".to_owned());
        Terraform { resolver, version, tls: true, strict: false, log_level: None, call_log: None }
    }

    #[test]
    fn one_package_is_one_plugin_whoever_gives_its_version() {
        let claimed = |name: &str, version: &str| {
            let parameterization = Parameterization { name: "wide".into(), version: version.into(), value: Vec::new() };
            let parameterization = Some(parameterization);
            terraform().claim(&PluginDescriptor { parameterization, ..PluginDescriptor::named(name, None) })
        };
        assert!(claimed(NAME, "1.0.0").is_some());
        assert_eq!(claimed(NAME, "1.0.0"), claimed(NAME, "2.0.0"));
        assert_eq!(claimed("random", "1.0.0"), None);
    }

    #[test]
    fn a_provider_that_is_there_is_not_to_be_made_available() {
        let hint = |call: &str, kind| terraform().hint(None, &CallError::new("wide 0.0.0", call, kind, "no luck"));
        assert!(hint("Parameterize", ErrorKind::NotDone).contains("Install the provider"));
        for (call, kind) in [("Start", ErrorKind::NotDone), ("GetProviderSchema", ErrorKind::Crashed)] {
            let said =
                "With TF_LOG=TRACE, `outrigger preview --json-events` shows every line that the provider writes.";
            assert_eq!(hint(call, kind), said);
        }
    }
}
