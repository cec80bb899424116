//! Schemas and their cache.

use std::fs;
use std::sync::Arc;

use outrigger_host::HostOptions;
use outrigger_provider::{PluginDescriptor, Plugins};

use crate::support::place::peer;
use crate::support::{InRun, Scratch, cx, processes_in, pulumi};

fn caching(scratch: &Scratch) -> HostOptions {
    let mut options = scratch.options();
    options.cache_directory = Some(scratch.path().join("cache"));
    options
}

#[tokio::test]
async fn a_kept_schema_needs_no_process() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let first = InRun::new(&scratch.path(), caching(&scratch));
    let schema = first.schema(&cx(), &random).await.unwrap();
    let asked = processes_in(&scratch.path());
    assert_eq!(asked.len(), 1);
    let _plugin = first.load(&cx(), &random).await.unwrap();
    assert_eq!(processes_in(&scratch.path()), asked, "the process that was asked is the one that is loaded");
    first.shutdown().await;

    let second = InRun::new(&scratch.path(), caching(&scratch));
    let kept = second.schema(&cx(), &random).await.unwrap();
    assert_eq!(kept.text(), schema.text());
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0], "nothing was started");

    // After any damage the plugin is asked again.
    for directory in ["cache/schemas", "cache/digests"] {
        for entry in fs::read_dir(scratch.path().join(directory)).unwrap().flatten() {
            fs::write(entry.path(), "damaged").unwrap();
        }
    }
    let third = InRun::new(&scratch.path(), caching(&scratch));
    assert_eq!(third.schema(&cx(), &random).await.unwrap().text(), schema.text());
    assert_eq!(processes_in(&scratch.path()).len(), 1);
    third.shutdown().await;
}

#[tokio::test]
async fn many_who_ask_at_once_start_one_process() {
    let scratch = Scratch::new();
    let random = scratch.real("random");
    let host = InRun::new(&scratch.path(), caching(&scratch));
    let cx = cx();
    let (a, b, c) = tokio::join!(host.schema(&cx, &random), host.schema(&cx, &random), host.load(&cx, &random));
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
    assert!(c.is_ok());
    assert_eq!(processes_in(&scratch.path()).len(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn scripts_are_always_asked() {
    let scratch = Scratch::new();
    let demo = scratch.script("demo", "exec $REAL \"$@\"");
    let host = InRun::new(&scratch.path(), caching(&scratch));
    assert_eq!(host.schema(&cx(), &demo).await.unwrap().name(), "random");
    assert!(!scratch.path().join("cache").exists());
    host.shutdown().await;
}

#[tokio::test]
async fn one_executable_under_two_names_has_two_schemas() {
    let scratch = Scratch::new();
    for _ in 0..2 {
        let mut options = caching(&scratch);
        options.protocols = pulumi(peer("conformance"));
        let host = InRun::new(&scratch.path(), options);
        for name in ["simple", "primitive"] {
            let schema = host.schema(&cx(), &PluginDescriptor::named(name, None)).await.unwrap();
            assert_eq!(schema.name(), name);
        }
        host.shutdown().await;
    }
}
