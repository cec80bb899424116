//! Plugins that misbehave.

use std::fs;
use std::time::Duration;

use futures::FutureExt;
use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, HostOptions};
use outrigger_provider::{ErrorKind, NoLog, Plugins};

use crate::support::{PATIENCE, Scratch, configuration, cx, processes_in, sigkill};

async fn refused(scratch: &Scratch, script: &str, change: impl FnOnce(&mut HostOptions)) -> Diagnostic {
    let descriptor = scratch.script("demo", script);
    let mut options = scratch.options();
    change(&mut options);
    let host = Host::new(options, std::sync::Arc::new(NoLog)).unwrap();
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
    assert_eq!(error.notes, ["The plugin's last words:\npanic: no luck"]);
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
async fn a_flood_neither_blocks_nor_fills_memory() {
    let scratch = Scratch::new();
    // Nobody would ever see the port if stderr were not drained.
    let flood = "head -c 100000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2; echo done >&2; exec $REAL \"$@\"";
    let descriptor = scratch.script("demo", flood);
    let host = scratch.host();
    host.load(&cx(), &descriptor).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn a_plugin_that_ignores_the_interrupt_is_killed_with_its_children() {
    let scratch = Scratch::new();
    // What a shell ignores, the programs that it becomes ignore too.
    let descriptor = scratch.script("demo", "trap '' INT\nsleep 1000 >/dev/null 2>&1 &\nexec $REAL \"$@\"");
    let mut options = scratch.options();
    options.deadlines.grace = Duration::from_millis(200);
    let host = Host::new(options, std::sync::Arc::new(NoLog)).unwrap();
    host.load(&cx(), &descriptor).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 2);
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
    let late = host.load(&cx(), &descriptor).await.err().unwrap();
    assert_eq!(late.code, "host-closing");
}

#[tokio::test]
async fn a_crash_is_reported_with_last_words_and_the_next_load_starts_anew() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "echo 'famous last words' >&2; exec $REAL \"$@\"");
    let host = scratch.host();
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    let process = processes_in(&scratch.path())[0];
    sigkill(process);
    let error = plugin.schema(&cx(), None).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Crashed | ErrorKind::NotDone), "{error:?}");
    assert_eq!(error.last_words, ["famous last words"]);
    host.release(plugin).await;
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    assert!(!plugin.schema(&cx(), None).await.unwrap().is_empty());
    assert_ne!(processes_in(&scratch.path()), [process]);
    host.shutdown().await;
}

#[tokio::test]
async fn the_engines_secrets_are_withheld() {
    let scratch = Scratch::new();
    let error = refused(&scratch, "env > environment; exit 1", |options| {
        options.environment.push(("PULUMI_CONFIG_PASSPHRASE".into(), "canary".into()));
        options.environment.push(("PULUMI_ACCESS_TOKEN".into(), "canary".into()));
        options.project.name = "shop".into();
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

/// One that is configured needs a second process for another configuration, and that one does not come up.
#[tokio::test]
async fn a_cancelled_configuration_does_not_wait_for_a_start() {
    let scratch = Scratch::new();
    let descriptor = scratch.script("demo", "[ -e started ] && exec sleep 1000\ntouch started\nexec $REAL \"$@\"");
    let host = scratch.host();
    let plugin = host.load(&cx(), &descriptor).await.unwrap();
    plugin.configure(&cx(), configuration("one")).await.unwrap();
    let given_up = cx();
    let cancel = async { given_up.cancel.cancel() };
    let stop = async { host.cancel_all().await };
    for (cx, end) in [(given_up.clone(), cancel.boxed()), (cx(), stop.boxed())] {
        let configured = tokio::time::timeout(PATIENCE, plugin.configure(&cx, configuration("two")));
        let (configured, ()) = tokio::join!(configured, end);
        let error = configured.unwrap().err().unwrap();
        assert_eq!((error.kind, error.call.as_str()), (ErrorKind::Cancelled, "Configure"), "{error}");
    }
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}
