//! An update that is ended while a provider works: by a user, who wants to keep the resources, or by the provider's death.

use std::fs;
use std::io::{BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::failures::{Left, left};
use super::processes::{self, awaited};
use super::world::{Replaceable, Tool, World, provider_path};
use crate::peers::interruption::{CALLED, await_line, interrupt};
use crate::peers::providers::life::wanted;
use crate::sandbox::answer;

/// The second exists and is not ready until it is stopped.
const PROGRAM: &str = "\
resources:
  first: {type: 'wide:Named', properties: {name: first}}
  second:
    type: wide:Faulty
    properties: {fault: hang after create, until: CLOUD/never}
    options: {dependsOn: ['${first}']}
";

/// An update that has created everything, and still waits for the second.
fn waiting(tool: Tool) -> (World, Child) {
    let world = World::new(tool, &["wide"], PROGRAM);
    let child = world.start(&["up", "--yes", "--skip-preview"]);
    awaited(|| fs::read_dir(world.cloud("wide/faulty")).ok()?.next().map(|_| ()));
    (world, child)
}

/// Ctrl-C stops the provider, which still answers: the created resource is in the state, and the next update continues from there.
fn stopped(tool: Tool) {
    let (world, child) = waiting(tool);
    interrupt(&child);
    let answer = answer(child).failed();
    assert!(answer.text().contains("Given up: nobody waits for the answer"), "{tool:?}: {}", answer.text());
    world.assert_nobody_left();
    let made = wanted(&world.sandbox);
    assert_eq!(left(&world, "first"), Left::Resource, "{tool:?}");
    assert_eq!(left(&world, "second"), Left::Partial, "{tool:?}: {}", answer.text());
    let second = made["second"]["id"].as_str().unwrap().to_owned();
    assert!(world.things("wide", "faulty").contains_key(&second));

    world.program(&PROGRAM.replace("hang after create", "none"));
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(wanted(&world.sandbox)["second"]["id"], second, "{tool:?}");
    assert_eq!(left(&world, "second"), Left::Resource, "{tool:?}");
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// The journal of a run that was killed after its provider had deleted a resource, and before the answer was written.
#[test]
fn what_an_interrupted_run_deleted_is_made_anew() {
    let program = "resources:\n  a: {type: 'wide:Named', properties: {name: a}}\n  b: {type: 'wide:Named', properties: {name: b}}\n";
    for gone in [true, false] {
        let world = World::new(Tool::Outrigger, &["wide"], program);
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let file = world.sandbox.path("state/.pulumi/stacks/shop/dev.json");
        let mut checkpoint: Json = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let latest = &mut checkpoint["checkpoint"]["latest"];
        let is_a = |resource: &&Json| resource["urn"].as_str().unwrap().ends_with("::a");
        let resource = latest["resources"].as_array().unwrap().iter().find(is_a).unwrap().clone();
        let id = resource["id"].as_str().unwrap().to_owned();
        latest["pending_operations"] = json!([{"resource": resource, "type": "deleting"}]);
        fs::write(&file, checkpoint.to_string()).unwrap();
        if gone {
            fs::remove_file(world.cloud("wide").join("named").join(format!("{id}.json"))).unwrap();
        }
        let preview = world.run(&["preview"]).ok();
        let said = preview.text().contains("was deleted by an earlier run that was interrupted");
        assert_eq!(said, gone, "{}", preview.text());
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.things("wide", "named").len(), 2);
        world.run(&["preview", "--expect-no-changes", "--refresh"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

#[test]
fn a_person_stops_outrigger() {
    stopped(Tool::Outrigger);
}

#[test]
fn a_person_stops_pulumi() {
    stopped(Tool::Pulumi);
}

/// The second exists, and its provider does not hear that it should stop.
const DEAF: &str = "\
resources:
  first: {type: 'ancient:Named', properties: {name: first}}
  second:
    type: ancient:Faulty
    properties: {fault: hang after create}
    options: {dependsOn: ['${first}']}
";

/// Ctrl-C, and again when nothing came of it: the command ends, and the provider with it, whatever it does.
fn stopped_for_good(tool: Tool) {
    let world = World::new(tool, &["ancient"], DEAF);
    let mut child = world.start(&["up", "--yes", "--skip-preview"]);
    awaited(|| fs::read_dir(world.cloud("ancient/faulty")).ok()?.next().map(|_| ()));
    interrupt(&child);
    // The second signal counts as one only after the first was handled.
    match tool {
        Tool::Outrigger => await_line(&mut BufReader::new(child.stderr.as_mut().unwrap()), "Still under way"),
        Tool::Pulumi => await_line(&mut BufReader::new(child.stdout.as_mut().unwrap()), "^C received"),
    }
    interrupt(&child);
    let answer = answer(child).failed();
    world.assert_nobody_left();
    let says = match tool {
        Tool::Outrigger => "creating ended with an unknown result; it is saved as a pending operation",
        Tool::Pulumi => "update cancelled",
    };
    assert!(answer.text().contains(says), "{tool:?}: {}", answer.text());
    assert_eq!(left(&world, "first"), Left::Resource, "{tool:?}");
    assert_eq!(left(&world, "second"), Left::Doubt, "{tool:?}: {}", answer.text());

    // Known resources are handled as ever: only the one in doubt is left to the user.
    world.run(&["refresh", "--yes", "--skip-preview", "--clear-pending-creates"]).ok();
    assert_eq!(left(&world, "second"), Left::Nothing, "{tool:?}");
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!((world.things("ancient", "named").len(), world.things("ancient", "faulty").len()), (0, 1), "{tool:?}");
}

#[test]
fn a_person_ends_outrigger_with_a_provider_that_does_not_stop() {
    stopped_for_good(Tool::Outrigger);
}

#[test]
fn a_person_ends_pulumi_with_a_provider_that_does_not_stop() {
    stopped_for_good(Tool::Pulumi);
}

/// A provider whose schema is known is needed only when its configuration is checked. If it has not started by then, one Ctrl-C is enough: a start
/// changes nothing.
#[test]
fn a_person_stops_outrigger_with_a_provider_that_does_not_come_up() {
    let program = "resources:\n  a: {type: 'wide:Named', properties: {name: a}}\n  b: {type: 'random:Pet'}\n";
    let replaceable = Replaceable::new("wide");
    let providers = [("wide", replaceable.path()), ("random", provider_path("random"))];
    let world = World::with(Tool::Outrigger, &providers, program);
    world.run(&["preview"]).ok();
    let begun = world.sandbox.path("begun");
    replaceable.becomes_in_disguise(&world, &format!("echo >> '{}'\nexec sleep 600", begun.display()));
    let mut child = world.start(&["up", "--yes", "--skip-preview", "--json-events"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // When the other one is created, the run waits for the first one.
    await_line(&mut stdout, CALLED);
    awaited(|| begun.exists().then_some(()));
    let began = Instant::now();
    interrupt(&child);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    // It would be waited for for a minute.
    assert!(began.elapsed() < Duration::from_secs(20), "{rest}");
    assert!(rest.contains("\"ending\":\"cancelled\""), "{rest}");
    assert!(rest.contains("the Start call to plugin `wide 0.0.0` was cancelled"), "{rest}");
    world.assert_nobody_left();
    assert_eq!(fs::read(&begun).unwrap(), b"\n", "it was started again");
}

/// Nor does the user wait twice for a provider that cannot be started.
#[test]
fn a_provider_that_cannot_be_started_is_started_once() {
    let program = "resources:\n  a: {type: 'wide:Named', properties: {name: a}}\n";
    let replaceable = Replaceable::new("wide");
    let world = World::with(Tool::Outrigger, &[("wide", replaceable.path())], program);
    world.run(&["preview"]).ok();
    let begun = world.sandbox.path("begun");
    replaceable.becomes_in_disguise(&world, &format!("echo >> '{}'\nexit 3", begun.display()));
    world.run(&["preview"]).ended(1).says(&["the Terraform provider could not be started", "exited with code 3"]);
    assert_eq!(fs::read(&begun).unwrap(), b"\n");
}

/// A provider that is killed from outside crashes without a message. Earlier results are known.
#[test]
fn a_provider_is_killed_under_pulumi() {
    let (world, child) = waiting(Tool::Pulumi);
    for process in processes::marked(&world.mark()).iter().filter(|it| it.name.starts_with("terraform-provider-")) {
        processes::kill(process);
    }
    let answer = answer(child).failed();
    assert!(answer.text().contains("was ended by signal 9"), "{}", answer.text());
    world.assert_nobody_left();
    assert_eq!(left(&world, "first"), Left::Resource);
    // Its id is unknown, and `pulumi` keeps no operation that ended with an error.
    assert_eq!(left(&world, "second"), Left::Nothing);
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
}
