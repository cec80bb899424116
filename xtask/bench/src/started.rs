//! A running plugin.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_provider::NoLog;
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, PulumiPlugin, connect};
use outrigger_transport::Process;
use tokio::time::timeout;

use crate::process::Child;

/// How long a plugin may take to print its port.
const DEADLINE: Duration = Duration::from_secs(60);

/// A running, connected plugin.
pub struct Started {
    /// The connected plugin.
    pub plugin: Arc<PulumiPlugin>,
    /// Its process.
    pub process: Arc<dyn Process>,
    /// When it was started.
    pub at: Instant,
    /// The time until it printed its port.
    pub start: Duration,
    _engine: EngineServer,
}

impl Started {
    /// Starts and connects it as a host does. A port alone would mean a plugin started by hand, which not every plugin supports.
    pub async fn new(name: &str, program: PathBuf) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let engine = EngineServer::start(Arc::new(NoLog)).await?;
        let options = ConnectOptions {
            name: name.to_owned(),
            engine_address: engine.address().to_string(),
            deadlines: ConnectDeadlines::default(),
            log: None,
        };
        let directory = program.parent().map(Path::to_owned).ok_or("the plugin has no directory")?;
        let at = Instant::now();
        let process = Arc::new(Child::start(program, &[&options.engine_address]));
        timeout(DEADLINE, process.first_line()).await.map_err(|_| "the plugin did not print its port")?;
        let start = at.elapsed();
        let origin = Origin::Process { process: process.clone(), directory, deadline: DEADLINE };
        Ok(Self { plugin: connect(origin, options).await?, process, at, start, _engine: engine })
    }

    /// Ends it.
    pub async fn end(&self) {
        self.process.kill();
        self.process.exited().await;
    }
}
