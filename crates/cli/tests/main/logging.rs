//! The log: off unless it is asked for, and without secrets.

use std::fs;

use crate::sandbox::Sandbox;

/// Long enough to be hidden, and the name of a resource: names are logged.
const SECRET: &str = "hush-4711-hush";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_stack(&format!(
        "name: logged\nruntime: yaml\nconfig:\n  word: {{type: string}}\nresources:\n  page:\n    type: kit:fs:File\n    properties: {{path: page, \
         content: text}}\n  {SECRET}:\n    type: kit:fs:File\n    properties: {{path: other, content: '${{word}}'}}\n"
    ));
    sandbox.outrigger(&["config", "set", "--secret", "word", SECRET]).ok();
    sandbox
}

#[test]
fn nothing_is_logged_by_default() {
    let up = sandbox().outrigger(&["up", "--yes"]).ok();
    assert!(!up.text().contains("outrigger_"), "{}", up.text());
}

#[test]
fn spans_go_from_the_command_to_the_call_and_show_no_secret() {
    let mut sandbox = sandbox();
    let up = sandbox.outrigger(&["up", "--yes", "-vv"]).ok();
    let call = |line: &&str| {
        let parts =
            ["command name=up: register type=kit:fs:File name=page: apply urn=", ": call plugin=kit", " method=Create"];
        parts.iter().all(|part| line.contains(part))
    };
    let ended = up.stderr.lines().filter(call).any(|line| line.contains(": ended after "));
    assert!(ended, "{}", up.stderr);
    assert!(
        ["start plugin=kit", "command name=up: journal bytes=", "command name=up: checkpoint"]
            .iter()
            .all(|part| up.stderr.contains(part)),
        "{}",
        up.stderr
    );
    assert!(up.stderr.contains("name=[secret]") && !up.stderr.contains(SECRET), "{}", up.stderr);

    sandbox.set("OUTRIGGER_LOG", Some("outrigger_engine=debug"));
    sandbox.set("OUTRIGGER_LOG_FILE", Some("log"));
    let refresh = sandbox.outrigger(&["destroy", "--yes"]).ok();
    assert!(!refresh.text().contains("outrigger_"), "{}", refresh.text());
    let log = sandbox.read("log");
    assert!(log.contains("action=Delete") && !log.contains("command"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}

#[test]
fn a_log_that_cannot_be_is_said() {
    let mut sandbox = sandbox();
    sandbox.set("OUTRIGGER_LOG", Some("loud"));
    sandbox.outrigger(&["stack"]).failed().says(&["error[log-filter]", "OUTRIGGER_LOG"]);
    sandbox.set("OUTRIGGER_LOG", Some("debug"));
    fs::create_dir(sandbox.path("project/log")).unwrap();
    sandbox.set("OUTRIGGER_LOG_FILE", Some("log"));
    sandbox.outrigger(&["stack"]).failed().says(&["error[log-file]", "OUTRIGGER_LOG_FILE"]);
}
