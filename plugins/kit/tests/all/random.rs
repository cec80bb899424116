//! `kit:random:*`.

use outrigger_provider::Verdict;
use outrigger_value::Value;
use serde_json::json;

use crate::stage::{Stage, is_secret, text};

#[tokio::test]
async fn values_stay_until_a_keeper_changes() {
    let stage = Stage::new().await;
    for (token, mut inputs) in [
        ("kit:random:String", json!({"length": 12})),
        ("kit:random:Password", json!({"length": 12})),
        ("kit:random:Bytes", json!({"length": 12})),
        ("kit:random:Integer", json!({"min": 1, "max": 1_000_000_000_000_i64})),
        ("kit:random:Pet", json!({"length": 4})),
        ("kit:random:Uuid", json!({})),
    ] {
        inputs["keepers"] = json!({"version": 1});
        let made = stage.create(token, inputs.clone()).await.unwrap();
        let again = stage.create(token, inputs.clone()).await.unwrap();
        assert_ne!(made.id, again.id, "{token}");
        assert_eq!(stage.read(token, &made).await.unwrap().unwrap(), made, "{token}");
        assert_eq!(stage.verdict(token, &made, inputs.clone()).await, Verdict::Same, "{token}");
        inputs["keepers"] = json!({"version": 2});
        let planned = stage.plan(token, &made, inputs).await;
        assert_eq!(planned.verdict, Verdict::Replace, "{token}");
        let result = if token == "kit:random:Bytes" { "hex" } else { "result" };
        assert_eq!(*planned.predicted.unwrap()[result].bare(), Value::Unknown, "{token}: nobody can know it before");
        stage.delete(token, &made).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_secret_is_not_in_the_id() {
    let stage = Stage::new().await;
    let password = stage.create("kit:random:Password", json!({"length": 30, "minSpecial": 30})).await.unwrap();
    assert!(is_secret(&password.outputs, "result"));
    let result = text(&password.outputs, "result");
    assert_eq!(result.len(), 30);
    assert!(result.chars().all(|letter| letter.is_ascii_punctuation()), "{result}");
    assert!(!password.id.contains(&result));
    let bytes = stage.create("kit:random:Bytes", json!({"length": 16})).await.unwrap();
    assert!(is_secret(&bytes.outputs, "hex") && is_secret(&bytes.outputs, "base64"));
    assert_eq!(text(&bytes.outputs, "hex").len(), 32);
}

#[tokio::test]
async fn imports() {
    let stage = Stage::new().await;
    let imported = stage.import("kit:random:String", "abc").await.unwrap().unwrap();
    assert_eq!(text(&imported.outputs, "result"), "abc");
    assert_eq!(stage.verdict("kit:random:String", &imported, json!({"length": 3})).await, Verdict::Same);
    let imported = stage.import("kit:random:Integer", "7,1,10").await.unwrap().unwrap();
    assert_eq!((imported.id.as_str(), &imported.outputs["result"]), ("7", &Value::Number(7.0)));
    assert_eq!(stage.verdict("kit:random:Integer", &imported, json!({"min": 1, "max": 10})).await, Verdict::Same);
    assert!(stage.import("kit:random:Integer", "7").await.unwrap_err().contains("`NUMBER,MIN,MAX`"));
    assert!(stage.import("kit:random:Integer", "11,1,10").await.unwrap_err().contains("not from 1 to 10"));
    let uuid = "0B7F4A36-12E3-4E2A-9D0B-5A2F0E6F7C11";
    assert_eq!(stage.import("kit:random:Uuid", uuid).await.unwrap().unwrap().id, uuid.to_lowercase());
    assert!(stage.import("kit:random:Uuid", "7").await.is_err());
    assert!(stage.import("kit:random:Password", "x").await.unwrap_err().contains("cannot be read by its id"));
}

#[tokio::test]
async fn contradictions_are_refused() {
    let stage = Stage::new().await;
    for (token, inputs, property) in [
        ("kit:random:String", json!({"length": 0}), "length"),
        ("kit:random:String", json!({"length": 1.5}), "length"),
        ("kit:random:String", json!({"length": 2, "minLower": 3}), "length"),
        ("kit:random:Password", json!({"length": 2, "upper": false, "minUpper": 1}), "minUpper"),
        ("kit:random:Bytes", json!({"length": 2_000_000}), "length"),
        ("kit:random:Integer", json!({"min": 2, "max": 1}), "max"),
        ("kit:random:Pet", json!({"length": 0}), "length"),
    ] {
        let refusals = stage.refusals(token, inputs.clone()).await;
        assert!(refusals.iter().any(|(refused, _)| refused == property), "{token} {inputs}: {refusals:?}");
    }
}
