//! The two halves against each other, over a real connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckRequest, Checked, Configure, Diff, ErrorKind, ImportRequest,
    Imported, Invoke, Invoked, LogLevel, LogSink, Outcome, Parameterization, Parameterize, PlanRequest, Planned,
    Plugin, PluginInfo, Provider, ReadRequest, ReadResult, ResourceIdentity, State, Ticket, Verdict,
};
use outrigger_transport::{Address, port};
use outrigger_value::{PropertyMap, Urn, Value};
use tokio::sync::{Notify, oneshot};

use crate::{ConnectOptions, EngineServer, Origin, PulumiPlugin, connect};

/// A plugin whose behaviour depends on the name of the resource.
#[derive(Default)]
struct Scripted {
    begun: Arc<Notify>,
    told_to_stop: Arc<Notify>,
}

struct ScriptedProvider {
    begun: Arc<Notify>,
    told_to_stop: Arc<Notify>,
    ends_orders: bool,
}

fn error(kind: ErrorKind, message: &str) -> CallError {
    CallError::new("scripted", "call", kind, message)
}

#[async_trait]
impl Plugin for Scripted {
    fn label(&self) -> String {
        "scripted 1.2.3".to_owned()
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo { version: "1.2.3".to_owned(), ..PluginInfo::default() })
    }

    async fn parameterize(&self, _: &CallContext, how: Parameterize) -> Result<Parameterization, CallError> {
        match how {
            Parameterize::Value(value) => Ok(value),
            Parameterize::Arguments(arguments) => {
                Ok(Parameterization { name: arguments.join("-"), version: "2.0.0".to_owned(), value: Vec::new() })
            }
        }
    }

    async fn schema(&self, _: &CallContext, package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        let name = package.map_or("scripted", |package| &package.name);
        Ok(format!(r#"{{"name": "{name}"}}"#).into_bytes())
    }

    async fn configure(&self, _: &CallContext, request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        if request.inputs.contains_key("fail") {
            let mut error = error(ErrorKind::NotDone, "no token");
            error.missing_keys = vec![("token".to_owned(), "Who you are.".to_owned())];
            return Err(error);
        }
        Ok(Arc::new(ScriptedProvider {
            begun: Arc::clone(&self.begun),
            told_to_stop: Arc::clone(&self.told_to_stop),
            ends_orders: request.inputs.contains_key("endsOrders"),
        }))
    }

    async fn cancel(&self, _: &CallContext) -> Result<(), CallError> {
        self.told_to_stop.notify_one();
        Ok(())
    }

    async fn mapping(&self, _: &CallContext, key: &str, _: &str) -> Result<(String, Vec<u8>), CallError> {
        Ok((key.to_owned(), vec![1, 2, 3]))
    }
}

#[async_trait]
impl Provider for ScriptedProvider {
    fn label(&self) -> String {
        "scripted 1.2.3".to_owned()
    }

    fn ends_orders(&self) -> bool {
        self.ends_orders
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        assert_eq!(request.random_seed, [7; 32]);
        match request.resource.name() {
            "panic" => panic!("out of ink"),
            // The check waits, and is asked to stop meanwhile.
            "cancelled" => {
                self.begun.notify_one();
                cx.cancel.cancelled().await;
                return Err(error(ErrorKind::NotDone, "stopped looking"));
            }
            "blocking" => std::thread::sleep(Duration::from_millis(20)),
            _ => {}
        }
        cx.log.log(LogLevel::Info, Some(&request.resource.urn), "checking", true);
        Ok(Checked { inputs: request.news, failures: Vec::new() })
    }

    async fn plan(&self, _: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        let verdict = match (&request.prior, request.resource.name()) {
            (None, _) => Verdict::Create,
            (Some(_), "replaced") => Verdict::Replace,
            (Some(prior), _) if Some(&prior.inputs) == request.inputs.as_ref() => Verdict::Same,
            (Some(_), _) => Verdict::Update,
        };
        let predicted = request.predict.then(|| request.inputs.unwrap_or_default());
        Ok(Planned { verdict, diff: Diff::default(), predicted })
    }

    async fn apply(&self, cx: &CallContext, request: ApplyRequest) -> Outcome {
        let state =
            State { id: "id".to_owned(), inputs: request.inputs.clone(), outputs: request.inputs, ..State::default() };
        match request.resource.name() {
            "partial" => Outcome::Partial { state, reasons: vec!["half".to_owned(), "way".to_owned()] },
            "undone" => Outcome::NotDone(error(ErrorKind::TimedOut, "too slow to begin")),
            "unknown" => {
                let mut error = error(ErrorKind::Crashed, "lost it");
                error.last_words = vec!["water".to_owned()];
                Outcome::Unknown { error, last: None }
            }
            "pending" => Outcome::Pending(Ticket { handle: vec![3], ask_again_after: None }),
            "panic" => panic!("out of paper"),
            "deep" => {
                let deep = (0..60).fold(Value::Null, |inner, _| Value::Map([("a".to_owned(), inner)].into()));
                Outcome::Done(State { outputs: [("deep".to_owned(), deep)].into(), ..state })
            }
            "cancelled" => {
                self.begun.notify_one();
                cx.cancel.cancelled().await;
                // A provider's usual reaction to the request to stop: clean up, and report what is left.
                tokio::task::yield_now().await;
                Outcome::Partial { state, reasons: vec!["stopped half-way".to_owned()] }
            }
            "stopped" => {
                self.begun.notify_one();
                tokio::select! {
                    biased;
                    () = cx.cancel.cancelled() => Outcome::NotDone(error(ErrorKind::Cancelled, "given up")),
                    () = self.told_to_stop.notified() => Outcome::Partial { state, reasons: vec!["stopped".to_owned()] },
                }
            }
            _ if request.action == Action::Delete => Outcome::Done(State::default()),
            _ => Outcome::Done(state),
        }
    }

    async fn read(&self, _: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        match request.resource.name() {
            "gone" => Ok(ReadResult::Gone),
            "broken" => {
                let state = State { init_errors: vec!["not ready".to_owned()], ..request.state };
                Ok(ReadResult::Found { state, inputs_known: true, unchanged: false })
            }
            name => Ok(ReadResult::Found { inputs_known: name == "known", unchanged: false, state: request.state }),
        }
    }

    async fn import(&self, _: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        let state = State { id: request.id.clone(), inputs: text("by", &request.id), ..State::default() };
        match request.id.as_str() {
            "nothing" => Ok(Imported { resources: Vec::new() }),
            _ => Ok(Imported { resources: vec![(request.resource.ty().to_owned(), state)] }),
        }
    }

    async fn invoke(&self, _: &CallContext, request: Invoke) -> Result<Invoked, CallError> {
        match request.token.as_str() {
            "echo" => Ok(Invoked { result: request.arguments, failures: Vec::new() }),
            _ => Err(error(ErrorKind::Unsupported, "no such function")),
        }
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<(String, String, bool)>>);

impl LogSink for Heard {
    fn log(&self, _: LogLevel, urn: Option<&Urn>, message: &str, ephemeral: bool) {
        let name = urn.map(|urn| urn.name().to_owned()).unwrap_or_default();
        self.0.lock().unwrap().push((name, message.to_owned(), ephemeral));
    }
}

struct Both {
    plugin: Arc<PulumiPlugin>,
    heard: Arc<Heard>,
    begun: Arc<Notify>,
    end: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<()>,
    _engine: EngineServer,
}

async fn both() -> Both {
    let mut line = Vec::new();
    let listener = port::listen(&mut line).await.unwrap();
    let scripted = Scripted::default();
    let begun = Arc::clone(&scripted.begun);
    let (end, ended) = oneshot::channel();
    let served = tokio::spawn(super::serve(Arc::new(scripted), listener, None, async {
        let _ = ended.await;
    }));
    let heard = Arc::new(Heard::default());
    let engine = EngineServer::start(heard.clone()).await.unwrap();
    let options = ConnectOptions {
        name: "scripted".to_owned(),
        engine_address: engine.address().to_string(),
        deadlines: crate::ConnectDeadlines::default(),
        log: None,
    };
    let plugin = connect(Origin::Running(Address::of_port(port::parse(&line).unwrap())), options).await.unwrap();
    Both { plugin, heard, begun, end, served, _engine: engine }
}

impl Both {
    async fn configure(&self, inputs: PropertyMap) -> Result<Arc<dyn Provider>, CallError> {
        let urn = Urn::new("dev", "shop", None, "pulumi:providers:scripted", "default");
        self.plugin.configure(&cx(), Configure { urn, id: "id".to_owned(), inputs }).await
    }

    async fn apply(&self, name: &str, action: Action) -> Outcome {
        let provider = self.configure(PropertyMap::new()).await.unwrap();
        provider.apply(&cx(), order(name, action)).await
    }
}

fn cx() -> CallContext {
    CallContext::background()
}

fn text(key: &str, value: &str) -> PropertyMap {
    [(key.to_owned(), Value::from(value))].into()
}

fn resource(name: &str) -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("dev", "shop", None, "scripted:index:Thing", name))
}

fn order(name: &str, action: Action) -> ApplyRequest {
    let prior = State { id: "id".to_owned(), inputs: text("a", "old"), outputs: text("a", "old"), ..State::default() };
    ApplyRequest {
        resource: resource(name),
        action,
        prior: (action != Action::Create).then_some(prior),
        inputs: text("a", "new"),
        ignore_changes: Vec::new(),
        timeout: None,
    }
}

#[tokio::test]
async fn outcomes_arrive_as_they_were_meant() {
    let both = both().await;
    for action in [Action::Create, Action::Update] {
        match both.apply("fine", action).await {
            Outcome::Done(state) => assert_eq!((state.id.as_str(), state.outputs), ("id", text("a", "new"))),
            other => panic!("{other:?}"),
        }
        match both.apply("partial", action).await {
            Outcome::Partial { state, reasons } => {
                assert_eq!((state.id.as_str(), state.outputs), ("id", text("a", "new")));
                assert_eq!(reasons, ["half", "way"]);
            }
            other => panic!("{other:?}"),
        }
        assert!(
            matches!(both.apply("undone", action).await, Outcome::NotDone(error) if error.message == "too slow to begin")
        );
        // A process behind the plugin has died: the message names it, the call and the end of its stderr.
        let said = "scripted, call: lost it\nThe end of its stderr:\nwater";
        assert!(matches!(both.apply("unknown", action).await, Outcome::Unknown { error, .. } if error.message == said));
        let panicked = both.apply("panic", action).await;
        assert!(
            matches!(&panicked, Outcome::Unknown { error, .. } if error.message.contains("out of paper")),
            "{panicked:?}"
        );
    }
    let pending = both.apply("pending", Action::Create).await;
    assert!(
        matches!(&pending, Outcome::Unknown { error, .. } if error.message.contains("still under way")),
        "{pending:?}"
    );
    assert!(matches!(both.apply("fine", Action::Delete).await, Outcome::Done(_)));
    assert!(matches!(both.apply("undone", Action::Delete).await, Outcome::NotDone(_)));
}

#[tokio::test]
async fn checks_may_wait_and_fail_and_block() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let check = |name: &str| {
        let provider = Arc::clone(&provider);
        let request = CheckRequest {
            resource: resource(name),
            olds: None,
            news: text("a", name),
            random_seed: [7; 32],
            autonaming: None,
            preview: false,
        };
        tokio::spawn(async move { provider.check(&cx(), request).await })
    };
    let waits = check("cancelled");
    both.begun.notified().await;
    // Checks that wait or panic do not hold up others; ones that block do not lose each other's answers.
    let blocking: Vec<_> = (0..10).map(|_| check("blocking")).collect();
    let error = check("panic").await.unwrap().unwrap_err();
    assert!(error.message.contains("out of ink"), "{error}");
    assert_eq!(check("fine").await.unwrap().unwrap().inputs, text("a", "fine"));
    for check in blocking {
        assert_eq!(check.await.unwrap().unwrap().inputs, text("a", "blocking"));
    }
    both.plugin.cancel(&cx()).await.unwrap();
    let error = waits.await.unwrap().unwrap_err();
    assert!(error.message.contains("stopped looking"), "{error}");
}

#[tokio::test]
async fn what_cannot_be_sent_does_not_lose_the_resource() {
    match both().await.apply("deep", Action::Create).await {
        Outcome::Partial { state, reasons } => {
            assert_eq!(state.id, "id");
            assert!(reasons.concat().contains("nested too deeply"), "{reasons:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn plans_keep_their_verdict() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    for (name, new, expected) in
        [("same", "old", Verdict::Same), ("changed", "new", Verdict::Update), ("replaced", "new", Verdict::Replace)]
    {
        let prior = State { id: "id".to_owned(), inputs: text("a", "old"), ..State::default() };
        let inputs = Some(text("a", new));
        let request = PlanRequest {
            resource: resource(name),
            prior: Some(prior),
            inputs,
            ignore_changes: Vec::new(),
            predict: false,
            timeout: None,
        };
        assert_eq!(provider.plan(&cx(), request).await.unwrap().verdict, expected, "{name}");
    }
    let inputs: PropertyMap = [("a".to_owned(), Value::secret(Value::Unknown))].into();
    let request = PlanRequest {
        resource: resource("new"),
        prior: None,
        inputs: Some(inputs.clone()),
        ignore_changes: Vec::new(),
        predict: true,
        timeout: None,
    };
    assert_eq!(provider.plan(&cx(), request).await.unwrap().predicted, Some(inputs));
}

#[tokio::test]
async fn reads_tell_gone_from_broken_and_import_needs_only_an_id() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let read = async |name: &str| {
        let state = State { id: "id".to_owned(), inputs: text("a", "b"), outputs: text("a", "b"), ..State::default() };
        provider.read(&cx(), ReadRequest { resource: resource(name), state, timeout: None }).await.unwrap()
    };
    assert!(matches!(read("gone").await, ReadResult::Gone));
    assert!(matches!(read("known").await, ReadResult::Found { inputs_known: true, .. }));
    assert!(matches!(read("silent").await, ReadResult::Found { inputs_known: false, .. }));
    assert!(matches!(read("broken").await, ReadResult::Found { state, .. } if state.init_errors == ["not ready"]));
    let import = async |id: &str| {
        let request = ImportRequest { resource: resource("x"), id: id.to_owned(), timeout: None };
        provider.import(&cx(), request).await
    };
    let imported = import("there").await.unwrap();
    assert_eq!(imported.resources.len(), 1);
    assert_eq!(imported.resources[0].1.inputs, text("by", "there"));
    assert!(import("nothing").await.unwrap_err().message.contains("there is no scripted:index:Thing"));
}

#[tokio::test]
async fn a_cancelled_call_may_say_what_it_reached() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let (outcome, ()) =
        tokio::join!(async { provider.apply(&cx(), order("cancelled", Action::Create)).await }, async {
            both.begun.notified().await;
            both.plugin.cancel(&cx()).await.unwrap();
        });
    assert!(matches!(&outcome, Outcome::Partial { reasons, .. } if reasons == &["stopped half-way"]), "{outcome:?}");
    // Only running calls were cancelled.
    assert!(matches!(both.apply("fine", Action::Create).await, Outcome::Done(_)));
}

#[tokio::test]
async fn a_limit_asks_to_stop() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let order = ApplyRequest { timeout: Some(Duration::from_millis(1)), ..order("cancelled", Action::Create) };
    let outcome = provider.apply(&cx(), order).await;
    assert!(matches!(&outcome, Outcome::Partial { .. }), "{outcome:?}");
}

/// Even when it is asked to hurry: only its own answer shows what exists.
#[tokio::test]
async fn who_ends_orders_itself_is_waited_for() {
    let ends_orders = || text("endsOrders", "yes");
    let order = || ApplyRequest { timeout: Some(Duration::from_millis(1)), ..order("stopped", Action::Create) };
    let stopped = |outcome: &Outcome| matches!(outcome, Outcome::Partial { reasons, .. } if reasons == &["stopped"]);

    let both = both().await;
    let provider = both.configure(ends_orders()).await.unwrap();
    let (outcome, ()) = tokio::join!(async { provider.apply(&cx(), order()).await }, async {
        both.begun.notified().await;
        both.plugin.cancel(&cx()).await.unwrap();
    });
    assert!(stopped(&outcome), "{outcome:?}");

    let Both { begun, end, served, .. } = both;
    let (outcome, ()) = tokio::join!(async { provider.apply(&cx(), order()).await }, async {
        begun.notified().await;
        end.send(()).unwrap();
    });
    assert!(stopped(&outcome), "{outcome:?}");
    drop((provider, both.plugin));
    served.await.unwrap();
}

#[tokio::test]
async fn the_end_waits_for_answers() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let Both { begun, end, served, .. } = both;
    let (outcome, ()) =
        tokio::join!(async { provider.apply(&cx(), order("cancelled", Action::Create)).await }, async {
            begun.notified().await;
            end.send(()).unwrap();
        });
    assert!(matches!(&outcome, Outcome::Partial { .. }), "{outcome:?}");
    drop((provider, both.plugin));
    served.await.unwrap();
}

#[tokio::test]
async fn it_says_that_it_is_healthy() {
    let mut line = Vec::new();
    let listener = port::listen(&mut line).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (end, ended) = oneshot::channel::<()>();
    let served = tokio::spawn(super::serve(Arc::new(Scripted::default()), listener, None, async {
        let _ = ended.await;
    }));
    assert!(super::engine_is_there(&address).await);
    end.send(()).unwrap();
    served.await.unwrap();
    assert!(!super::engine_is_there(&address).await);
    assert!(!super::engine_is_there("nonsense").await);
}

#[tokio::test]
async fn messages_come_before_the_answer() {
    let both = both().await;
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let request = CheckRequest {
        resource: resource("talkative"),
        olds: None,
        news: text("a", "b"),
        random_seed: [7; 32],
        autonaming: None,
        preview: false,
    };
    provider.check(&cx(), request).await.unwrap();
    let heard = both.heard.0.lock().unwrap().clone();
    assert_eq!(heard, [("talkative".to_owned(), "checking".to_owned(), true)]);
}

#[tokio::test]
async fn the_rest_of_the_calls() {
    let both = both().await;
    assert_eq!(both.plugin.info(&cx()).await.unwrap().version, "1.2.3");
    let became = both.plugin.parameterize(&cx(), Parameterize::Arguments(vec!["a".to_owned(), "b".to_owned()])).await;
    let became = became.unwrap();
    assert_eq!((became.name.as_str(), became.version.as_str()), ("a-b", "2.0.0"));
    let schema = both.plugin.schema(&cx(), Some(&became)).await.unwrap();
    assert_eq!(schema, br#"{"name": "a-b"}"#);
    let other = Parameterization { name: "other".to_owned(), ..became };
    let refused = both.plugin.schema(&cx(), Some(&other)).await.unwrap_err();
    assert!(refused.message.contains("has not become the package `other`"), "{refused}");
    assert_eq!(both.plugin.mapping(&cx(), "terraform", "").await.unwrap().1, [1, 2, 3]);
    // Not implemented: a host then asks for the one mapping.
    assert_eq!(both.plugin.mappings(&cx(), "terraform").await.unwrap(), [""]);

    let refused = both.configure(text("fail", "yes")).await.err().unwrap();
    assert_eq!(refused.missing_keys, [("token".to_owned(), "Who you are.".to_owned())]);
    let provider = both.configure(PropertyMap::new()).await.unwrap();
    let arguments: PropertyMap = [("s".to_owned(), Value::secret("k".into()))].into();
    let invoke = |token: &str| Invoke { token: token.to_owned(), arguments: arguments.clone(), preview: false };
    assert_eq!(provider.invoke(&cx(), invoke("echo")).await.unwrap().result, arguments);
    assert_eq!(provider.invoke(&cx(), invoke("none")).await.unwrap_err().kind, ErrorKind::Unsupported);
}
