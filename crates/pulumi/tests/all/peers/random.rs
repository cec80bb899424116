//! Bridged providers: `random` and `tls`.

use std::time::Duration;

use outrigger_provider::{
    Action, ApplyRequest, CheckConfig, CheckRequest, Checked, DiffConfig, ErrorKind, ImportRequest, Outcome,
    PlanRequest, Plugin, Provider, ReadRequest, ReadResult, ResourceIdentity, State, Verdict,
};
use outrigger_pulumi::{ConnectDeadlines, ConnectOptions, EngineServer, Origin, connect};
use outrigger_transport::{Address, Process};
use outrigger_value::{PropertyMap, Urn, Value};

use super::child::{Started, cx, map, provider_urn};

fn identity(ty: &str) -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("test", "project", None, ty, "it"))
}

async fn check(provider: &dyn Provider, ty: &str, news: PropertyMap) -> Checked {
    let request = CheckRequest {
        resource: identity(ty),
        olds: None,
        news,
        random_seed: [7; 32],
        preview: false,
        autonaming: None,
    };
    provider.check(&cx(), request).await.unwrap()
}

fn plan(ty: &str, prior: Option<State>, inputs: PropertyMap, predict: bool) -> PlanRequest {
    PlanRequest { resource: identity(ty), prior, inputs: Some(inputs), ignore_changes: vec![], predict, timeout: None }
}

fn order(ty: &str, action: Action, prior: Option<State>, inputs: PropertyMap) -> ApplyRequest {
    ApplyRequest {
        resource: identity(ty),
        action,
        prior,
        inputs,
        ignore_changes: vec![],
        timeout: Some(Duration::from_secs(60)),
    }
}

fn done(outcome: Outcome) -> State {
    match outcome {
        Outcome::Done(state) => state,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_life() {
    const TY: &str = "random:index/randomString:RandomString";
    let started = Started::new("bin", "random").await;
    let info = started.plugin.info(&cx()).await.unwrap();
    assert_eq!(started.plugin.label(), format!("random {}", info.version).trim());
    let schema = started.plugin.schema(&cx(), None).await.unwrap();
    assert!(String::from_utf8(schema).unwrap().contains(TY));

    let news = map(&[("version", "4.0.0".into())]);
    let config = CheckConfig { urn: provider_urn("random"), olds: PropertyMap::new(), news: news.clone() };
    let config = started.plugin.check_config(&cx(), config).await.unwrap();
    assert_eq!((config.inputs.get("version"), config.failures.len()), (news.get("version"), 0));
    let provider = started.configured("random", &[("version", "4.0.0".into())]).await;

    // A secret input stays secret; a wrong one is refused by name.
    let checked = check(&*provider, TY, map(&[("length", Value::secret(12.0.into()))])).await;
    assert!(checked.failures.is_empty(), "{:?}", checked.failures);
    assert_eq!(checked.inputs["length"], Value::secret(12.0.into()));
    let refused = check(&*provider, TY, map(&[("lenght", 12.0.into())])).await;
    assert!(!refused.failures.is_empty());

    // A preview knows the inputs, and leaves the rest unknown.
    let planned = provider.plan(&cx(), plan(TY, None, checked.inputs.clone(), true)).await.unwrap();
    assert_eq!(planned.verdict, Verdict::Create);
    assert!(planned.predicted.unwrap()["result"].contains_unknown());

    let state = done(provider.apply(&cx(), order(TY, Action::Create, None, checked.inputs.clone())).await);
    let result = state.outputs["result"].bare().as_str().unwrap().to_owned();
    assert_eq!((result.len(), &state.inputs), (12, &checked.inputs));
    assert!(!state.id.is_empty());

    let same = provider.plan(&cx(), plan(TY, Some(state.clone()), checked.inputs, false)).await.unwrap();
    assert_eq!(same.verdict, Verdict::Same);
    let longer = check(&*provider, TY, map(&[("length", 13.0.into())])).await.inputs;
    let replace = provider.plan(&cx(), plan(TY, Some(state.clone()), longer, true)).await.unwrap();
    assert_eq!(replace.verdict, Verdict::Replace);
    assert!(replace.diff.replace_keys.iter().any(|path| path == "length"), "{:?}", replace.diff);

    let request = ReadRequest { resource: identity(TY), state: state.clone(), timeout: None };
    let ReadResult::Found { state: read, inputs_known, .. } = provider.read(&cx(), request).await.unwrap() else {
        panic!("it is gone");
    };
    assert_eq!((&read.id, inputs_known), (&state.id, true));

    let import = ImportRequest { resource: identity(TY), id: "imported".to_owned(), timeout: None };
    let imported = provider.import(&cx(), import).await.unwrap().resources.remove(0).1;
    assert_eq!(imported.outputs["result"].bare().as_str(), Some("imported"));

    assert_eq!(
        done(provider.apply(&cx(), order(TY, Action::Delete, Some(state), PropertyMap::new())).await),
        State::default()
    );
    started.plugin.cancel(&cx()).await.unwrap();
}

#[tokio::test]
async fn a_secret_is_marked_by_the_plugin_itself() {
    const TY: &str = "random:index/randomPassword:RandomPassword";
    let started = Started::new("bin", "random").await;
    let provider = started.configured("random", &[]).await;
    let inputs = check(&*provider, TY, map(&[("length", 12.0.into())])).await.inputs;
    let state = done(provider.apply(&cx(), order(TY, Action::Create, None, inputs)).await);
    // The schema says that the result is secret, and the plugin marks it itself.
    assert!(matches!(state.outputs["result"], Value::Secret(_)));
}

#[tokio::test]
async fn a_configuration_that_is_not_known_asks_nothing() {
    const TY: &str = "random:index/randomString:RandomString";
    let started = Started::new("bin", "random").await;
    let provider = started.configured("random", &[("region", Value::Unknown)]).await;
    assert!(provider.unconfigured());
    let nonsense = map(&[("nonsense", true.into())]);
    assert_eq!(check(&*provider, TY, nonsense.clone()).await.inputs, nonsense);
    let planned = provider.plan(&cx(), plan(TY, None, nonsense, true)).await.unwrap();
    assert_eq!(planned.predicted, Some(PropertyMap::new()));
}

#[tokio::test]
async fn another_real_plugin_makes_a_key() {
    const TY: &str = "tls:index/privateKey:PrivateKey";
    let started = Started::new("bin", "tls").await;
    let provider = started.configured("tls", &[]).await;
    let inputs = check(&*provider, TY, map(&[("algorithm", "ED25519".into())])).await.inputs;
    let state = done(provider.apply(&cx(), order(TY, Action::Create, None, inputs)).await);
    assert!(state.outputs["publicKeyOpenssh"].bare().as_str().unwrap().starts_with("ssh-ed25519"));
    assert!(matches!(state.outputs["privateKeyPem"], Value::Secret(_)));
}

#[tokio::test]
async fn a_killed_plugin_is_a_crash_and_later_calls_are_not_made() {
    const TY: &str = "random:index/randomString:RandomString";
    let started = Started::new("bin", "random").await;
    let provider = started.configured("random", &[]).await;
    started.process.kill();
    started.process.exited().await;
    let mut kinds = Vec::new();
    for _ in 0..3 {
        let inputs = map(&[("length", 12.0.into())]);
        match provider.apply(&cx(), order(TY, Action::Create, None, inputs)).await {
            Outcome::NotDone(error) | Outcome::Unknown { error, .. } => {
                assert!(error.message.contains("ended"), "{error}");
                kinds.push(error.kind);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kinds[1..], [ErrorKind::NotDone, ErrorKind::NotDone]);
}

#[tokio::test]
async fn a_plugin_is_attached_to_by_port() {
    let started = Started::new("bin", "random").await;
    let outrigger_transport::FirstLine::Line(line) = started.process.first_line().await else { panic!("no port") };
    let port = outrigger_transport::port::parse(&line).unwrap();
    let engine = EngineServer::start(started.log.clone()).await.unwrap();
    let options = ConnectOptions {
        name: "random".to_owned(),
        engine_address: engine.address().to_string(),
        deadlines: ConnectDeadlines::default(),
        log: None,
    };
    let plugin = connect(Origin::Running(Address::of_port(port)), options).await.unwrap();
    assert!(plugin.process().is_none());
    assert!(!plugin.schema(&cx(), None).await.unwrap().is_empty());
}

#[tokio::test]
async fn configurations_are_compared_and_names_mapped() {
    let started = Started::new("bin", "random").await;
    let compare = |news| DiffConfig {
        urn: provider_urn("random"),
        id: "id".to_owned(),
        old_inputs: map(&[("version", "4.0.0".into())]),
        old_outputs: map(&[("version", "4.0.0".into())]),
        news,
        ignore_changes: vec![],
    };
    let same = started.plugin.diff_config(&cx(), compare(map(&[("version", "4.0.0".into())]))).await.unwrap();
    assert!(same.changed_keys.is_empty() && same.replace_keys.is_empty(), "{same:?}");

    // The mapping from the inner Terraform provider's names to Pulumi's: for converters.
    assert_eq!(started.plugin.mappings(&cx(), "terraform").await.unwrap(), ["random"]);
    let (provider, mapping) = started.plugin.mapping(&cx(), "terraform", "random").await.unwrap();
    let mapping: serde_json::Value = serde_json::from_slice(&mapping).unwrap();
    assert_eq!((provider.as_str(), mapping["name"].as_str()), ("random", Some("random")));
    assert_eq!(started.plugin.mapping(&cx(), "nothing", "").await.unwrap(), (String::new(), Vec::new()));
}
