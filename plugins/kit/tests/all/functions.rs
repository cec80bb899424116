//! `kit:readFile` and `kit:env`.

use std::fs;

use outrigger_value::Value;
use serde_json::json;

use crate::stage::{Stage, is_secret, text};

#[tokio::test]
async fn files_are_read() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let at = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("text"), "hello").unwrap();
    fs::write(at("bytes"), [0xff, 0]).unwrap();
    let read = stage.invoke("kit:index:readFile", json!({"path": at("text")})).await.unwrap();
    assert_eq!((text(&read, "content"), text(&read, "contentBase64")), ("hello".to_owned(), "aGVsbG8=".to_owned()));
    assert_eq!(read["size"], Value::Number(5.0));
    let read = stage.invoke("kit:index:readFile", json!({"path": at("bytes"), "secret": true})).await.unwrap();
    assert!(!read.contains_key("content"), "it is no text");
    assert!(is_secret(&read, "contentBase64") && is_secret(&read, "sha256"));
    for (path, part) in [(at("none"), "No such file"), (at(""), "regular file"), (String::new(), "cannot be empty")] {
        let refused = stage.invoke("kit:index:readFile", json!({"path": path})).await.unwrap_err();
        assert!(refused.contains(part), "{refused}");
    }
    fs::File::create(at("large")).unwrap().set_len(65 * 1024 * 1024).unwrap();
    let refused = stage.invoke("kit:index:readFile", json!({"path": at("large")})).await.unwrap_err();
    assert!(refused.contains("at most"), "{refused}");
}

#[tokio::test]
async fn variables_are_read_but_not_the_engines() {
    let stage = Stage::new().await;
    let env = |arguments| stage.invoke("kit:index:env", arguments);
    let path = env(json!({"name": "PATH"})).await.unwrap();
    assert_eq!(text(&path, "value"), std::env::var("PATH").unwrap());
    assert_eq!(path["isSet"], Value::Bool(true));
    let unset = env(json!({"name": "KIT_NOT_SET", "default": "d", "secret": true})).await.unwrap();
    assert!(is_secret(&unset, "value"));
    assert_eq!((text(&unset, "value"), &unset["isSet"]), ("d".to_owned(), &Value::Bool(false)));
    assert!(env(json!({"name": "KIT_NOT_SET"})).await.unwrap_err().contains("is not set"));
    assert!(env(json!({"name": "A=B"})).await.unwrap_err().contains("not the name"));
    for name in ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN"] {
        let refused = env(json!({"name": name, "default": "x"})).await.unwrap_err();
        assert!(refused.contains("a secret of the engine"), "{refused}");
    }
}
