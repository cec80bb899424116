//! Plans for changed inputs, and predicted outputs.

use outrigger_sdk::testing::{Harness, Made};
use outrigger_sdk::{PropertyMap, Value};

use crate::toys::{Robot, World, map, owner, package, properties};

async fn robot() -> (Harness, Made) {
    let harness = Harness::new(package(&World::default()), owner()).await.unwrap();
    let made = harness.create::<Robot>("bob", inputs([])).await.unwrap();
    (harness, made)
}

fn inputs<const N: usize>(more: [(&str, Value); N]) -> PropertyMap {
    let mut all = properties([
        ("model", "R2".into()),
        ("stand", map([("height", 1.0.into()), ("wood", "oak".into())])),
        ("paint", Value::List(vec!["red".into()])),
    ]);
    all.extend(properties(more));
    all
}

/// The verdict, and every change with its kind.
async fn plan(new: PropertyMap) -> (String, Vec<String>) {
    let (harness, made) = robot().await;
    let planned = harness.plan(&made, new).await.unwrap();
    let detailed = planned.diff.detailed.unwrap();
    assert!(detailed.values().all(|change| change.input));
    let detailed = detailed.iter().map(|(path, change)| format!("{path} {:?}", change.kind)).collect();
    (format!("{:?}", planned.verdict), detailed)
}

#[tokio::test]
async fn changes_are_found_where_they_are() {
    let none: [&str; 0] = [];
    let expect = |(verdict, changes): (String, Vec<String>), wanted: &str, all: &[&str]| {
        assert_eq!((verdict.as_str(), changes.iter().map(String::as_str).collect::<Vec<_>>()), (wanted, all.to_vec()));
    };
    expect(plan(inputs([])).await, "Same", &none);
    expect(plan(inputs([("arms", 3.0.into())])).await, "Update", &["arms Update"]);
    expect(plan(inputs([("model", "R3".into())])).await, "Replace", &["model UpdateReplace"]);
    expect(plan(inputs([("model", Value::Unknown)])).await, "Replace", &["model UpdateReplace"]);
    // Marks inside of an object count, secret marks do not.
    let stand = map([("height", Value::secret(1.0.into())), ("wood", "pine".into())]);
    expect(plan(inputs([("stand", stand)])).await, "Update", &["stand.wood Update"]);
    let stand = map([("height", 2.0.into())]);
    expect(plan(inputs([("stand", stand)])).await, "Replace", &["stand.height UpdateReplace"]);
    let more = map([("height", 1.0.into()), ("beside", Value::List(vec![map([("height", 1.0.into())])]))]);
    expect(plan(inputs([("stand", more)])).await, "Update", &["stand.beside Add"]);
    let paint = Value::List(vec!["deep-blue".into(), "red".into()]);
    expect(plan(inputs([("paint", paint)])).await, "Update", &["paint[0] Update", "paint[1] Add"]);
    expect(plan(inputs([("paint", Value::Null)])).await, "Update", &["paint Delete"]);
    // The author's word is the last.
    expect(plan(inputs([("weight", 1.0.into())])).await, "Same", &none);
    expect(plan(inputs([("arms", 1.0.into())])).await, "Replace", &["arms UpdateReplace"]);
}

#[tokio::test]
async fn a_new_default_is_no_change() {
    let (harness, mut made) = robot().await;
    made.state.inputs.remove("arms");
    assert_eq!(format!("{:?}", harness.plan(&made, inputs([])).await.unwrap().verdict), "Same");
}

#[tokio::test]
async fn a_replacement_says_its_order_and_what_stays() {
    let (harness, made) = robot().await;
    let diff = harness.plan(&made, inputs([("model", "R3".into())])).await.unwrap().diff;
    assert!(diff.delete_before_replace);
    assert_eq!((diff.changed_keys, diff.replace_keys), (vec!["model".to_owned()], vec!["model".to_owned()]));
    assert_eq!(diff.stable_keys, ["serial"]);
}

#[tokio::test]
async fn previews_keep_what_is_known() {
    let (harness, made) = robot().await;
    let preview = harness.preview::<Robot>("new", inputs([("password", "x".into())])).await.unwrap();
    let expected = properties([
        ("model", "R2".into()),
        ("arms", 2.0.into()),
        ("password", Value::secret("x".into())),
        ("serial", Value::Unknown),
        ("changes", Value::Unknown),
        ("limbs", 4.0.into()),
    ]);
    assert_eq!(preview, expected);
    let unknown = harness.preview::<Robot>("new", inputs([("arms", Value::Unknown)])).await.unwrap();
    assert_eq!((&unknown["arms"], &unknown["limbs"]), (&Value::Unknown, &Value::Unknown));
    let planned = harness.plan(&made, inputs([("arms", 5.0.into())])).await.unwrap().predicted.unwrap();
    let expected = properties([
        ("model", "R2".into()),
        ("arms", 5.0.into()),
        ("serial", 1.0.into()),
        ("changes", Value::Unknown),
        ("limbs", 7.0.into()),
    ]);
    assert_eq!(planned, expected);
}
