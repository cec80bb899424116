//! The `Engine` service, which plugins call back.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use outrigger_provider::{LogLevel, LogSink, PULUMI_VERSION, VersionRange};
use outrigger_transport::{Address, limited};
use outrigger_value::Urn;
use tonic::{Request, Response, Status};

use crate::generated::pulumirpc::engine_server::{Engine, EngineServer as Service};
use crate::generated::pulumirpc::{
    GetRootResourceRequest, GetRootResourceResponse, LogRequest, LogSeverity, RequirePulumiVersionRequest,
    RequirePulumiVersionResponse, SetRootResourceRequest, SetRootResourceResponse, StartDebuggingRequest,
};
use crate::served::Served;

/// A running `Engine` service on a port of this machine. Each plugin has its own; it ends when this is dropped. Plugins written in Go check its
/// health every few minutes and end themselves if nothing answers, so it lives as long as they do.
pub struct EngineServer(Served);

impl EngineServer {
    /// Starts to listen and serve.
    pub async fn start(log: Arc<dyn LogSink>) -> io::Result<Self> {
        let engine = limited!(Service::new(Callbacks { log, root: Mutex::new(String::new()) }));
        Ok(Self(Served::start(engine).await?))
    }

    /// The address, which a plugin gets as its last argument.
    pub fn address(&self) -> &Address {
        self.0.address()
    }
}

struct Callbacks {
    log: Arc<dyn LogSink>,
    root: Mutex<String>,
}

#[async_trait]
impl Engine for Callbacks {
    async fn log(&self, request: Request<LogRequest>) -> Result<Response<()>, Status> {
        let request = request.into_inner();
        let level = match request.severity() {
            LogSeverity::Debug => LogLevel::Debug,
            LogSeverity::Info => LogLevel::Info,
            LogSeverity::Warning => LogLevel::Warning,
            LogSeverity::Error => LogLevel::Error,
        };
        let urn: Option<Urn> = request.urn.parse().ok();
        self.log.log(level, urn.as_ref(), &request.message, request.ephemeral);
        Ok(Response::new(()))
    }

    async fn get_root_resource(
        &self,
        _: Request<GetRootResourceRequest>,
    ) -> Result<Response<GetRootResourceResponse>, Status> {
        let urn = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Response::new(GetRootResourceResponse { urn }))
    }

    async fn set_root_resource(
        &self,
        request: Request<SetRootResourceRequest>,
    ) -> Result<Response<SetRootResourceResponse>, Status> {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = request.into_inner().urn;
        Ok(Response::new(SetRootResourceResponse {}))
    }

    async fn start_debugging(&self, request: Request<StartDebuggingRequest>) -> Result<Response<()>, Status> {
        self.log.log(LogLevel::Info, None, &request.into_inner().message, false);
        Ok(Response::new(()))
    }

    async fn require_pulumi_version(
        &self,
        request: Request<RequirePulumiVersionRequest>,
    ) -> Result<Response<RequirePulumiVersionResponse>, Status> {
        let range = request.into_inner().pulumi_version_range;
        match VersionRange::parse(&range).map(|parsed| parsed.accepts(&PULUMI_VERSION)) {
            Some(true) => Ok(Response::new(RequirePulumiVersionResponse {})),
            Some(false) => Err(Status::failed_precondition(format!(
                "this host stands for Pulumi {PULUMI_VERSION}, which does not satisfy the range {range}"
            ))),
            None => Err(Status::invalid_argument(format!(
                "`{range}` is not a version range: write for example `>=3.5.0 <4.0.0`"
            ))),
        }
    }
}
