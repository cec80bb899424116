//! A client of the served monitor, over a real connection.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{
    CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, ReadGoal, RegisterError, Registered, RunInfo,
};
use outrigger_transport::Address;
use outrigger_transport::channel::Channel;
use outrigger_transport::dial::dial;
use outrigger_value::{PropertyDependencies, PropertyMap, Urn};
use tokio::sync::Notify;

use super::{Lifetime, serve};
use crate::generated::pulumirpc::resource_monitor_client::ResourceMonitorClient;
use crate::generated::pulumirpc::{
    RegisterResourceOutputsRequest, RegisterResourceRequest, ResourceInvokeRequest, SupportsFeatureRequest,
};

/// Records registrations.
struct Recorder {
    stack: Urn,
    run: RunInfo,
    registered: Mutex<Vec<(Urn, Option<Urn>)>>,
    outputs: Mutex<Vec<Urn>>,
}

impl Recorder {
    fn new() -> Self {
        let run = RunInfo { project: "shop".to_owned(), stack: "dev".to_owned(), ..RunInfo::default() };
        let stack = Urn::new("dev", "shop", None, "pulumi:pulumi:Stack", "shop-dev");
        Self { stack, run, registered: Mutex::default(), outputs: Mutex::default() }
    }
}

#[async_trait]
impl Monitor for Recorder {
    fn stack(&self) -> &Urn {
        &self.stack
    }

    fn run(&self) -> &RunInfo {
        &self.run
    }

    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError> {
        let urn = Urn::new("dev", "shop", goal.parent.as_ref(), &goal.ty, &goal.name);
        self.registered.lock().unwrap().push((urn.clone(), goal.parent));
        let id = goal.custom.then(|| "id".into());
        Ok(Registered { urn, id, outputs: goal.inputs, output_dependencies: PropertyDependencies::new() })
    }

    async fn register_outputs(&self, urn: &Urn, _: PropertyMap) -> Result<(), RegisterError> {
        self.outputs.lock().unwrap().push(urn.clone());
        Ok(())
    }

    async fn read(&self, _: ReadGoal) -> Result<Registered, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn invoke(&self, _: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn call(&self, _: MethodGoal) -> Result<CallResponse, RegisterError> {
        Err(RegisterError::Failed)
    }

    fn report(&self, _: Diagnostic) {}
}

async fn client(address: &str) -> ResourceMonitorClient<Channel> {
    ResourceMonitorClient::new(dial(&Address::tcp(address).unwrap()).await.unwrap())
}

fn request(ty: &str, name: &str, parent: &str) -> RegisterResourceRequest {
    let (ty, name, parent) = (ty.to_owned(), name.to_owned(), parent.to_owned());
    RegisterResourceRequest { r#type: ty, name, parent, ..RegisterResourceRequest::default() }
}

#[tokio::test]
async fn a_program_registers_its_stack_and_waits_for_the_end() {
    let recorder = Recorder::new();
    let complete = Arc::new(Notify::new());
    let lifetime = Lifetime::Program { complete: complete.clone() };
    let served = serve(&recorder, lifetime, async |address| {
        let mut client = client(&address).await;
        let stack = client.register_resource(request("pulumi:pulumi:Stack", "shop-dev", "")).await.unwrap();
        let stack = stack.into_inner().urn;
        let custom = RegisterResourceRequest { custom: true, ..request("pkg:index:Thing", "thing", &stack) };
        assert_eq!(client.register_resource(custom).await.unwrap().into_inner().id, "id");
        let outputs = RegisterResourceOutputsRequest { urn: stack, outputs: None };
        client.register_resource_outputs(outputs).await.unwrap();

        let mut program = client.clone();
        let waits = tokio::spawn(async move { program.signal_and_wait_for_shutdown(()).await });
        complete.notified().await;
        // The earlier call's answer would have come before this one's.
        client.supports_feature(SupportsFeatureRequest { id: "secrets".to_owned() }).await.unwrap();
        assert!(!waits.is_finished());
        (client, waits)
    });
    let (mut client, waits) = served.await.unwrap();
    waits.await.unwrap().unwrap();
    client.invoke(ResourceInvokeRequest::default()).await.unwrap_err();

    let stack = recorder.stack.clone();
    let thing = Urn::new("dev", "shop", None, "pkg:index:Thing", "thing");
    assert_eq!(*recorder.outputs.lock().unwrap(), std::slice::from_ref(&stack));
    assert_eq!(*recorder.registered.lock().unwrap(), [(stack.clone(), None), (thing, Some(stack))]);
}

#[tokio::test]
async fn a_program_that_hangs_up_does_not_keep_the_monitor() {
    let complete = Arc::new(Notify::new());
    let lifetime = Lifetime::Program { complete: complete.clone() };
    let recorder = Recorder::new();
    let served = serve(&recorder, lifetime, async |address| {
        let mut program = client(&address).await;
        tokio::select! {
            answer = program.signal_and_wait_for_shutdown(()) => panic!("{answer:?}"),
            () = complete.notified() => {}
        }
    });
    served.await.unwrap();
}

#[tokio::test]
async fn a_call_does_not_wait_for_the_end() {
    let recorder = Recorder::new();
    let served = serve(&recorder, Lifetime::Call, async |address| {
        client(&address).await.signal_and_wait_for_shutdown(()).await.unwrap();
    });
    served.await.unwrap();
}
