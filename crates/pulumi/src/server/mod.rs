//! `pulumirpc`, server half: a [`Plugin`] becomes a Pulumi resource plugin.
//!
//! | file | its calls |
//! | --- | --- |
//! | `package` | the plugin as a whole: GetPluginInfo, GetSchema, Parameterize, CheckConfig, DiffConfig, Configure, GetMapping |
//! | `resource`, `read` | Check, Diff, Create, Update, Delete; Read |
//! | `function` | Invoke, List |
//! | `component` | Construct and Call, with `monitor`, through which a component registers its resources |
//! | `session` | the state that all calls share: the configured provider, cancellation, tasks |
//! | `answer` | failures as statuses and rich errors |
//! | `log` | log messages for the engine |

mod answer;
mod component;
mod function;
mod log;
mod monitor;
mod package;
mod read;
mod resource;
mod session;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use outrigger_provider::Plugin;
use outrigger_transport::{limited, server};
use tokio::net::TcpListener;
use tonic::{Request, Response, Status};

use crate::generated::pulumirpc::resource_provider_server::{ResourceProvider, ResourceProviderServer};
use crate::generated::pulumirpc::*;
use crate::routes::Routes;
pub use log::engine_is_there;
use session::Session;

/// How long calls may take to stop once they were asked to. Pulumi kills a plugin after the same time; if the host itself is gone, nothing else
/// will.
const STOPPING: Duration = Duration::from_secs(5);

/// How long connections may take to close once every call is answered.
const CLOSING: Duration = Duration::from_secs(1);

/// Serves a plugin until `until` is done; then running calls are asked to stop, are answered if they do so within a few seconds, and the
/// connections are closed. `engine` is the address that the plugin was started with; without one it waits for Attach.
///
/// The computations Check and Diff run where a connection is read; the plugin's other work runs in tasks, so that code that blocks does not hold
/// up other calls. That needs a runtime of several threads.
pub async fn serve(
    plugin: Arc<dyn Plugin>,
    listener: TcpListener,
    engine: Option<&str>,
    until: impl Future<Output = ()>,
) {
    let session = Arc::new(Session::new(plugin));
    if let Some(engine) = engine {
        // An engine that takes no messages may still make calls.
        let _without_messages = session.log.attach(engine).await;
    }
    let provider = limited!(ResourceProviderServer::new(Service(Arc::clone(&session))));
    let (closing, closed) = tokio::sync::watch::channel(());
    let serving = server::serve(listener, Routes::to(provider).await, closed);
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return,
        () = until => {}
    }
    session.cancel();
    drop(closing);
    session.tasks.close();
    // Both must run: the calls' tasks run by themselves, but the server writes their answers.
    let answered = async {
        let ended = async {
            session.stop_orders().await;
            session.tasks.wait().await;
        };
        if tokio::time::timeout(STOPPING, ended).await.is_ok() {
            tokio::time::sleep(CLOSING).await;
        }
    };
    tokio::select! {
        () = &mut serving => {}
        () = answered => {}
    }
}

/// The service. Every call is a task of the session, or a computation.
struct Service(Arc<Session>);

/// Calls a function of one of the modules.
macro_rules! call {
    ($service:expr, $limit:expr, $module:ident::$function:ident, $request:expr) => {{
        let session = Arc::clone(&$service.0);
        let limit = $limit;
        let request = $request;
        $service.0.call(limit, |cx| async move { $module::$function(&session, cx, request).await }).await
    }};
    ($service:expr, order $module:ident::$function:ident, $request:expr) => {{
        let session = Arc::clone(&$service.0);
        let request = $request;
        let limit = session::limit(request.timeout);
        $service.0.order(limit, |cx| async move { $module::$function(&session, cx, request).await }).await
    }};
    ($service:expr, $module:ident::$function:ident) => {{
        let session = Arc::clone(&$service.0);
        $service.0.call(None, |cx| async move { $module::$function(&session, cx).await }).await
    }};
}

#[async_trait]
impl ResourceProvider for Service {
    type ListStream = tonic::codegen::BoxStream<ListResponse>;

    async fn handshake(
        &self,
        _: Request<ProviderHandshakeRequest>,
    ) -> Result<Response<ProviderHandshakeResponse>, Status> {
        Ok(Response::new(ProviderHandshakeResponse {
            accept_secrets: true,
            accept_resources: true,
            accept_outputs: true,
            supports_autonaming_configuration: self.0.plugin.takes_autonaming(),
        }))
    }

    async fn attach(&self, request: Request<PluginAttach>) -> Result<Response<()>, Status> {
        self.0.log.attach(&request.into_inner().address).await.map(Response::new)
    }

    async fn get_plugin_info(&self, _: Request<()>) -> Result<Response<PluginInfo>, Status> {
        call!(self, package::info)
    }

    async fn get_schema(&self, request: Request<GetSchemaRequest>) -> Result<Response<GetSchemaResponse>, Status> {
        call!(self, None, package::schema, request.into_inner())
    }

    async fn parameterize(
        &self,
        request: Request<ParameterizeRequest>,
    ) -> Result<Response<ParameterizeResponse>, Status> {
        call!(self, None, package::parameterize, request.into_inner())
    }

    async fn check_config(&self, request: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        call!(self, None, package::check_config, request.into_inner())
    }

    async fn diff_config(&self, request: Request<DiffRequest>) -> Result<Response<DiffResponse>, Status> {
        call!(self, None, package::diff_config, request.into_inner())
    }

    async fn configure(&self, request: Request<ConfigureRequest>) -> Result<Response<ConfigureResponse>, Status> {
        call!(self, None, package::configure, request.into_inner())
    }

    async fn get_mapping(&self, request: Request<GetMappingRequest>) -> Result<Response<GetMappingResponse>, Status> {
        call!(self, None, package::mapping, request.into_inner())
    }

    async fn get_mappings(
        &self,
        request: Request<GetMappingsRequest>,
    ) -> Result<Response<GetMappingsResponse>, Status> {
        call!(self, None, package::mappings, request.into_inner())
    }

    async fn check(&self, request: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        let session = Arc::clone(&self.0);
        self.0.compute(|cx| async move { resource::check(&session, cx, request.into_inner()).await }).await
    }

    async fn diff(&self, request: Request<DiffRequest>) -> Result<Response<DiffResponse>, Status> {
        let session = Arc::clone(&self.0);
        self.0.compute(|cx| async move { resource::diff(&session, cx, request.into_inner()).await }).await
    }

    async fn create(&self, request: Request<CreateRequest>) -> Result<Response<CreateResponse>, Status> {
        let request = request.into_inner();
        if request.preview {
            return call!(self, session::limit(request.timeout), resource::create, request);
        }
        call!(self, order resource::create, request)
    }

    async fn update(&self, request: Request<UpdateRequest>) -> Result<Response<UpdateResponse>, Status> {
        let request = request.into_inner();
        if request.preview {
            return call!(self, session::limit(request.timeout), resource::update, request);
        }
        call!(self, order resource::update, request)
    }

    async fn delete(&self, request: Request<DeleteRequest>) -> Result<Response<()>, Status> {
        call!(self, order resource::delete, request.into_inner())
    }

    async fn read(&self, request: Request<ReadRequest>) -> Result<Response<ReadResponse>, Status> {
        let request = request.into_inner();
        call!(self, session::limit(request.timeout), read::read, request)
    }

    async fn invoke(&self, request: Request<InvokeRequest>) -> Result<Response<InvokeResponse>, Status> {
        call!(self, None, function::invoke, request.into_inner())
    }

    async fn list(&self, _: Request<ListRequest>) -> Result<Response<Self::ListStream>, Status> {
        Err(Status::unimplemented("List is not supported by this plugin"))
    }

    async fn construct(&self, request: Request<ConstructRequest>) -> Result<Response<ConstructResponse>, Status> {
        call!(self, None, component::construct, request.into_inner())
    }

    async fn call(&self, request: Request<CallRequest>) -> Result<Response<CallResponse>, Status> {
        call!(self, None, component::call, request.into_inner())
    }

    async fn cancel(&self, _: Request<()>) -> Result<Response<()>, Status> {
        // Before the call, which must not cancel itself.
        self.0.cancel();
        call!(self, package::cancel)
    }
}
