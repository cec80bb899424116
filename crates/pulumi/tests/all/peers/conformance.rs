//! Pulumi's own conformance providers.

use std::fs;

use outrigger_provider::{
    Action, ApplyRequest, CheckConfig, CheckRequest, ErrorKind, Invoke, Outcome, Parameterization, Parameterize,
    PlanRequest, Plugin, Provider, ResourceIdentity, State, Verdict,
};
use outrigger_pulumi::hash_assets;
use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource, PropertyMap, Urn, Value};

use super::child::{Started, cx, map, provider_urn};

fn identity(ty: &str) -> ResourceIdentity {
    ResourceIdentity::new(Urn::new("test", "project", None, ty, "it"))
}

async fn checked(provider: &dyn Provider, ty: &str, news: PropertyMap) -> PropertyMap {
    let request = CheckRequest {
        resource: identity(ty),
        olds: None,
        news,
        random_seed: [1; 32],
        preview: false,
        autonaming: None,
    };
    let checked = provider.check(&cx(), request).await.unwrap();
    assert!(checked.failures.is_empty(), "{:?}", checked.failures);
    checked.inputs
}

async fn apply(
    provider: &dyn Provider,
    ty: &str,
    action: Action,
    prior: Option<State>,
    inputs: PropertyMap,
) -> Outcome {
    let request = ApplyRequest { resource: identity(ty), action, prior, inputs, ignore_changes: vec![], timeout: None };
    provider.apply(&cx(), request).await
}

fn done(outcome: Outcome) -> State {
    match outcome {
        Outcome::Done(state) => state,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_simple_one_has_a_whole_life() {
    const TY: &str = "simple:index:Resource";
    let started = Started::new("conformance", "simple").await;
    let version = started.plugin.info(&cx()).await.unwrap().version;

    let config = |news| CheckConfig { urn: provider_urn("simple"), olds: PropertyMap::new(), news };
    let missing = started.plugin.check_config(&cx(), config(PropertyMap::new())).await.unwrap();
    assert_eq!(missing.failures[0].reason, "missing version");
    let right = started.plugin.check_config(&cx(), config(map(&[("version", version.as_str().into())]))).await.unwrap();
    assert!(right.failures.is_empty());

    let provider = started.configured("simple", &[("version", version.as_str().into())]).await;
    let inputs = checked(&*provider, TY, map(&[("value", true.into())])).await;
    let state = done(apply(&*provider, TY, Action::Create, None, inputs).await);
    assert_eq!(state.outputs["value"], Value::Bool(true));
    let inputs = checked(&*provider, TY, map(&[("value", false.into())])).await;
    let request = PlanRequest {
        resource: identity(TY),
        prior: Some(state.clone()),
        inputs: Some(inputs.clone()),
        ignore_changes: vec![],
        predict: true,
        timeout: None,
    };
    // This plugin's Diff gives no verdict: the inputs decide.
    let planned = provider.plan(&cx(), request).await.unwrap();
    assert_eq!((planned.verdict, planned.diff.changed_keys), (Verdict::Update, vec!["value".to_owned()]));
    let state = done(apply(&*provider, TY, Action::Update, Some(state), inputs.clone()).await);
    assert_eq!((state.outputs["value"].clone(), &state.inputs), (Value::Bool(false), &inputs));
    done(apply(&*provider, TY, Action::Delete, Some(state), PropertyMap::new()).await);
}

#[tokio::test]
async fn a_failure_is_told_as_the_plugin_put_it() {
    const TY: &str = "fail_on_create:index:Resource";
    let started = Started::new("conformance", "fail_on_create").await;
    let provider = started.configured("fail_on_create", &[]).await;
    let inputs = checked(&*provider, TY, map(&[("value", false.into())])).await;
    let Outcome::Unknown { error, last: None } = apply(&*provider, TY, Action::Create, None, inputs).await else {
        panic!("a plain Go error has the code UNKNOWN, which leaves the state in doubt");
    };
    assert_eq!((error.kind, error.call.as_str()), (ErrorKind::Unknown, "Create"));
    assert!(error.message.contains("failed create"), "{error}");
    assert!(error.plugin.starts_with("fail_on_create"), "{error}");
}

#[tokio::test]
async fn a_plugin_becomes_another_package() {
    let started = Started::new("conformance", "parameterized").await;
    let wanted =
        Parameterization { name: "sub".to_owned(), version: "1.0.0".to_owned(), value: b"HelloWorld".to_vec() };
    let became = started.plugin.parameterize(&cx(), Parameterize::Value(wanted.clone())).await.unwrap();
    assert_eq!(became, wanted);
    let schema = String::from_utf8(started.plugin.schema(&cx(), Some(&became)).await.unwrap()).unwrap();
    assert!(schema.contains("sub:index:HelloWorld"), "{schema}");
    let words = Parameterize::Arguments(vec!["x".to_owned()]);
    let refused = started.plugin.parameterize(&cx(), words).await.unwrap_err();
    assert!(refused.message.contains("ParameterizeValue"), "{refused}");
    let provider = started.configured("sub", &[("version", "1.0.0".into())]).await;
    let state = done(apply(&*provider, "sub:index:HelloWorld", Action::Create, None, PropertyMap::new()).await);
    assert_eq!(state.outputs["parameterValue"], "HelloWorld".into());
}

#[tokio::test]
async fn functions_answer_and_keep_secrets() {
    let started = Started::new("conformance", "simple-invoke").await;
    let provider = started.configured("simple-invoke", &[]).await;
    let invoke = |token: &str, arguments| Invoke { token: token.to_owned(), arguments, preview: false };
    let plain = invoke("simple-invoke:index:myInvoke", map(&[("value", "hello".into())]));
    let answer = provider.invoke(&cx(), plain).await.unwrap();
    assert_eq!(answer.result["result"], "hello world".into());
    let secret = map(&[("value", "hello".into()), ("secretResponse", true.into())]);
    let answer = provider.invoke(&cx(), invoke("simple-invoke:index:secretInvoke", secret)).await.unwrap();
    assert_eq!(answer.result["response"], Value::secret("hello world".into()));
    let unknown = invoke("simple-invoke:index:nothing", PropertyMap::new());
    assert!(provider.invoke(&cx(), unknown).await.is_err());
}

#[tokio::test]
async fn assets_and_archives_arrive() {
    let started = Started::new("conformance", "asset-archive").await;
    let provider = started.configured("asset-archive", &[]).await;
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("folder")).unwrap();
    fs::write(root.path().join("folder/a.txt"), "a").unwrap();
    let asset = Value::from(Asset { hash: String::new(), source: AssetSource::Text("hello".to_owned()) });
    let folder = root.path().join("folder").display().to_string();
    let archive = Value::from(Archive { hash: String::new(), source: ArchiveSource::Path(folder) });
    for (ty, value) in [("AssetResource", asset), ("ArchiveResource", archive)] {
        let ty = format!("asset-archive:index:{ty}");
        let mut news = map(&[("value", value)]);
        hash_assets(&mut news, root.path()).unwrap();
        let inputs = checked(&*provider, &ty, news.clone()).await;
        let state = done(apply(&*provider, &ty, Action::Create, None, inputs).await);
        assert_eq!(state.outputs["value"], news["value"]);
    }
}

#[tokio::test]
async fn secrets_go_there_and_back() {
    const TY: &str = "secret:index:Resource";
    let started = Started::new("conformance", "secret").await;
    let provider = started.configured("secret", &[]).await;
    let data = Value::Map(map(&[("private", Value::secret("closed".into())), ("public", "open".into())]));
    let plain = Value::Map(map(&[("private", "closed".into()), ("public", "open".into())]));
    let news = map(&[
        ("private", Value::secret("closed".into())),
        ("public", "open".into()),
        ("privateData", Value::secret(plain)),
        ("publicData", data),
    ]);
    let inputs = checked(&*provider, TY, news.clone()).await;
    assert_eq!(inputs, news);
    let state = done(apply(&*provider, TY, Action::Create, None, inputs).await);
    assert_eq!(state.outputs["private"], Value::secret("closed".into()));
    assert_eq!(state.outputs["public"], "open".into());
    assert!(state.outputs["publicData"].contains_secret());
    assert!(!format!("{state:?}").contains("closed"));
}
