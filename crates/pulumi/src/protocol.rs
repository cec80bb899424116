//! Pulumi's plugins as a host opens them: found and started, or attached to.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{CallError, ErrorKind, PluginDescriptor, tolerant};
use outrigger_transport::tap::CallLog;
use outrigger_transport::{
    Address, LaunchRequest, OpenError, Opened, Opening, Place, Protocol, Resolved, Resolver, StartError,
};
use tokio::time::timeout;

use crate::connect::{ConnectDeadlines, ConnectOptions, Origin, connected};
use crate::engine::EngineServer;
use crate::plugin::PulumiPlugin;

/// How long the kernel may take to remove a process that was killed.
const HELD: Duration = Duration::from_secs(5);

/// Plugins that are programs: `pulumi-resource-NAME`. It claims every plugin.
pub struct Pulumi {
    /// Finds the programs.
    pub resolver: Arc<dyn Resolver>,
    /// The log to which calls are written.
    pub call_log: Option<Arc<dyn CallLog>>,
}

#[async_trait]
impl Protocol for Pulumi {
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor> {
        Some(wanted.clone())
    }

    fn resolver(&self) -> Option<&dyn Resolver> {
        Some(&*self.resolver)
    }

    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError> {
        let PluginDescriptor { name, version, .. } = opening.descriptor;
        let none = || CallError::new(name, "start", ErrorKind::NotDone, "nothing was found to start");
        let found = opening.resolved.ok_or_else(none)?;
        let program = match &found.place {
            Place::Program(program) => program,
            Place::Running(running) => return attach(&running.address, &opening, self.call_log.clone()).await,
        };
        let engine = engine(&opening).await?;
        let request = LaunchRequest {
            label: version.as_ref().map_or_else(|| name.clone(), |version| format!("{name} {version}")),
            program: program.clone(),
            arguments: found.arguments.iter().cloned().chain([OsString::from(engine.address().to_string())]).collect(),
            environment: opening.environment.clone(),
            directory: opening.directory.to_owned(),
            output: None,
        };
        let process = opening.launcher.launch(request).await.map_err(|error| not_started(name, &error))?;
        let origin = Origin::Process {
            process: Arc::clone(&process),
            directory: program.parent().unwrap_or(Path::new("/")).to_owned(),
            deadline: opening.deadlines.start,
        };
        match open(origin, &opening, engine, self.call_log.clone()).await {
            Ok(plugin) => {
                let warnings = other_version(opening.descriptor, found, plugin.version()).into_iter().collect();
                Ok(Opened { plugin: Arc::new(plugin), warnings })
            }
            Err(mut error) => {
                process.kill();
                let _held_by_the_kernel = timeout(HELD, process.exited()).await;
                // The output that explains the error may have arrived later; now it is complete.
                error.last_words = process.last_words();
                Err(error.into())
            }
        }
    }

    fn hint(&self, program: Option<&Path>, _: &CallError) -> String {
        match program {
            Some(program) => format!(
                "Run `{}` in a terminal: a plugin prints a port number and waits. If it does not, install it again.",
                program.display()
            ),
            None => "Install the plugin again.".to_owned(),
        }
    }
}

/// Plugins that another program started, by name: `PULUMI_DEBUG_PROVIDERS`. They are not ended, and nothing of them is stored.
pub struct Attached {
    /// The address of each plugin.
    pub plugins: BTreeMap<String, Address>,
    /// The log to which calls are written.
    pub call_log: Option<Arc<dyn CallLog>>,
}

impl Attached {
    /// Parses `PULUMI_DEBUG_PROVIDERS`: `name:port` entries, separated by commas. The error names the invalid entry.
    pub fn parse(text: &str) -> Result<BTreeMap<String, Address>, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries
            .map(|entry| {
                let parsed =
                    entry.split_once(':').and_then(|(name, port)| Some((name.trim(), port.trim().parse().ok()?)));
                match parsed {
                    Some((name, port)) if !name.is_empty() && port != 0 => {
                        Ok((name.to_owned(), Address::of_port(port)))
                    }
                    _ => Err(format!("`{entry}` is not of the form `name:port`")),
                }
            })
            .collect()
    }
}

#[async_trait]
impl Protocol for Attached {
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor> {
        self.plugins.contains_key(&wanted.name).then(|| wanted.clone())
    }

    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError> {
        let name = &opening.descriptor.name;
        let none = || CallError::new(name, "start", ErrorKind::NotDone, "its address is not known");
        attach(self.plugins.get(name).ok_or_else(none)?, &opening, self.call_log.clone()).await
    }

    fn hint(&self, _: Option<&Path>, error: &CallError) -> String {
        let hint = match error.kind {
            ErrorKind::Unsupported => {
                "The plugin was built with an SDK that is too old to be attached to. Build it with a newer one, or \
                 remove it from PULUMI_DEBUG_PROVIDERS, so that it is started for each command."
            }
            _ => "Check the port in PULUMI_DEBUG_PROVIDERS, and that the plugin is running.",
        };
        hint.to_owned()
    }
}

async fn attach(
    address: &Address,
    opening: &Opening<'_>,
    call_log: Option<Arc<dyn CallLog>>,
) -> Result<Opened, OpenError> {
    let engine = engine(opening).await?;
    let plugin = open(Origin::Running(address.clone()), opening, engine, call_log).await?;
    Ok(Opened { plugin: Arc::new(plugin), warnings: Vec::new() })
}

async fn open(
    origin: Origin,
    opening: &Opening<'_>,
    engine: EngineServer,
    call_log: Option<Arc<dyn CallLog>>,
) -> Result<PulumiPlugin, CallError> {
    let options = ConnectOptions {
        name: opening.descriptor.name.clone(),
        engine_address: engine.address().to_string(),
        deadlines: ConnectDeadlines { connect: opening.deadlines.connect, answer: opening.deadlines.handshake },
        log: call_log,
    };
    Ok(connected(origin, options).await?.with(engine))
}

/// The engine service of one plugin. Each has its own, because its log messages belong to the run that uses the plugin.
async fn engine(opening: &Opening<'_>) -> Result<EngineServer, Diagnostic> {
    EngineServer::start(Arc::clone(&opening.log)).await.map_err(|error| {
        let name = &opening.descriptor.name;
        Diagnostic::error("engine-server", format!("no server for the callbacks of plugin `{name}` could be started"))
            .detail(format!("No port of 127.0.0.1 could be opened: {error}."))
            .hint("Check that this process may open sockets on the loopback interface.")
    })
}

/// The warning if the plugin does not have the requested version. It is used anyway, as in Pulumi.
fn other_version(wanted: &PluginDescriptor, found: &Resolved, actual: &str) -> Option<Diagnostic> {
    let (name, actual) = (&wanted.name, tolerant(actual));
    let wanted = wanted.version.as_deref().and_then(tolerant)?;
    let order = actual.as_ref().map(|actual| actual.cmp_precedence(&wanted));
    let is_other = match found.origin {
        outrigger_transport::Origin::Ambient => order.is_none_or(Ordering::is_ne),
        _ => order.is_none_or(Ordering::is_lt),
    };
    let actual = actual.map_or_else(|| "of unknown version".to_owned(), |actual| format!("version {actual}"));
    let program = found.executable().unwrap_or(Path::new("")).display();
    is_other.then(|| {
        Diagnostic::warning("plugin-other-version", format!("plugin `{name}` is {actual}"))
            .detail(format!("Version {wanted} is required, but `{program}` was found first."))
            .hint("Set PULUMI_IGNORE_AMBIENT_PLUGINS=true to use installed plugins only, or remove it from PATH.")
    })
}

fn not_started(name: &str, error: &StartError) -> Diagnostic {
    Diagnostic::error("plugin-start", format!("plugin `{name}` could not be started"))
        .detail(error.to_string())
        .hint("Check that the file is a program for this machine and may be executed, and that the limits on processes (`ulimit -u`) and \
               open files (`ulimit -n`) leave room for it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_providers_are_read() {
        let read = Attached::parse("aws:12345, gcp:678,").unwrap();
        let expected = [("aws".to_owned(), Address::of_port(12345)), ("gcp".to_owned(), Address::of_port(678))];
        assert_eq!(read.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(Attached::parse("aws").unwrap_err(), "`aws` is not of the form `name:port`");
        assert!(["aws:0", ":1", "a:70000"].iter().all(|text| Attached::parse(text).is_err()));
    }

    #[test]
    fn a_plugin_that_cannot_be_attached_to_is_told_from_one_that_is_not_there() {
        let attached = Attached { plugins: BTreeMap::new(), call_log: None };
        let hint = |kind| attached.hint(None, &CallError::new("x", "Attach", kind, "no"));
        assert!(hint(ErrorKind::Unsupported).contains("too old"));
        assert!(hint(ErrorKind::NotDone).contains("Check the port"));
    }
}
