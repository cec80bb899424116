//! A protocol unknown to the host and the engine, plugged in by one entry: scafctl's, with the echo example of its SDK.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use http::uri::PathAndQuery;
use outrigger_host::HostOptions;
use outrigger_provider::{
    CallContext, CallError, Configure, ErrorKind, Plugin, PluginDescriptor, PluginInfo, Plugins, Provider,
};
use outrigger_transport::caller::{Caller, Failed};
use outrigger_transport::codec::SmallCodec;
use outrigger_transport::goplugin::{self, Connection, Cookie, Settings};
use outrigger_transport::{
    LaunchRequest, OpenError, Opened, Opening, Origin, Protocol, Resolved, Resolver, Unresolved,
};
use tonic::Request;
use tonic::client::Grpc;

use crate::support::place::peer;
use crate::support::{InRun, Scratch, cx, processes_in, sigkill};

const COOKIE: Cookie = Cookie { key: "SCAFCTL_PLUGIN", value: "scafctl_provider_plugin" };

/// The version of the go-plugin handshake; the version of the messages is sent later.
const VERSION: u32 = 1;

#[derive(Clone, PartialEq, prost::Message)]
struct GetProvidersRequest {}

#[derive(Clone, PartialEq, prost::Message)]
struct GetProvidersResponse {
    #[prost(string, repeated, tag = "1")]
    provider_names: Vec<String>,
}

/// Plugins whose programs are in a directory of the peers.
struct Scafctl;

#[async_trait]
impl Resolver for Scafctl {
    async fn resolve(&self, wanted: &PluginDescriptor) -> Result<Resolved, Unresolved> {
        Ok(Resolved::program(peer("bin").join(&wanted.name), Origin::Installed))
    }
}

#[async_trait]
impl Protocol for Scafctl {
    fn claim(&self, wanted: &PluginDescriptor) -> Option<PluginDescriptor> {
        wanted.name.starts_with("scafctl-").then(|| wanted.clone())
    }

    fn resolver(&self) -> Option<&dyn Resolver> {
        Some(self)
    }

    async fn open(&self, opening: Opening<'_>) -> Result<Opened, OpenError> {
        let label = opening.descriptor.name.clone();
        let request = LaunchRequest {
            label: label.clone(),
            program: opening.resolved.unwrap().executable().unwrap().to_owned(),
            arguments: Vec::new(),
            environment: opening.environment,
            directory: opening.directory.to_owned(),
            output: None,
        };
        let started = goplugin::start(&*opening.launcher, request, &Settings::new(COOKIE, vec![VERSION])).await;
        let connection =
            started.map_err(|error| CallError::new(&label, "Start", ErrorKind::NotDone, error.to_string()))?;
        let caller = Caller::new(connection.process().cloned(), label);
        Ok(Opened { plugin: Arc::new(Echo { connection, caller }), warnings: Vec::new() })
    }

    fn hint(&self, _: Option<&Path>, _: &CallError) -> String {
        "Run `cargo xtask peers`.".to_owned()
    }
}

/// A plugin of scafctl's.
struct Echo {
    connection: Connection,
    caller: Caller,
}

#[async_trait]
impl Plugin for Echo {
    fn label(&self) -> String {
        self.caller.label().to_owned()
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo::default())
    }

    /// The names of its providers, one per line.
    async fn schema(
        &self,
        cx: &CallContext,
        _: Option<&outrigger_provider::Parameterization>,
    ) -> Result<Vec<u8>, CallError> {
        const CALL: &str = "GetProviders";
        let path = PathAndQuery::from_static("/plugin.PluginService/GetProviders");
        let (mut channel, codec) = (Grpc::new(self.connection.channel()), SmallCodec::default());
        let call = channel.unary(Request::new(GetProvidersRequest {}), path, codec);
        let answer: GetProvidersResponse = self.caller.call(cx, CALL, call).await.map_err(|failed| match failed {
            Failed::Answered(status) => self.caller.read(CALL, &status),
            Failed::Unanswered(error) => error,
        })?;
        Ok(answer.provider_names.join("\n").into_bytes())
    }

    async fn configure(&self, _: &CallContext, _: Configure) -> Result<Arc<dyn Provider>, CallError> {
        Err(CallError::unsupported("configure"))
    }

    async fn close(&self, _: &CallContext) {
        self.connection.shutdown().await;
    }
}

#[tokio::test]
async fn a_third_protocol_is_one_entry() {
    let scratch = Scratch::new();
    let mut options: HostOptions = scratch.options();
    options.protocols.insert(0, Arc::new(Scafctl));
    let random = scratch.real("random");
    let host = InRun::new(&scratch.path(), options);
    let echo = PluginDescriptor::named("scafctl-echo", None);
    let plugin = host.load(&cx(), &echo).await.unwrap();
    assert_eq!(plugin.schema(&cx(), None).await.unwrap(), b"echo");
    // The other protocols still work.
    host.load(&cx(), &random).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 2);

    // Its process is treated like any other: a dead one is not reused.
    let ended = processes_in(&scratch.path());
    ended.iter().for_each(|process| sigkill(*process));
    assert!(plugin.schema(&cx(), None).await.is_err() && plugin.has_ended());
    drop(plugin);
    let plugin = host.load(&cx(), &echo).await.unwrap();
    assert_eq!(plugin.schema(&cx(), None).await.unwrap(), b"echo");
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0], "nothing is left");
}

#[tokio::test]
async fn a_plugin_that_no_protocol_claims_is_refused() {
    let scratch = Scratch::new();
    let host = InRun::new(&scratch.path(), HostOptions { protocols: vec![Arc::new(Scafctl)], ..scratch.options() });
    let error = host.load(&cx(), &PluginDescriptor::named("random", None)).await.err().unwrap();
    assert_eq!(error.code, "plugin-protocol");
}
