//! A plugin that misbehaves on demand, served over a real connection, and a process that ends on demand.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use outrigger_provider::{CallContext, CallError, Configure, Plugin, Provider};
use outrigger_transport::{FirstLine, Process, limited, server};
use outrigger_value::{PropertyMap, Urn};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use crate::generated::pulumirpc::resource_provider_server::{ResourceProvider, ResourceProviderServer};
use crate::generated::pulumirpc::*;
use crate::{ConnectDeadlines, ConnectOptions, Origin, PulumiPlugin, connect};

type Answer<Q, A> = Box<dyn Fn(Q) -> Result<A, Status> + Send + Sync>;

/// The fake's answers. A call without an answer is not implemented; one that is in `hangs` is never answered.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) handshake: Option<ProviderHandshakeResponse>,
    pub(crate) configure: Option<Result<ConfigureResponse, Status>>,
    pub(crate) check: Option<Answer<CheckRequest, CheckResponse>>,
    pub(crate) diff: Option<Answer<DiffRequest, DiffResponse>>,
    pub(crate) create: Option<Answer<CreateRequest, CreateResponse>>,
    pub(crate) update: Option<Answer<UpdateRequest, UpdateResponse>>,
    pub(crate) read: Option<Answer<ReadRequest, ReadResponse>>,
    pub(crate) invoke: Option<Answer<InvokeRequest, InvokeResponse>>,
    pub(crate) schema: Option<String>,
    pub(crate) hangs: bool,
}

/// A running fake.
pub(crate) struct Running {
    pub(crate) process: Arc<FakeProcess>,
    server: Option<Runtime>,
}

impl Running {
    pub(crate) fn start(fake: Fake) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let service = limited!(ResourceProviderServer::new(fake));
        // A runtime of its own: when it is shut down, its connections break, like those of a dead process.
        let server = Runtime::new().unwrap();
        server.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            let (_open, closed) = watch::channel(());
            server::serve(listener, service, closed).await;
        });
        let line = FirstLine::Line(port.to_string().into_bytes());
        Self { process: Arc::new(FakeProcess::new(line)), server: Some(server) }
    }

    pub(crate) async fn plugin(&self) -> Result<Arc<PulumiPlugin>, CallError> {
        connect(self.process.clone().origin(), options()).await
    }

    pub(crate) async fn provider(&self) -> Arc<dyn Provider> {
        let urn = Urn::new("dev", "shop", None, "pulumi:providers:fake", "default");
        let configure = Configure { urn, id: "id".to_owned(), inputs: PropertyMap::new() };
        self.plugin().await.unwrap().configure(&CallContext::background(), configure).await.unwrap()
    }

    /// The process dies; its server dies too, or keeps the connection open.
    pub(crate) fn crash(&mut self, connection_too: bool) {
        if connection_too && let Some(server) = self.server.take() {
            server.shutdown_background();
        }
        self.process.ended.send_replace(Some("exited with code 2".to_owned()));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.shutdown_background();
        }
    }
}

pub(crate) fn options() -> ConnectOptions {
    ConnectOptions {
        name: "fake".to_owned(),
        engine_address: "127.0.0.1:1".to_owned(),
        deadlines: ConnectDeadlines::default(),
        log: None,
    }
}

/// A fake process.
pub(crate) struct FakeProcess {
    line: FirstLine,
    ended: watch::Sender<Option<String>>,
}

impl FakeProcess {
    pub(crate) fn new(line: FirstLine) -> Self {
        Self { line, ended: watch::Sender::new(None) }
    }

    pub(crate) fn origin(self: Arc<Self>) -> Origin {
        Origin::Process { process: self, directory: "/plugins".into(), deadline: Duration::from_secs(5) }
    }
}

#[async_trait]
impl Process for FakeProcess {
    fn label(&self) -> &str {
        "fake"
    }

    fn id(&self) -> u32 {
        1
    }

    async fn first_line(&self) -> FirstLine {
        self.line.clone()
    }

    fn last_words(&self) -> Vec<String> {
        vec!["panic: runtime error".to_owned()]
    }

    fn remember(&self, _: &[u8]) {}

    async fn exited(&self) -> String {
        self.ended.subscribe().wait_for(Option::is_some).await.unwrap().clone().unwrap()
    }

    fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    fn interrupt(&self) {}

    fn kill(&self) {}
}

async fn answer<Q, A>(fake: &Fake, how: &Option<Answer<Q, A>>, request: Request<Q>) -> Result<Response<A>, Status> {
    if fake.hangs {
        std::future::pending::<()>().await;
    }
    match how {
        Some(how) => how(request.into_inner()).map(Response::new),
        None => missing(),
    }
}

fn missing<A>() -> Result<Response<A>, Status> {
    Err(Status::unimplemented("not implemented"))
}

#[async_trait]
impl ResourceProvider for Fake {
    type ListStream = tonic::codegen::BoxStream<ListResponse>;

    async fn handshake(
        &self,
        _: Request<ProviderHandshakeRequest>,
    ) -> Result<Response<ProviderHandshakeResponse>, Status> {
        self.handshake.map_or_else(missing, |answer| Ok(Response::new(answer)))
    }

    async fn parameterize(&self, _: Request<ParameterizeRequest>) -> Result<Response<ParameterizeResponse>, Status> {
        missing()
    }

    async fn get_schema(&self, _: Request<GetSchemaRequest>) -> Result<Response<GetSchemaResponse>, Status> {
        match &self.schema {
            Some(schema) => Ok(Response::new(GetSchemaResponse { schema: schema.clone() })),
            None => missing(),
        }
    }

    async fn check_config(&self, _: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        missing()
    }

    async fn diff_config(&self, _: Request<DiffRequest>) -> Result<Response<DiffResponse>, Status> {
        missing()
    }

    async fn configure(&self, _: Request<ConfigureRequest>) -> Result<Response<ConfigureResponse>, Status> {
        match &self.configure {
            Some(answer) => answer.clone().map(Response::new),
            None => Ok(Response::new(ConfigureResponse::default())),
        }
    }

    async fn invoke(&self, request: Request<InvokeRequest>) -> Result<Response<InvokeResponse>, Status> {
        answer(self, &self.invoke, request).await
    }

    async fn call(&self, _: Request<CallRequest>) -> Result<Response<CallResponse>, Status> {
        missing()
    }

    async fn check(&self, request: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        answer(self, &self.check, request).await
    }

    async fn diff(&self, request: Request<DiffRequest>) -> Result<Response<DiffResponse>, Status> {
        answer(self, &self.diff, request).await
    }

    async fn create(&self, request: Request<CreateRequest>) -> Result<Response<CreateResponse>, Status> {
        answer(self, &self.create, request).await
    }

    async fn read(&self, request: Request<ReadRequest>) -> Result<Response<ReadResponse>, Status> {
        answer(self, &self.read, request).await
    }

    async fn list(&self, _: Request<ListRequest>) -> Result<Response<Self::ListStream>, Status> {
        missing()
    }

    async fn update(&self, request: Request<UpdateRequest>) -> Result<Response<UpdateResponse>, Status> {
        answer(self, &self.update, request).await
    }

    async fn delete(&self, _: Request<DeleteRequest>) -> Result<Response<()>, Status> {
        missing()
    }

    async fn construct(&self, _: Request<ConstructRequest>) -> Result<Response<ConstructResponse>, Status> {
        missing()
    }

    async fn cancel(&self, _: Request<()>) -> Result<Response<()>, Status> {
        missing()
    }

    async fn get_plugin_info(&self, _: Request<()>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(PluginInfo { version: "v1.2.3".to_owned() }))
    }

    async fn attach(&self, _: Request<PluginAttach>) -> Result<Response<()>, Status> {
        missing()
    }

    async fn get_mapping(&self, _: Request<GetMappingRequest>) -> Result<Response<GetMappingResponse>, Status> {
        missing()
    }

    async fn get_mappings(&self, _: Request<GetMappingsRequest>) -> Result<Response<GetMappingsResponse>, Status> {
        missing()
    }
}
