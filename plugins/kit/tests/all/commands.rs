//! `kit:process:Command`.

use std::fs;
use std::time::{Duration, Instant};

use outrigger_provider::Verdict;
use outrigger_value::Value;
use serde_json::json;

use crate::stage::{Stage, is_secret, text};

const COMMAND: &str = "kit:process:Command";

/// Waits until the file has content; without any, the test fails.
async fn appears(path: &std::path::Path) -> String {
    let start = Instant::now();
    loop {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => assert!(start.elapsed() < Duration::from_secs(30), "`{}` did not appear", path.display()),
        }
        tokio::task::yield_now().await;
    }
}

fn is_running(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn creates_updates_and_deletes() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let inputs = |greeting: &str| {
        json!({
            "create": "echo made $GREETING; echo aside >&2; cat >> stdin",
            "update": ["/bin/sh", "-c", "echo changed $GREETING after $KIT_STDOUT, $KIT_STDERR"],
            "delete": "echo $KIT_STDOUT > deleted",
            "stdin": "fed",
            "environment": {"GREETING": greeting},
            "workingDirectory": root.path().to_str().unwrap(),
            "triggers": [1],
        })
    };
    let made = stage.create(COMMAND, inputs("hello")).await.unwrap();
    assert_eq!((text(&made.outputs, "stdout"), text(&made.outputs, "stderr")), ("made hello".into(), "aside".into()));
    assert_eq!(fs::read_to_string(root.path().join("stdin")).unwrap(), "fed");
    assert!(stage.said().contains(&"made hello".to_owned()), "{:?}", stage.said());
    assert_eq!(stage.verdict(COMMAND, &made, inputs("hello")).await, Verdict::Same);

    assert_eq!(stage.verdict(COMMAND, &made, inputs("bye")).await, Verdict::Update);
    let changed = stage.update(COMMAND, &made, inputs("bye")).await.unwrap();
    assert_eq!(text(&changed.outputs, "stdout"), "changed bye after made hello, aside");

    let mut slower = inputs("bye");
    slower["timeout"] = json!(60);
    assert_eq!(stage.verdict(COMMAND, &changed, slower.clone()).await, Verdict::Same);
    slower["delete"] = json!("echo $KIT_STDOUT > deleted; true");
    let same = stage.update(COMMAND, &changed, slower.clone()).await.unwrap();
    assert_eq!(same.outputs, changed.outputs, "nothing ran");

    slower["triggers"] = json!([2]);
    assert_eq!(stage.verdict(COMMAND, &same, slower).await, Verdict::Replace);
    stage.delete(COMMAND, &same).await.unwrap();
    let deleted = fs::read_to_string(root.path().join("deleted")).unwrap();
    assert_eq!(deleted, "changed bye after made hello, aside\n");
}

#[tokio::test]
async fn without_an_update_command_the_first_runs_again() {
    let stage = Stage::new().await;
    let made = stage.create(COMMAND, json!({"create": ["echo", "$HOME", "a  b"]})).await.unwrap();
    assert_eq!(text(&made.outputs, "stdout"), "$HOME a  b", "no shell looked at it");
    let changed = stage.update(COMMAND, &made, json!({"create": "echo again"})).await.unwrap();
    assert_eq!(text(&changed.outputs, "stdout"), "again");
    stage.delete(COMMAND, &changed).await.unwrap();
}

#[tokio::test]
async fn failures_say_what_the_command_said() {
    let stage = Stage::new().await;
    for (create, parts) in [
        (json!("echo one; echo two >&2; exit 3"), vec!["`create` failed with exit code 3", "two"]),
        (json!("echo only; exit 1"), vec!["exit code 1", "only"]),
        (json!("kill -9 $$"), vec!["was ended by signal 9"]),
        (json!(["/no/such/program"]), vec!["could not be started", "No such file"]),
        (json!("i-do-not-exist"), vec!["exit code 127", "not found"]),
    ] {
        let failed = stage.create(COMMAND, json!({"create": create})).await.unwrap_err();
        assert!(!failed.in_doubt, "it answered");
        for part in parts {
            assert!(failed.message.contains(part), "{}", failed.message);
        }
    }
    let failed = stage.create(COMMAND, json!({"create": "true", "workingDirectory": "/no/such"})).await.unwrap_err();
    assert!(failed.message.contains("the working directory `/no/such` does not exist"), "{}", failed.message);
    let refusals =
        stage.refusals(COMMAND, json!({"create": [], "delete": 7, "environment": {"A=": "x"}, "timeout": -1})).await;
    assert_eq!(refusals.len(), 1, "types first: {refusals:?}");
    let refusals = stage.refusals(COMMAND, json!({"create": [], "environment": {"A=": "x"}, "timeout": -1})).await;
    assert_eq!(refusals.len(), 3, "{refusals:?}");
}

#[tokio::test]
async fn what_goes_in_secret_comes_out_secret() {
    let stage = Stage::new().await;
    for inputs in [
        json!({"create": "echo canary", "secretOutput": true}),
        json!({"create": {"$secret": "echo canary"}}),
        json!({"create": "cat", "stdin": {"$secret": "canary"}}),
        json!({"create": "echo $X", "environment": {"X": {"$secret": "canary"}}}),
        json!({"create": ["echo", {"$secret": "canary"}]}),
    ] {
        let made = stage.create(COMMAND, inputs.clone()).await.unwrap();
        assert!(is_secret(&made.outputs, "stdout") && is_secret(&made.outputs, "stderr"), "{inputs}");
        assert_eq!(text(&made.outputs, "stdout"), "canary");
    }
    assert_eq!(stage.said(), Vec::<String>::new(), "nothing is shown while it runs");
    let inputs = json!({"create": "echo $X >&2; exit 1", "environment": {"X": {"$secret": "canary"}}});
    let failed = stage.create(COMMAND, inputs).await.unwrap_err().message;
    assert!(!failed.contains("canary") && failed.contains("secret and not shown"), "{failed}");
}

#[tokio::test]
async fn a_flood_is_kept_within_bounds() {
    let stage = Stage::new().await;
    let made = stage.create(COMMAND, json!({"create": "head -c 104857600 /dev/zero | tr '\\0' 'x'"})).await.unwrap();
    assert_eq!(text(&made.outputs, "stdout").len(), 1024 * 1024);
    assert_eq!(made.outputs["truncated"], Value::Bool(true));
    assert!(stage.said().iter().any(|line| line.contains("only the beginning is stored")));
    let lines = stage.create(COMMAND, json!({"create": "yes | head -c 20000000"})).await.unwrap();
    assert_eq!(lines.outputs["truncated"], Value::Bool(true));
    assert!(stage.said().len() < 500, "the engine was flooded with {} lines", stage.said().len());
}

#[tokio::test]
async fn lines_are_shown_as_wished() {
    let script = "echo one; echo; printf 'two\\nthree'; yes | head -n 2000 >&2";
    let stage = Stage::new().await;
    stage.create(COMMAND, json!({"create": script, "log": "lines"})).await.unwrap();
    let said = stage.said();
    let numbers: Vec<&String> =
        said.iter().filter(|line| !matches!(line.as_str(), "y") && !line.contains("1000")).collect();
    assert_eq!(numbers, ["one", "two", "three"]);
    assert_eq!(said.iter().filter(|line| line.as_str() == "y").count(), 1000);
    assert!(said.contains(&"(more than 1000 lines; the rest is not shown)".to_owned()));
    let stage = Stage::new().await;
    stage.create(COMMAND, json!({"create": script, "log": "none"})).await.unwrap();
    assert_eq!(stage.said(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_not_text_is_replaced() {
    let stage = Stage::new().await;
    let made = stage.create(COMMAND, json!({"create": "printf 'a\\377b'"})).await.unwrap();
    assert_eq!(text(&made.outputs, "stdout"), "a\u{fffd}b");
}

#[tokio::test]
async fn what_a_command_leaves_behind_ends_with_it() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    // One in the background that holds the output open, and one that leaves the session and its parent.
    let script = "sleep 1000 & echo $! > one; setsid sh -c 'sleep 1000 & echo $! > two; wait' & \
                  while ! [ -s two ]; do :; done; echo done";
    let inputs = json!({"create": script, "workingDirectory": root.path().to_str().unwrap()});
    let begun = Instant::now();
    let made = stage.create(COMMAND, inputs).await.unwrap();
    assert_eq!(text(&made.outputs, "stdout"), "done");
    assert!(begun.elapsed() < Duration::from_secs(60));
    for name in ["one", "two"] {
        let pid = fs::read_to_string(root.path().join(name)).unwrap();
        assert!(!is_running(pid.trim()), "{name} is still there");
    }
}

#[tokio::test]
async fn time_is_up_even_for_who_ignores_the_request() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let script = "trap '' TERM; echo deaf; echo $$ > pid; while :; do sleep 0.1; done";
    let inputs = json!({
        "create": script, "timeout": 5, "gracePeriod": 0.3, "workingDirectory": root.path().to_str().unwrap(),
    });
    let failed = stage.create(COMMAND, inputs).await.unwrap_err();
    assert!(failed.in_doubt, "nobody knows what it did until then");
    assert!(failed.message.contains("took longer than `timeout`, 5 seconds"), "{}", failed.message);
    assert!(failed.message.contains("deaf"), "{}", failed.message);
    assert!(!is_running(&appears(&root.path().join("pid")).await));
}

#[tokio::test]
async fn a_cancelled_run_ends_the_command_kindly() {
    let (stage, root) = (Stage::new().await, tempfile::tempdir().unwrap());
    let script = "trap 'echo tidied > tidied; exit 1' TERM; echo $$ > pid; while :; do sleep 0.05; done";
    let inputs = json!({"create": script, "workingDirectory": root.path().to_str().unwrap()});
    let cancel = async {
        let pid = appears(&root.path().join("pid")).await;
        stage.cx.cancel.cancel();
        pid
    };
    let (failed, pid) = tokio::join!(stage.create(COMMAND, inputs), cancel);
    let failed = failed.unwrap_err();
    assert!(failed.in_doubt && failed.message.contains("cancelled"), "{}", failed.message);
    assert_eq!(appears(&root.path().join("tidied")).await, "tidied");
    assert!(!is_running(&pid));
}

#[tokio::test]
async fn input_that_nobody_reads_holds_nothing_up() {
    let stage = Stage::new().await;
    let input = "x".repeat(1_000_000);
    let made = stage.create(COMMAND, json!({"create": "echo done", "stdin": input})).await.unwrap();
    assert_eq!(text(&made.outputs, "stdout"), "done");
    let inputs = json!({"create": "sleep 1000", "stdin": input, "timeout": 0.5});
    let failed = stage.create(COMMAND, inputs).await.unwrap_err();
    assert!(failed.message.contains("took longer"), "{}", failed.message);
    let counted = stage.create(COMMAND, json!({"create": "wc -c", "stdin": input})).await.unwrap();
    assert_eq!(text(&counted.outputs, "stdout").trim(), "1000000");
}
