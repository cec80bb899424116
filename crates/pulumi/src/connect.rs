//! Connects to a process or an address, until the plugin answers.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind, PluginInfo};
use outrigger_transport::caller::{GRACE, chain};
use outrigger_transport::tap::{CallLog, Tap};
use outrigger_transport::{Address, Process, StartError, dial, limited, port};
use tonic::{Code, Status};

use crate::connection::Connection;
use crate::failure;
use crate::features::Features;
use crate::generated::pulumirpc::resource_provider_client::ResourceProviderClient;
use crate::generated::pulumirpc::{PluginAttach, ProviderHandshakeRequest};
use crate::plugin::PulumiPlugin;

/// The place of a plugin.
#[derive(Clone)]
pub enum Origin {
    /// A process that was just started; it will print its port.
    Process {
        /// The process. The caller still has to end it, even if connecting fails.
        process: Arc<dyn Process>,
        /// The directory that holds the executable.
        directory: PathBuf,
        /// How long it may take to print its port.
        deadline: Duration,
    },
    /// A plugin that another program started, as `PULUMI_DEBUG_PROVIDERS` names it.
    Running(Address),
}

/// Options for connecting to a plugin.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// The plugin's name, for messages; its version is added when it is known.
    pub name: String,
    /// The address of the engine service: [`crate::EngineServer::address`].
    pub engine_address: String,
    /// Time limits for the plugin.
    pub deadlines: ConnectDeadlines,
    /// The log to which calls are written.
    pub log: Option<Arc<dyn CallLog>>,
}

/// Time limits for a plugin's first answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectDeadlines {
    /// Connecting and Handshake, together.
    pub connect: Duration,
    /// Each of GetPluginInfo and Attach.
    pub answer: Duration,
}

impl Default for ConnectDeadlines {
    /// Pulumi's own budget for connecting, and half a minute for each call after that.
    fn default() -> Self {
        Self { connect: dial::CONNECT_BUDGET, answer: Duration::from_secs(30) }
    }
}

/// Connects: reads the port, dials, makes the handshake and gets the version.
pub async fn connect(origin: Origin, options: ConnectOptions) -> Result<Arc<PulumiPlugin>, CallError> {
    connected(origin, options).await.map(Arc::new)
}

pub(crate) async fn connected(origin: Origin, options: ConnectOptions) -> Result<PulumiPlugin, CallError> {
    let (address, process, directory) = match origin {
        Origin::Process { process, directory, deadline } => {
            let address = port::announced(process.as_ref(), deadline)
                .await
                .map_err(|error| start_failure(&options.name, &error, Some(process.as_ref())))?;
            (address, Some(process), Some(directory))
        }
        Origin::Running(address) => (address, None, None),
    };
    let request = handshake(&options.engine_address, directory);
    let tap = tap(&options);
    let greeting = dial::dial_and_greet(&address, options.deadlines.connect, |channel| {
        let request = request.clone();
        let channel = channel.tapped(tap.clone());
        async move { limited!(ResourceProviderClient::new(channel)).handshake(request).await }
    });
    let (channel, answer) = alive(process.as_deref(), greeting)
        .await
        .map_err(|error| start_failure(&options.name, &error, process.as_deref()))?;
    let features = match answer {
        Ok(response) => Some(Features::from(response.get_ref())),
        // A plugin from before the handshake gives its flags in the answer to Configure.
        Err(status) if status.code() == Code::Unimplemented => None,
        // Only a status from our own side has a source: the connection broke, because the process ended or was never a plugin.
        Err(status) if status.source().is_some() => {
            let error = broken(address, &status, process.as_deref()).await;
            return Err(start_failure(&options.name, &error, process.as_deref()));
        }
        Err(status) => {
            let error = failure::read(&options.name, "Handshake", &status).error;
            return Err(with_last_words(error, process.as_deref()));
        }
    };

    let attached = process.is_none();
    let cx = CallContext::background().within(options.deadlines.answer);
    let connection = Connection::new(channel.clone(), process.clone(), options.name.clone(), tap.clone());
    if attached {
        let request = PluginAttach { address: options.engine_address.clone() };
        connection.call(&cx, "Attach", connection.client().attach(request)).await?;
    }
    let info = connection.call(&cx, "GetPluginInfo", connection.client().get_plugin_info(())).await?;
    let version = info.version.trim_start_matches('v').to_owned();
    let label = if version.is_empty() { options.name } else { format!("{} {version}", options.name) };
    let connection = Arc::new(Connection::new(channel, process, label, tap));
    Ok(PulumiPlugin::new(connection, PluginInfo { version, ..PluginInfo::default() }, features))
}

#[cfg(feature = "json")]
fn tap(options: &ConnectOptions) -> Option<Arc<Tap>> {
    let log = options.log.clone()?;
    Some(Arc::new(Tap::new(log, Arc::new(crate::json::Transcript), "resource", &options.name)))
}

#[cfg(not(feature = "json"))]
fn tap(_: &ConnectOptions) -> Option<Arc<Tap>> {
    None
}

/// Gives up as soon as the process has ended, rather than dialling its port until the budget is used up.
async fn alive<T>(
    process: Option<&dyn Process>,
    work: impl Future<Output = Result<T, StartError>>,
) -> Result<T, StartError> {
    let Some(process) = process else { return work.await };
    tokio::select! {
        biased;
        done = work => done,
        status = process.exited() => {
            Err(StartError::Gone { status, last_words: process.last_words() })
        }
    }
}

/// The reason why a connection broke during the first call.
async fn broken(address: Address, status: &Status, process: Option<&dyn Process>) -> StartError {
    if let Some(process) = process
        && let Ok(status) = tokio::time::timeout(GRACE, process.exited()).await
    {
        return StartError::Gone { status, last_words: process.last_words() };
    }
    StartError::Foreign { address, reason: chain(status) }
}

fn handshake(engine_address: &str, directory: Option<PathBuf>) -> ProviderHandshakeRequest {
    let directory = directory.map(|directory| directory.to_string_lossy().into_owned());
    ProviderHandshakeRequest {
        engine_address: engine_address.to_owned(),
        root_directory: directory.clone(),
        program_directory: directory,
        configure_with_urn: true,
        // Views are published to a service that this host does not have yet.
        supports_views: false,
        supports_refresh_before_update: true,
        invoke_with_preview: true,
        mapper_target: None,
        loader_target: None,
        resolver_target: None,
    }
}

fn start_failure(name: &str, error: &StartError, process: Option<&dyn Process>) -> CallError {
    let kind = match error {
        StartError::Ended { .. } | StartError::Gone { .. } => ErrorKind::Crashed,
        StartError::Silent { .. } | StartError::Unanswered { .. } => ErrorKind::TimedOut,
        StartError::NotAPort { .. } | StartError::Foreign { .. } => ErrorKind::Garbage,
        StartError::Spawn { .. } | StartError::Unreachable { .. } => ErrorKind::NotDone,
    };
    let call = match error {
        StartError::Unanswered { .. } | StartError::Foreign { .. } => "Handshake",
        _ => "start",
    };
    let mut failure = CallError::new(name, call, kind, error.to_string());
    failure.last_words = error.last_words().to_vec();
    with_last_words(failure, process)
}

/// A plugin that does not start usually gives the reason on stderr.
fn with_last_words(mut error: CallError, process: Option<&dyn Process>) -> CallError {
    if let (true, Some(process)) = (error.last_words.is_empty(), process) {
        error.last_words = process.last_words();
    }
    error
}
