//! Faults that a real plugin does not produce on demand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use outrigger_provider::{
    Action, ApplyRequest, CallContext, CheckRequest, Configure, ErrorKind, Invoke, LogLevel, LogSink, Outcome,
    PlanRequest, Plugin, ReadRequest, ReadResult, ResourceIdentity, State, Verdict,
};
use outrigger_transport::{FirstLine, dial, limited};
use outrigger_value::{Asset, AssetSource, PropertyMap, Urn, Value};
use prost::Message;
use prost_types::Any;
use prost_types::value::Kind;
use tonic::{Code, Status};

use crate::encoding::{Encoding, encode};
use crate::fake::{Fake, FakeProcess, Running, options};
use crate::generated::google_rpc;
use crate::generated::pulumirpc::engine_client::EngineClient;
use crate::generated::pulumirpc::*;
use crate::{EngineServer, connect};

const ALL: Encoding = Encoding { unknowns: true, secrets: true, resources: true, outputs: true, elide: false };

fn cx() -> CallContext {
    CallContext::background().within(Duration::from_secs(30))
}

fn identity() -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("dev", "shop", None, "fake:index:Thing", "it"))
}

fn one(value: Value) -> PropertyMap {
    PropertyMap::from([("p".to_owned(), value)])
}

fn wire(value: Value) -> Option<prost_types::Struct> {
    Some(encode(one(value), ALL).unwrap())
}

fn order(action: Action, prior: Option<State>, inputs: PropertyMap) -> ApplyRequest {
    ApplyRequest {
        resource: identity(),
        action,
        prior,
        inputs,
        ignore_changes: vec![],
        timeout: Some(Duration::from_secs(90)),
    }
}

fn prior() -> State {
    State { id: "old".to_owned(), inputs: one("before".into()), outputs: one("before".into()), ..State::default() }
}

fn details(code: Code, name: &str, detail: &impl Message) -> Status {
    let any = Any { type_url: format!("type.googleapis.com/pulumirpc.{name}"), value: detail.encode_to_vec() };
    let status = google_rpc::Status { code: code as i32, message: "not ready".to_owned(), details: vec![any] };
    Status::with_details(code, "not ready", status.encode_to_vec().into())
}

#[tokio::test]
async fn a_plugin_without_handshake_says_its_flags_later() {
    let configure = ConfigureResponse { accept_secrets: true, supports_preview: false, ..Default::default() };
    let create = |_| panic!("a plugin without previews is not asked for one");
    let fake = Fake { configure: Some(Ok(configure)), create: Some(Box::new(create)), ..Fake::default() };
    let running = Running::start(fake);
    assert_eq!(running.plugin().await.unwrap().label(), "fake 1.2.3");
    let provider = running.provider().await;
    let request = PlanRequest {
        resource: identity(),
        prior: None,
        inputs: Some(one("x".into())),
        ignore_changes: vec![],
        predict: true,
        timeout: None,
    };
    let planned = provider.plan(&cx(), request).await.unwrap();
    assert_eq!((planned.verdict, planned.predicted), (Verdict::Create, Some(one("x".into()))));
}

#[tokio::test]
async fn garbage_instead_of_a_port() {
    let process = Arc::new(FakeProcess::new(FirstLine::Line(b"Usage: fake [options]".to_vec())));
    let Err(error) = connect(process.origin(), options()).await else { panic!("connected to nothing") };
    assert_eq!(error.kind, ErrorKind::Garbage);
    assert!(error.message.contains("Usage: fake"), "{error}");
    assert_eq!(error.last_words, ["panic: runtime error"]);
}

#[tokio::test]
async fn a_partial_update_keeps_the_old_inputs() {
    // Larger than the default header limit of HTTP/2 libraries: all of it travels in trailers.
    let large = "y".repeat(200_000);
    let detail = ErrorResourceInitFailed {
        id: "ignored".to_owned(),
        properties: wire(large.as_str().into()),
        reasons: vec!["still starting".to_owned()],
        ..Default::default()
    };
    let update = move |request: UpdateRequest| {
        assert_eq!((request.timeout, request.preview, request.id.as_str()), (90.0, false, "old"));
        Err(details(Code::Unknown, "ErrorResourceInitFailed", &detail))
    };
    let running = Running::start(Fake { update: Some(Box::new(update)), ..Fake::default() });
    let provider = running.provider().await;
    let outcome = provider.apply(&cx(), order(Action::Update, Some(prior()), one("after".into()))).await;
    let Outcome::Partial { state, reasons } = outcome else { panic!("{outcome:?}") };
    assert_eq!(reasons, ["still starting"]);
    assert_eq!((state.id.as_str(), &state.inputs), ("old", &one("before".into())));
    assert_eq!((&state.outputs, &state.init_errors), (&one(large.into()), &reasons));
}

#[tokio::test]
async fn a_partial_creation_keeps_the_new_inputs_and_one_without_id_leaves_doubt() {
    for (id, partial) in [("new", true), ("", false)] {
        let detail = ErrorResourceInitFailed { id: id.to_owned(), properties: wire("x".into()), ..Default::default() };
        let create = move |_| Err(details(Code::InvalidArgument, "ErrorResourceInitFailed", &detail));
        let running = Running::start(Fake { create: Some(Box::new(create)), ..Fake::default() });
        let outcome = running.provider().await.apply(&cx(), order(Action::Create, None, one("n".into()))).await;
        match outcome {
            Outcome::Partial { state, reasons } if partial => {
                assert_eq!((state.id.as_str(), state.inputs), ("new", one("n".into())));
                assert_eq!(reasons, ["not ready"]);
            }
            Outcome::Unknown { error, last: None } if !partial => assert_eq!(error.kind, ErrorKind::Garbage),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn codes_become_outcomes() {
    for (code, doubt) in
        [(Code::Internal, true), (Code::Unknown, true), (Code::Unavailable, false), (Code::Aborted, false)]
    {
        let update = move |_| Err(Status::new(code, "no luck"));
        let running = Running::start(Fake { update: Some(Box::new(update)), ..Fake::default() });
        let outcome =
            running.provider().await.apply(&cx(), order(Action::Update, Some(prior()), one(true.into()))).await;
        match outcome {
            Outcome::Unknown { error, last } if doubt => {
                assert_eq!((error.message.as_str(), last), ("no luck", Some(prior())));
            }
            Outcome::NotDone(error) if !doubt => assert_eq!(error.message, "no luck"),
            other => panic!("{code:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_creation_that_answers_nonsense_leaves_doubt() {
    let answers = [
        (CreateResponse { properties: wire("x".into()), ..Default::default() }, "without an id", None),
        (
            CreateResponse { id: "i".to_owned(), properties: wire(Value::Unknown), ..Default::default() },
            "unknown",
            Some("i"),
        ),
    ];
    for (response, text, id) in answers {
        let create = move |_| Ok(response.clone());
        let running = Running::start(Fake { create: Some(Box::new(create)), ..Fake::default() });
        let outcome = running.provider().await.apply(&cx(), order(Action::Create, None, one(true.into()))).await;
        let Outcome::Unknown { error, last } = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.kind, ErrorKind::Garbage);
        assert!(error.message.contains(text), "{error}");
        assert_eq!(last.map(|state| state.id).as_deref(), id);
    }
}

#[tokio::test]
async fn an_answer_too_deep_to_read_says_so() {
    let mut value = prost_types::Value { kind: Some(Kind::BoolValue(true)) };
    for _ in 0..60 {
        let fields = [("d".to_owned(), value)].into();
        value = prost_types::Value { kind: Some(Kind::StructValue(prost_types::Struct { fields })) };
    }
    let properties = Some(prost_types::Struct { fields: [("d".to_owned(), value)].into() });
    let response = CreateResponse { id: "i".to_owned(), properties, ..Default::default() };
    let create = move |_| Ok(response.clone());
    let running = Running::start(Fake { create: Some(Box::new(create)), ..Fake::default() });
    let outcome = running.provider().await.apply(&cx(), order(Action::Create, None, one(true.into()))).await;
    let Outcome::Unknown { error, .. } = outcome else { panic!("{outcome:?}") };
    assert!(error.message.contains("nested too deeply"), "{error}");

    let mut deep = Value::Null;
    for _ in 0..60 {
        deep = Value::Map(one(deep));
    }
    let outcome = running.provider().await.apply(&cx(), order(Action::Create, None, one(deep))).await;
    let Outcome::NotDone(error) = outcome else { panic!("{outcome:?}") };
    assert!(error.message.contains("not sent"), "{error}");
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_call() {
    for connection_too in [true, false] {
        let mut running = Running::start(Fake { hangs: true, ..Fake::default() });
        let provider = running.provider().await;
        let context = cx();
        let (outcome, ()) =
            tokio::join!(provider.apply(&context, order(Action::Update, Some(prior()), one(true.into()))), async {
                running.crash(connection_too)
            });
        let Outcome::Unknown { error, last } = outcome else { panic!("{outcome:?}") };
        assert_eq!((error.kind, last), (ErrorKind::Crashed, Some(prior())));
        assert!(error.message.contains("exited with code 2"), "{error}");
        assert_eq!(error.last_words, ["panic: runtime error"]);
        // Any later call is certainly not carried out.
        let outcome = provider.apply(&cx(), order(Action::Create, None, one(true.into()))).await;
        assert!(matches!(outcome, Outcome::NotDone(_)), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_hang_ends_with_its_deadline_or_the_users_patience() {
    let running = Running::start(Fake { hangs: true, ..Fake::default() });
    let provider = running.provider().await;
    let check = || CheckRequest {
        resource: identity(),
        olds: None,
        news: PropertyMap::new(),
        random_seed: [0; 32],
        autonaming: None,
        preview: false,
    };
    let late = provider.check(&CallContext::background().within(Duration::from_millis(50)), check()).await.unwrap_err();
    assert_eq!((late.kind, late.message.as_str()), (ErrorKind::TimedOut, "no answer within 0.05 s"));
    let patient = CallContext::background();
    patient.cancel.cancel();
    assert_eq!(provider.check(&patient, check()).await.unwrap_err().kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn check_sends_an_object_for_what_was_not_there() {
    let answer = |request: crate::generated::pulumirpc::CheckRequest| {
        assert_eq!(request.olds, Some(prost_types::Struct::default()));
        assert_eq!(
            (request.random_seed.len(), request.name.as_str(), request.r#type.as_str()),
            (32, "it", "fake:index:Thing")
        );
        Ok(CheckResponse { inputs: request.news, failures: vec![] })
    };
    let running = Running::start(Fake { check: Some(Box::new(answer)), ..Fake::default() });
    let request = CheckRequest {
        resource: identity(),
        olds: None,
        news: one(Value::secret("s".into())),
        random_seed: [0; 32],
        autonaming: None,
        preview: false,
    };
    // The fake does not support secrets: it got the bare value, and the mark was restored.
    assert_eq!(running.provider().await.check(&cx(), request).await.unwrap().inputs, one(Value::secret("s".into())));
}

#[tokio::test]
async fn a_function_given_a_secret_answers_secrets() {
    let invoke = |request: InvokeRequest| {
        assert_eq!(request.args, Some(encode(one("s".into()), ALL).unwrap()));
        Ok(InvokeResponse { r#return: wire("derived".into()), failures: vec![] })
    };
    let running = Running::start(Fake { invoke: Some(Box::new(invoke)), ..Fake::default() });
    let request = Invoke { token: "t".to_owned(), arguments: one(Value::secret("s".into())), preview: false };
    let answer = running.provider().await.invoke(&cx(), request).await.unwrap();
    assert_eq!(answer.result, one(Value::secret("derived".into())));
}

#[tokio::test]
async fn reading_restores_contents_and_knows_what_is_gone() {
    let asset = |source| Value::from(Asset { hash: "abc".to_owned(), source });
    let read = |request: crate::generated::pulumirpc::ReadRequest| {
        if request.id == "gone" {
            return Ok(ReadResponse::default());
        }
        Ok(ReadResponse { id: "i".to_owned(), properties: request.properties, inputs: None, ..Default::default() })
    };
    let running = Running::start(Fake { read: Some(Box::new(read)), ..Fake::default() });
    let provider = running.provider().await;
    let properties = one(asset(AssetSource::Text("contents".to_owned())));
    let state = |id: &str| State {
        id: id.to_owned(),
        inputs: properties.clone(),
        outputs: properties.clone(),
        ..State::default()
    };
    let request = |id| ReadRequest { resource: identity(), state: state(id), timeout: None };
    let found = provider.read(&cx(), request("i")).await.unwrap();
    let ReadResult::Found { state, inputs_known: false, .. } = found else { panic!("{found:?}") };
    assert_eq!(state.outputs, properties);
    assert!(matches!(provider.read(&cx(), request("gone")).await.unwrap(), ReadResult::Gone));
}

#[tokio::test]
async fn missing_configuration_is_named() {
    let key =
        configure_error_missing_keys::MissingKey { name: "fake:region".to_owned(), description: "where".to_owned() };
    let detail = ConfigureErrorMissingKeys { missing_keys: vec![key] };
    let status = details(Code::InvalidArgument, "ConfigureErrorMissingKeys", &detail);
    let running = Running::start(Fake { configure: Some(Err(status)), ..Fake::default() });
    let urn = Urn::new("dev", "shop", None, "pulumi:providers:fake", "default");
    let configure = Configure { urn, id: String::new(), inputs: PropertyMap::new() };
    let Err(error) = running.plugin().await.unwrap().configure(&cx(), configure).await else { panic!("configured") };
    assert_eq!(error.missing_keys, [("fake:region".to_owned(), "where".to_owned())]);
}

#[tokio::test]
async fn large_answers_and_empty_schemas() {
    let large = format!(r#"{{"name":"{}"}}"#, "n".repeat(20 * 1024 * 1024));
    let running = Running::start(Fake { schema: Some(large.clone()), ..Fake::default() });
    assert_eq!(running.plugin().await.unwrap().schema(&cx(), None).await.unwrap().len(), large.len());
    let running = Running::start(Fake { schema: Some(" {}\n".to_owned()), ..Fake::default() });
    let none = running.plugin().await.unwrap().schema(&cx(), None).await.unwrap_err();
    assert_eq!(none.kind, ErrorKind::Unsupported);
}

type Line = (LogLevel, Option<String>, String, bool);

#[derive(Default)]
struct Lines(Mutex<Vec<Line>>);

impl LogSink for Lines {
    fn log(&self, level: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        self.0.lock().unwrap().push((level, urn.map(Urn::to_string), message.to_owned(), ephemeral));
    }
}

#[tokio::test]
async fn plugins_call_back() {
    let lines = Arc::new(Lines::default());
    let server = EngineServer::start(lines.clone()).await.unwrap();
    let channel = dial::dial(server.address()).await.unwrap();
    let mut client = limited!(EngineClient::new(channel.clone()));
    let urn = identity().urn.to_string();
    let severity = LogSeverity::Warning.into();
    let line = LogRequest { severity, message: "look".to_owned(), urn: urn.clone(), stream_id: 0, ephemeral: true };
    client.log(line).await.unwrap();
    assert_eq!(lines.0.lock().unwrap().as_slice(), [(LogLevel::Warning, Some(urn.clone()), "look".to_owned(), true)]);
    client.set_root_resource(SetRootResourceRequest { urn: urn.clone() }).await.unwrap();
    assert_eq!(client.get_root_resource(GetRootResourceRequest {}).await.unwrap().into_inner().urn, urn);
    let range = |range: &str| RequirePulumiVersionRequest { pulumi_version_range: range.to_owned() };
    client.require_pulumi_version(range(">=3.100.0")).await.unwrap();
    client.require_pulumi_version(range(">= 3.100.0 < 4.0.0")).await.unwrap();
    assert_eq!(client.require_pulumi_version(range("latest")).await.unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(client.require_pulumi_version(range("<3.0.0")).await.unwrap_err().code(), Code::FailedPrecondition);
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel);
    let answer = health.check(tonic_health::pb::HealthCheckRequest { service: String::new() }).await.unwrap();
    assert_eq!(answer.into_inner().status, 1);
}
