//! Plugins that misbehave.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::HostOptions;
use outrigger_provider::Plugins;
use outrigger_transport::{OutputLine, OutputLines};

use crate::support::{InRun, PATIENCE, Scratch, cx, processes_in};

async fn refused(scratch: &Scratch, script: &str, change: impl FnOnce(&mut HostOptions)) -> Diagnostic {
    let descriptor = scratch.script("demo", script);
    let mut options = scratch.options();
    change(&mut options);
    let host = InRun::new(&scratch.path(), options);
    let error = host.load(&cx(), &descriptor).await.err().expect("the plugin is not usable");
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0], "a plugin that failed to start is gone");
    error
}

#[tokio::test]
async fn garbage_is_shown() {
    let error = refused(&Scratch::new(), "echo usage: demo; exec sleep 1000", |_| {}).await;
    assert_eq!(error.code, "plugin-handshake");
    assert!(error.detail.as_ref().unwrap().contains("`usage: demo`"), "{error:?}");
    assert!(error.hints[0].contains("pulumi-resource-demo"), "{error:?}");
}

#[tokio::test]
async fn silence_has_a_deadline() {
    let silent = "echo thinking >&2; sleep 1000 & wait";
    let error = refused(&Scratch::new(), silent, |options| options.deadlines.start = Duration::from_millis(300)).await;
    assert_eq!(error.code, "plugin-silent");
    assert!(error.notes[0].contains("thinking"), "{error:?}");
}

#[tokio::test]
async fn an_early_end_comes_with_last_words() {
    let error = refused(&Scratch::new(), "echo 'panic: \x1b[31mno luck' >&2; exit 3", |_| {}).await;
    assert_eq!(error.code, "plugin-crash");
    assert!(error.detail.as_ref().unwrap().contains("exited with code 3"), "{error:?}");
    assert_eq!(error.notes, ["The end of the plugin's stderr:\npanic: no luck"]);
}

#[derive(Debug, Default)]
struct Printed(Mutex<Vec<String>>);

impl OutputLines for Printed {
    fn line(&self, line: OutputLine<'_>) {
        self.0.lock().unwrap().push(String::from_utf8_lossy(line.text).into_owned());
    }
}

#[tokio::test]
async fn every_line_that_a_plugin_prints_is_handed_over() {
    let printed = Arc::new(Printed::default());
    let output = Arc::clone(&printed);
    let error =
        refused(&Scratch::new(), "echo one >&2; echo two >&2; exit 3", |options| options.output = Some(output)).await;
    assert!(error.notes[0].contains("two"), "{error:?}");
    assert_eq!(*printed.0.lock().unwrap(), ["one", "two"]);
}

#[tokio::test]
async fn a_port_and_then_an_end_is_a_crash() {
    let error = refused(&Scratch::new(), "echo 1; echo more >&2; exit 4", |_| {}).await;
    assert_eq!(error.code, "plugin-crash");
    assert!(error.notes[0].contains("more"), "{error:?}");
}

#[tokio::test]
async fn what_cannot_be_executed_is_said() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "");
    fs::write(scratch.path().join("bin/pulumi-resource-demo"), "#!/no/such/interpreter\n").unwrap();
    let error = scratch.host().load(&cx(), &descriptor).await.err().unwrap();
    assert_eq!(error.code, "plugin-start");
    assert!(error.detail.unwrap().contains("pulumi-resource-demo"));
}

#[tokio::test]
async fn the_engines_secrets_are_withheld() {
    let scratch = Scratch::new();
    let error = refused(&scratch, "env > environment; exit 1", |options| {
        options.environment.push(("PULUMI_CONFIG_PASSPHRASE".into(), "canary".into()));
        options.environment.push(("PULUMI_ACCESS_TOKEN".into(), "canary".into()));
    })
    .await;
    assert_eq!(error.code, "plugin-crash");
    let environment = fs::read_to_string(scratch.path().join("environment")).unwrap();
    assert!(environment.contains("PULUMI_PROJECT=shop") && !environment.contains("canary"), "{environment}");
}

#[tokio::test]
async fn a_cancelled_load_is_left_at_once() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "exec sleep 1000");
    let host = scratch.host();
    let cancelled = cx();
    cancelled.cancel.cancel();
    let error = tokio::time::timeout(PATIENCE, host.load(&cancelled, &descriptor)).await.unwrap().err().unwrap();
    assert_eq!(error.code, "plugin-cancelled");
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}
