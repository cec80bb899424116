//! The service itself: passes calls to the engine's task and waits for their answers.

use async_trait::async_trait;
use futures::future::BoxFuture;
use outrigger_provider::{Monitor, RunInfo};
use tokio::sync::{mpsc, oneshot};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{Job, Lifetime, answer, configuration, package};
use crate::generated::pulumirpc::resource_monitor_server::ResourceMonitor;
use crate::generated::pulumirpc::{
    CallResponse, Callback, DeploymentInfo, InvokeResponse, ReadResourceRequest, ReadResourceResponse,
    RegisterHookRequest, RegisterPackageRequest, RegisterPackageResponse, RegisterResourceOutputsRequest,
    RegisterResourceRequest, RegisterResourceResponse, ResourceCallRequest, ResourceInvokeRequest,
    ResourceMonitorFeature as Feature, SupportsFeatureRequest, SupportsFeatureResponse,
};

/// The features of this engine, by both names that SDKs use.
const FEATURES: [(&str, Feature); 8] = [
    ("secrets", Feature::Secrets),
    ("resourceReferences", Feature::ResourceReferences),
    ("outputValues", Feature::OutputValues),
    ("aliasSpecs", Feature::AliasSpecs),
    ("replacementTrigger", Feature::ReplacementTrigger),
    ("deletedWith", Feature::DeletedWith),
    ("replaceWith", Feature::ReplaceWith),
    ("parameterization", Feature::Parameterization),
];

pub(super) struct Service {
    jobs: mpsc::Sender<Job>,
    run: RunInfo,
    lifetime: Lifetime,
}

impl Service {
    pub(super) fn new(jobs: mpsc::Sender<Job>, run: RunInfo, lifetime: Lifetime) -> Self {
        Self { jobs, run, lifetime }
    }

    /// Runs work with the monitor, in the engine's task.
    async fn with_monitor<T: Send + 'static>(
        &self,
        work: impl for<'m> FnOnce(&'m dyn Monitor) -> BoxFuture<'m, Result<T, Status>> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |monitor| {
            let work = work(monitor);
            Box::pin(async move {
                // The plugin may have stopped waiting; the registration counts anyway.
                let _ = sender.send(work.await);
            })
        });
        let gone = || Status::unavailable("the call or program that this monitor was made for has ended");
        self.jobs.send(job).await.map_err(|_| gone())?;
        receiver.await.map_err(|_| gone())?.map(Response::new)
    }
}

#[async_trait]
impl ResourceMonitor for Service {
    async fn get_deployment_info(&self, _: Request<()>) -> Result<Response<DeploymentInfo>, Status> {
        let (config, config_secret_keys) = configuration(&self.run);
        Ok(Response::new(DeploymentInfo {
            project: self.run.project.clone(),
            stack: self.run.stack.clone(),
            organization: self.run.organization.clone(),
            config,
            config_secret_keys,
            dry_run: self.run.preview,
            parallel: self.run.parallel.try_into().unwrap_or(i32::MAX),
            supported_features: FEATURES.iter().map(|(_, feature)| (*feature).into()).collect(),
        }))
    }

    async fn supports_feature(
        &self,
        request: Request<SupportsFeatureRequest>,
    ) -> Result<Response<SupportsFeatureResponse>, Status> {
        let has_support = FEATURES.iter().any(|(id, _)| *id == request.get_ref().id);
        Ok(Response::new(SupportsFeatureResponse { has_support }))
    }

    async fn invoke(&self, request: Request<ResourceInvokeRequest>) -> Result<Response<InvokeResponse>, Status> {
        let request = request.into_inner();
        self.with_monitor(move |monitor| Box::pin(answer::invoke(monitor, request))).await
    }

    async fn call(&self, request: Request<ResourceCallRequest>) -> Result<Response<CallResponse>, Status> {
        let request = request.into_inner();
        self.with_monitor(move |monitor| Box::pin(answer::call(monitor, request))).await
    }

    async fn read_resource(
        &self,
        request: Request<ReadResourceRequest>,
    ) -> Result<Response<ReadResourceResponse>, Status> {
        let request = request.into_inner();
        self.with_monitor(move |monitor| Box::pin(answer::read(monitor, request))).await
    }

    async fn register_resource(
        &self,
        request: Request<RegisterResourceRequest>,
    ) -> Result<Response<RegisterResourceResponse>, Status> {
        let legacy_aliases = is_from_node(request.metadata());
        let request = request.into_inner();
        self.with_monitor(move |monitor| Box::pin(answer::register(monitor, request, legacy_aliases))).await
    }

    async fn register_resource_outputs(
        &self,
        request: Request<RegisterResourceOutputsRequest>,
    ) -> Result<Response<()>, Status> {
        let request = request.into_inner();
        self.with_monitor(move |monitor| Box::pin(answer::outputs(monitor, request))).await
    }

    async fn register_stack_transform(&self, _: Request<Callback>) -> Result<Response<()>, Status> {
        Err(unsupported("stack transforms"))
    }

    async fn register_stack_invoke_transform(&self, _: Request<Callback>) -> Result<Response<()>, Status> {
        Err(unsupported("invoke transforms"))
    }

    async fn register_resource_hook(&self, _: Request<RegisterHookRequest>) -> Result<Response<()>, Status> {
        Err(unsupported("resource hooks"))
    }

    async fn register_error_hook(&self, _: Request<RegisterHookRequest>) -> Result<Response<()>, Status> {
        Err(unsupported("error hooks"))
    }

    async fn register_package(
        &self,
        request: Request<RegisterPackageRequest>,
    ) -> Result<Response<RegisterPackageResponse>, Status> {
        Ok(Response::new(RegisterPackageResponse { r#ref: package::reference(request.into_inner())? }))
    }

    async fn signal_and_wait_for_shutdown(&self, _: Request<()>) -> Result<Response<()>, Status> {
        if let Lifetime::Program { complete } = &self.lifetime {
            complete.notify_one();
            self.jobs.closed().await;
        }
        Ok(Response::new(()))
    }
}

fn unsupported(what: &str) -> Status {
    Status::unimplemented(format!("{what} are not supported by this engine"))
}

fn is_from_node(metadata: &MetadataMap) -> bool {
    let text = |key| metadata.get(key).and_then(|value| value.to_str().ok());
    match text("pulumi-runtime") {
        Some(runtime) => runtime == "nodejs",
        None => text("user-agent").is_some_and(|agent| agent.starts_with("grpc-node-js/")),
    }
}
