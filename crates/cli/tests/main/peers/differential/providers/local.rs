use serde_json::json;

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, secret};

pub(super) const SCENARIOS: &[Listed] = &[
    ("local", "introduction", |talk| introduction(talk, json!({}))),
    ("local", "lives", lives),
    ("local", "data", data),
];

fn lives(talk: &mut Talk) {
    talk.begin(json!({}));
    let world = talk.world();
    let at = |name: &str| format!("{world}/{name}");
    talk.life(
        "File",
        "plain",
        &[
            json!({"filename": at("plain"), "content": "one"}),
            json!({"filename": at("plain"), "content": "two"}),
            json!({"filename": at("moved/plain"), "content": "two", "filePermission": "0600"}),
            json!({"filename": at("moved/plain"), "contentBase64": "dGhyZWU="}),
        ],
    );
    talk.life(
        "SensitiveFile",
        "sensitive",
        &[
            json!({"filename": at("sensitive"), "content": "hidden"}),
            json!({"filename": at("sensitive"), "content": secret(json!("hidden too"))}),
        ],
    );
    let mut file = talk.resource("File", "drifting");
    file.check(json!({"filename": at("drifting"), "content": "mine"}));
    file.create();
    talk_drift(talk, &at("drifting"));
    for inputs in [
        json!({"content": "no name"}),
        json!({"filename": at("x"), "content": "a", "contentBase64": "YQ=="}),
        json!({"filename": at("x"), "content": "a", "filePermission": "rwx"}),
        json!({"filename": at("x")}),
        json!({"filename": UNKNOWN, "content": "a"}),
        json!({"filename": at("x"), "content": UNKNOWN}),
        json!({"filename": at("x"), "sensitiveContent": "old way"}),
        json!({"filename": "/proc/no/such", "content": "a"}),
    ] {
        let mut file = talk.resource("File", "mistaken");
        file.check(inputs.clone());
        file.inputs = inputs;
        file.preview();
    }
    let mut file = talk.resource("File", "impossible");
    file.check(json!({"filename": "/proc/no/such", "content": "a"}));
    file.create();
    file.id = "some id".to_owned();
    file.import();
}

/// A file that another program changes, and then removes.
fn talk_drift(talk: &mut Talk, path: &str) {
    let mut file = talk.resource("File", "again");
    file.check(json!({"filename": path, "content": "mine"}));
    file.create();
    let (id, state, inputs) = (file.id.clone(), file.state.clone(), file.inputs.clone());
    for change in [Some("theirs"), None] {
        talk.put("drifting", change);
        let mut file = talk.resource("File", "again");
        (file.id, file.state, file.inputs) = (id.clone(), state.clone(), inputs.clone());
        file.refresh();
        file.diff_same();
    }
}

fn data(talk: &mut Talk) {
    talk.begin(json!({}));
    let world = talk.world();
    talk.put("read me", Some("some text"));
    talk.invoke("getFile", json!({"filename": format!("{world}/read me")}));
    talk.invoke("getSensitiveFile", json!({"filename": format!("{world}/read me")}));
    talk.invoke("getFile", json!({"filename": format!("{world}/nothing")}));
    talk.invoke("getFile", json!({}));
    talk.invoke("getFile", json!({"filename": UNKNOWN}));
    talk.invoke("getFile", json!({"filename": secret(json!(format!("{world}/read me")))}));
    talk.invoke("getCommand", json!({"command": "sh", "arguments": ["-c", "echo $0", "word"]}));
    talk.invoke(
        "getCommand",
        json!({"command": "sh", "arguments": ["-c", "cat; exit 3"], "stdin": "in", "allowNonZeroExitCode": true}),
    );
    talk.invoke("getCommand", json!({"command": "sh", "arguments": ["-c", "exit 3"]}));
}
