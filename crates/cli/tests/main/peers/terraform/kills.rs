//! Whichever process is killed, no provider is left, and existing resources are known.
//!
//! `cargo xtask kill --terraform` does the same at random moments, many times.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};

use super::processes::{self, Process, awaited};
use super::world::{Tool, World};
use crate::sandbox::{answer, walk};

/// The second is created when the test allows it.
const PROGRAM: &str = "\
resources:
  first: {type: 'wide:Named', properties: {name: first}}
  second: {type: 'wide:Faulty', properties: {fault: hang, until: CLOUD/now}, options: {dependsOn: ['${first}']}}
";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Victim {
    /// `outrigger` or `pulumi`.
    Host,
    /// The plugin that `pulumi` starts.
    Bridge,
    /// The process that ends the providers when the host or the bridge dies.
    Keeper,
    Provider,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// A provider has just been started.
    Starting,
    /// One thing is created, another is being created.
    Working,
}

#[test]
fn under_outrigger() {
    for victim in [Victim::Host, Victim::Keeper, Victim::Provider] {
        for moment in [Moment::Starting, Moment::Working] {
            let world = killed(Tool::Outrigger, victim, moment);
            world.assert_nobody_left();
            recover(&world);
        }
    }
}

#[test]
fn under_pulumi() {
    for victim in [Victim::Host, Victim::Bridge, Victim::Keeper] {
        for moment in [Moment::Starting, Moment::Working] {
            let world = killed(Tool::Pulumi, victim, moment);
            // When `pulumi` is killed its own language host lives on: that is not ours to end.
            let left = awaited(|| {
                let left = processes::marked(&world.mark());
                left.iter().all(is_language_host).then_some(left)
            });
            left.iter().for_each(processes::kill);
            assert!(victim == Victim::Host || left.is_empty(), "{left:?}");
            world.assert_nobody_left();
        }
    }
}

/// Under the plugin's name the executable is the plugin, but not with the keeper's argument.
#[test]
fn the_keeper_of_an_installed_bridge_is_no_other_bridge() {
    let world = World::new(Tool::Pulumi, &["wide"], "");
    let (host, keeper) = UnixStream::pair().unwrap();
    drop(host);
    // Its parent ends immediately, so it does not wait for that.
    let output = Command::new("sh")
        .args(["-c", r#""$0" __keeper <&0 &"#])
        .arg(world.bridge())
        .stdin(OwnedFd::from(keeper))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(said, "", "a plugin prints its port");
}

/// A world in which a process was killed during an update, which has ended.
fn killed(tool: Tool, victim: Victim, moment: Moment) -> World {
    let world = World::new(tool, &["wide"], PROGRAM);
    let mut child = world.start(&["up", "--yes", "--skip-preview"]);
    awaited(|| match moment {
        Moment::Starting => processes::marked(&world.mark())
            .iter()
            .any(|process| is_it(Victim::Provider, process, &child))
            .then_some(()),
        Moment::Working => first_is_known(&world).then_some(()),
    });
    let all = processes::marked(&world.mark());
    let victims: Vec<&Process> = all.iter().filter(|process| is_it(victim, process, &child)).collect();
    assert!(!victims.is_empty(), "{tool:?}, {victim:?}, {moment:?}: nobody to kill among {all:?}");
    victims.into_iter().for_each(processes::kill);
    fs::write(world.cloud("now"), "").unwrap();
    if victim == Victim::Host {
        child.wait().unwrap();
        return world;
    }
    let answer = answer(child);
    let expected = match victim {
        // A host without its keeper goes on.
        Victim::Keeper => Some(true),
        // A provider that dies before its first call is started again; one that dies during a call is not.
        Victim::Provider if moment == Moment::Starting => None,
        _ => Some(false),
    };
    assert!(
        expected.is_none_or(|expected| expected == (answer.code == 0)),
        "{tool:?}, {victim:?}, {moment:?}: {}",
        answer.text()
    );
    world
}

/// Whether the first thing is created and in the state.
fn first_is_known(world: &World) -> bool {
    let mut made = fs::read_dir(world.cloud("wide/named")).into_iter().flatten();
    let Some(id) = made.find_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned)) else {
        return false;
    };
    let mut known = false;
    walk(&world.sandbox.path("state"), &mut |path| {
        known |= fs::read(path).is_ok_and(|bytes| bytes.windows(id.len()).any(|window| window == id.as_bytes()));
    });
    known
}

/// The next steps of a user; afterwards everything exists once, and then nothing.
fn recover(world: &World) {
    fs::write(world.cloud("now"), "").unwrap();
    if world.run(&["up", "--yes", "--skip-preview"]).code != 0 {
        world.run(&["refresh", "--yes", "--skip-preview", "--clear-pending-creates"]).ok();
        world.run(&["up", "--yes", "--skip-preview"]).ok();
    }
    let made = (world.things("wide", "named").len(), world.things("wide", "faulty").len());
    assert_eq!(made, (1, 1));
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), ["now"]);
}

fn is_it(victim: Victim, process: &Process, host: &Child) -> bool {
    match victim {
        Victim::Host => process.id == host.id(),
        Victim::Bridge => process.name == "pulumi-resource-terraform-provider" && !is_keeper(process),
        Victim::Keeper => is_keeper(process),
        Victim::Provider => process.name.starts_with("terraform-provider-"),
    }
}

fn is_keeper(process: &Process) -> bool {
    process.command.contains(" __keeper")
}

fn is_language_host(process: &Process) -> bool {
    process.name == "pulumi-language-yaml"
}
