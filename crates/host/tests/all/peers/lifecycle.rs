//! Real plugins from start to end.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_provider::{PluginDescriptor, Plugins};
use outrigger_pulumi::Attached;

use crate::support::place::peer;
use crate::support::{InRun, Scratch, configuration, cx, processes_in, pulumi};

#[tokio::test]
async fn plugins_start_at_the_same_time() {
    let scratch = Scratch::new();
    // Each waits for the other: one after another they would never start.
    let script = |own: &str, other: &str| {
        let wait = format!("touch {own}; while [ ! -e {other} ]; do :; done; exec $REAL \"$@\"");
        scratch.script(own, &wait)
    };
    let both = [script("one", "two"), script("two", "one")];
    let host = scratch.host();
    host.prefetch(&both);
    for descriptor in &both {
        host.load(&cx(), descriptor).await.unwrap();
    }
    assert_eq!(processes_in(&scratch.path()).len(), 2, "a prefetched plugin is the one that is loaded");
    host.shutdown().await;
}

#[tokio::test]
async fn an_obedient_plugin_ends_at_once() {
    let scratch = Scratch::new();
    let (random, tls) = (scratch.real("random"), scratch.real("tls"));
    let host = scratch.host();
    host.prefetch(&[random.clone(), tls.clone()]);
    let random = host.load(&cx(), &random).await.unwrap();
    let tls = host.load(&cx(), &tls).await.unwrap();
    assert!(
        random.label().starts_with("random ") && tls.label().starts_with("tls"),
        "{} {}",
        random.label(),
        tls.label()
    );
    host.cancel().await;
    let begin = Instant::now();
    host.shutdown().await;
    let took = begin.elapsed();
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
    // The grace period is 5 s; a shutdown that waits for it takes far longer than this, even on a busy machine.
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn an_equal_configuration_finds_its_process_again() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = scratch.host();
    let one = host.load(&cx(), &random).await.unwrap();
    one.configure(&cx(), configuration("one")).await.unwrap();
    let two = host.load(&cx(), &random).await.unwrap();
    two.configure(&cx(), configuration("two")).await.unwrap();
    let both = processes_in(&scratch.path());
    assert_eq!(both.len(), 2, "one process for each instance");
    drop((one, two));

    // The update comes in another order than the preview, and each request finds its own plugin.
    let two = host.load(&cx(), &random).await.unwrap();
    two.configure(&cx(), configuration("two")).await.unwrap();
    let one = host.load(&cx(), &random).await.unwrap();
    one.configure(&cx(), configuration("one")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()), both, "nothing was started");

    // A process is never configured with a second configuration.
    let changed = host.load(&cx(), &random).await.unwrap();
    changed.configure(&cx(), configuration("three")).await.unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 3);
    host.shutdown().await;
}

#[tokio::test]
async fn a_changed_executable_is_started_anew() {
    let scratch = Scratch::new();
    let demo = scratch.script("demo", "exec $REAL \"$@\"");
    let host = scratch.host();
    let plugin = host.load(&cx(), &demo).await.unwrap();
    let before = processes_in(&scratch.path());
    drop(plugin);
    scratch.script("demo", "exec $REAL \"$@\" # a new build");
    host.load(&cx(), &demo).await.unwrap();
    assert_ne!(processes_in(&scratch.path()), before);
    host.shutdown().await;
}

#[tokio::test]
async fn attaches_to_a_plugin_that_runs_already() {
    let scratch = Scratch::new();
    let mut plugin = Command::new(peer("bin/pulumi-resource-random"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(plugin.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut options = scratch.options();
    let plugins = Attached::parse(&format!("random:{}", line.trim())).unwrap();
    options.protocols.insert(0, Arc::new(Attached { plugins, call_log: None }));
    let host = InRun::new(&scratch.path(), options);
    let random = PluginDescriptor::named("random", None);
    let attached = host.load(&cx(), &random).await.unwrap();
    attached.configure(&cx(), configuration("default")).await.unwrap();
    assert_eq!(host.schema(&cx(), &random).await.unwrap().name(), "random");
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0], "nothing was started");
    host.shutdown().await;
    assert!(plugin.try_wait().unwrap().is_none(), "what we did not start we do not end");
    plugin.kill().unwrap();
    plugin.wait().unwrap();
}

#[tokio::test]
async fn another_version_in_path_is_used_and_said_once() {
    let scratch = Scratch::new();
    let mut random = scratch.real("random");
    random.version = Some("99.0.0".to_owned());
    let host = scratch.host();
    host.load(&cx(), &random).await.unwrap();
    host.load(&cx(), &random).await.unwrap();
    let warnings = host.warnings();
    assert_eq!(warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), ["plugin-other-version"]);
    assert!(host.warnings().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn the_conformance_providers_start_all_at_once() {
    let scratch = Scratch::new();
    let mut options = scratch.options();
    options.protocols = pulumi(peer("conformance"));
    let host = InRun::new(&scratch.path(), options);
    let names = ["simple", "primitive", "secret", "config", "alpha"];
    let descriptors: Vec<_> = names.iter().map(|name| PluginDescriptor::named(*name, None)).collect();
    host.prefetch(&descriptors);
    for (name, descriptor) in names.iter().zip(&descriptors) {
        assert_eq!(host.schema(&cx(), descriptor).await.unwrap().name(), *name);
        host.load(&cx(), descriptor).await.unwrap();
    }
    assert_eq!(processes_in(&scratch.path()).len(), names.len());
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0]);
}
