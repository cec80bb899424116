//! Refused inputs with their errors, and defaults.

use outrigger_sdk::testing::Harness;
use outrigger_sdk::{Asset, AssetSource, PropertyMap, Value};

use crate::toys::{Robot, World, map, owner, package, properties};

async fn check(inputs: PropertyMap) -> (PropertyMap, Vec<String>) {
    let harness = Harness::new(package(&World::default()), owner()).await.unwrap();
    let checked = harness.check::<Robot>("bob", inputs).await.unwrap();
    let failures = checked.failures.iter().map(|failure| format!("{}: {}", failure.property, failure.reason)).collect();
    (checked.inputs, failures)
}

#[tokio::test]
async fn every_mistake_is_told_at_its_place() {
    let (_, failures) = check(properties([
        ("modle", "R2".into()),
        ("arms", "two".into()),
        ("stand", map([("height", 2.5.into()), ("beside", Value::List(vec![map([("wood", true.into())])]))])),
        ("paint", Value::List(vec!["red".into(), "deep blue".into()])),
        ("labels", map([("a.b", 1.0.into())])),
        ("manual", "manual.txt".into()),
        ("elsewhere", Value::Null),
    ]))
    .await;
    assert_eq!(
        failures,
        [
            "arms: expected a whole number, got a string",
            r#"labels["a.b"]: expected a string, got a number"#,
            "manual: expected an asset, got a string",
            "modle: there is no property `modle`; did you mean `model`?",
            "paint[1]: expected one of `red`, `deep-blue`, got `deep blue`; did you mean `deep-blue`?",
            "stand.beside[0].wood: expected a string, got a boolean",
            "stand.beside[0].height: it is required: How high it is",
            "stand.height: expected a whole number, got 2.5",
            "model: it is required: The name on its chest",
        ]
    );
}

#[tokio::test]
async fn numbers_must_fit_their_type() {
    let stand = map([("height", 300.0.into())]);
    let (_, failures) = check(properties([("model", "R2".into()), ("stand", stand)])).await;
    assert_eq!(failures, ["stand.height: expected a number from 0 to 255, got 300"]);
}

#[tokio::test]
async fn defaults_and_marks_are_filled_in() {
    let asset = Asset { hash: String::new(), source: AssetSource::Text("read me".to_owned()) };
    let (inputs, failures) = check(properties([
        ("model", Value::secret("R2".into())),
        ("password", "sesame".into()),
        ("token", "t".into()),
        ("stand", map([("height", 3.0.into())])),
        ("notes", map([("any", Value::List(vec![Value::secret(1.0.into())]))])),
        ("manual", Value::from(asset.clone())),
        ("labels", Value::Null),
        ("__internal", "kept".into()),
    ]))
    .await;
    assert!(failures.is_empty(), "{failures:?}");
    let expected = properties([
        ("model", Value::secret("R2".into())),
        ("arms", 2.0.into()),
        ("password", Value::secret("sesame".into())),
        ("token", Value::secret("t".into())),
        ("stand", map([("height", 3.0.into()), ("wood", "oak".into())])),
        ("notes", map([("any", Value::List(vec![Value::secret(1.0.into())]))])),
        ("manual", Value::from(asset)),
        ("__internal", "kept".into()),
    ]);
    assert_eq!(inputs, expected);
}

#[tokio::test]
async fn what_is_not_known_yet_fits_everywhere() {
    let (inputs, failures) = check(properties([
        ("model", Value::Unknown),
        ("arms", Value::Unknown),
        ("stand", Value::Unknown),
        ("paint", Value::List(vec![Value::Unknown])),
        ("password", Value::Unknown),
    ]))
    .await;
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(inputs["password"], Value::secret(Value::Unknown));
    assert_eq!(inputs["stand"], Value::Unknown);
}

#[tokio::test]
async fn the_author_may_refuse_and_complete() {
    let (_, failures) = check(properties([("model", "R2".into()), ("arms", 9.0.into())])).await;
    assert_eq!(failures, ["arms: eight are enough"]);
    let (inputs, _) = check(properties([("model", "".into())])).await;
    assert_eq!(inputs["model"], "robot-0707".into());
}

#[tokio::test]
async fn a_configuration_is_text_and_the_environment_helps() {
    let config = properties([("limit", "0".into()), ("version", "1.2.3".into())]);
    let package = package(&World::default()).environment(|name| (name == "TOYS_OWNER").then(|| "Env".to_owned()));
    let harness = Harness::new(package, config).await.unwrap();
    let refused = harness.create::<Robot>("bob", properties([("model", "R2".into())])).await.unwrap_err();
    assert!(refused.to_string().contains("Env has too many toys"), "{refused}");
}

#[tokio::test]
async fn a_wrong_configuration_is_refused_with_its_keys() {
    let wrong = properties([("limit", "many".into()), ("rom", "x".into())]);
    let refused = Harness::new(package(&World::default()), wrong).await.unwrap_err().to_string();
    for part in [
        "`limit`: expected a whole number, got a string",
        "`rom`: there is no property `rom`; did you mean `room`?",
        "`owner`: it is required: Whose toys they are (the environment variable `TOYS_OWNER` may also give it)",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
}
