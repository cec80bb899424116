//! Kills: of the host, of its keeper, of both.

use std::fs;
use std::path::Path;
use std::process::Child;

use outrigger_host::keeper::Parting;
use outrigger_provider::Plugins;

use crate::role::{host_process, keeper_command};
use crate::support::{Scratch, children_of, cx, eventually, processes_in, sigkill};

/// A plugin with a child of its own that does not get the signal to end.
const WITH_CHILD: &str = "sleep 1000 >/dev/null 2>&1 &\nexec $REAL \"$@\"";

fn parting(directory: &Path) -> Option<String> {
    fs::read_to_string(directory.join("parting")).ok().filter(|text| !text.is_empty())
}

/// The output of a keeper whose host was killed.
fn vanished(host: &Child) -> String {
    format!("{:?}", Parting::Vanished { host: Some(host.id()) })
}

/// The keeper is the child of the host that does not run in the plugins' directory.
fn keeper_of(host: u32, directory: &Path) -> Option<u32> {
    let plugins = processes_in(directory);
    children_of(host).into_iter().find(|child| !plugins.contains(child))
}

#[test]
fn a_killed_host_leaves_no_process_and_the_keeper_acts() {
    let scratch = Scratch::new();
    scratch.script("demo", WITH_CHILD);
    let mut host = host_process(&scratch.path());
    assert_eq!(processes_in(&scratch.path()).len(), 2, "the plugin and its child");
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("all plugins are gone", || processes_in(&scratch.path()).is_empty());
    eventually("the keeper has acted", || parting(&scratch.path()) == Some(vanished(&host)));
}

#[test]
fn a_plugin_goes_even_if_host_and_keeper_are_killed() {
    let scratch = Scratch::new();
    scratch.script("demo", "exec $REAL \"$@\"");
    let mut host = host_process(&scratch.path());
    let keeper = keeper_of(host.id(), &scratch.path()).unwrap();
    assert_eq!(processes_in(&scratch.path()).len(), 1);
    sigkill(keeper);
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("the plugin is gone", || processes_in(&scratch.path()).is_empty());
    assert_eq!(parting(&scratch.path()), None);
}

#[test]
fn a_killed_keeper_is_replaced_and_the_new_one_knows_all() {
    let scratch = Scratch::new();
    scratch.script("demo", WITH_CHILD);
    let mut host = host_process(&scratch.path());
    let first = keeper_of(host.id(), &scratch.path()).unwrap();
    sigkill(first);
    eventually("there is another keeper", || {
        keeper_of(host.id(), &scratch.path()).is_some_and(|keeper| keeper != first)
    });
    assert_eq!(processes_in(&scratch.path()).len(), 2, "the plugin goes on");
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("all plugins are gone", || processes_in(&scratch.path()).is_empty());
    eventually("the new keeper has acted", || parting(&scratch.path()) == Some(vanished(&host)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_leaves_in_order_says_goodbye() {
    let scratch = Scratch::new();
    let demo = scratch.script("demo", WITH_CHILD);
    let mut options = scratch.options();
    options.keeper = Some(keeper_command(&scratch.path()));
    let host = crate::support::InRun::new(&scratch.path(), options);
    host.load(&cx(), &demo).await.unwrap();
    host.shutdown().await;
    assert_eq!(processes_in(&scratch.path()), [0_u32; 0], "nothing is left when shutdown returns");
    assert_eq!(parting(&scratch.path()), None, "the keeper stays as long as the host");
    drop(host);
    eventually("the keeper has left", || parting(&scratch.path()).as_deref() == Some("Goodbye"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_host_leaves_nothing() {
    let scratch = Scratch::new();
    let demo = scratch.script("demo", WITH_CHILD);
    let host = scratch.host();
    let plugin = host.load(&cx(), &demo).await.unwrap();
    drop(host);
    eventually("all plugins are gone", || processes_in(&scratch.path()).is_empty());
    drop(plugin);
}
