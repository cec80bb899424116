//! Providers that fail, panic, hang, are killed, or give wrong answers: the messages, and the state.

use std::fs;
use std::io::{BufReader, Read};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value as Json;

use super::processes;
use super::sparing::calls;
use super::world::{Tool, World, provider_path};
use crate::peers::interruption::{CALLED, await_line, interrupt};
use crate::peers::providers::life::wanted;
use crate::place::peer;

/// The entry in the state after a failed creation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Left {
    Nothing,
    /// The resource, with a reason why it is not ready.
    Partial,
    /// An operation whose end was not seen.
    Doubt,
    /// The resource: it was a warning.
    Resource,
}

struct Row {
    resource: &'static str,
    strict: bool,
    says: &'static [&'static str],
    left: Left,
}

const fn row(resource: &'static str, says: &'static [&'static str], left: Left) -> Row {
    Row { resource, strict: false, says, left }
}

const fn strictly(resource: &'static str, says: &'static [&'static str], left: Left) -> Row {
    Row { resource, strict: true, says, left }
}

const PANIC: &[&str] =
    &["ended during ApplyResourceChange", "exited with code 2", "panic: the fault was asked for", "goroutine"];

const INCONSISTENT_PLAN: &str = "the provider planned something inconsistent, which is a bug in the provider: value: \
                                 planned with a different value than configured";
const INCONSISTENT_RESULT: &str = "the provider did something inconsistent, which is a bug in the provider: value: \
                                   has a different value than planned";

const ROWS: [Row; 23] = [
    row("wide:Faulty {fault: fail}", &["[fault] Failed: Nothing was done; the fault was asked for."], Left::Nothing),
    row("classic:Faulty {fault: fail}", &["failed, as it was asked to"], Left::Nothing),
    row(
        "wide:Faulty {fault: fail after create}",
        &["exists but is not ready", "Failed after creating: The thing exists; the fault was asked for."],
        Left::Partial,
    ),
    row(
        "classic:Faulty {fault: fail after create}",
        &["exists but is not ready", "failed after creating"],
        Left::Partial,
    ),
    row(
        "ancient:Faulty {fault: fail after create}",
        &["exists but is not ready", "failed after creating"],
        Left::Partial,
    ),
    row(
        "mixed:Faulty {fault: fail after create}",
        &["exists but is not ready", "failed after creating"],
        Left::Partial,
    ),
    row(
        "narrow:Faulty {fault: fail after create}",
        &["exists but is not ready", "Failed after creating: The thing exists; the fault was asked for."],
        Left::Partial,
    ),
    row(
        "raised:Faulty {fault: fail after create}",
        &["exists but is not ready", "failed after creating"],
        Left::Partial,
    ),
    row("wide:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("narrow:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("classic:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("ancient:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("mixed:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("raised:Faulty {fault: panic}", PANIC, Left::Doubt),
    row("crude:InconsistentPlan {value: v}", &["warning", INCONSISTENT_PLAN], Left::Resource),
    strictly("crude:InconsistentPlan {value: v}", &["error", INCONSISTENT_PLAN], Left::Nothing),
    row("crude:InconsistentApply {value: v}", &["warning", INCONSISTENT_RESULT], Left::Resource),
    strictly("crude:InconsistentApply {value: v}", &["exists but is not ready", INCONSISTENT_RESULT], Left::Partial),
    row(
        "crude:UnknownAfterApply {value: v}",
        &["exists but is not ready", "made: is still unknown after it was applied"],
        Left::Partial,
    ),
    row(
        "crude:Partial {value: v}",
        &["exists but is not ready", "[made] Half done: The thing exists.", "made: is still unknown"],
        Left::Partial,
    ),
    row("crude:WrongType {value: v}", &["answered ApplyResourceChange", "cannot be understood"], Left::Doubt),
    row("crude:NullAfterApply {value: v}", &["the provider answered neither a state nor an error"], Left::Doubt),
    row("wide:Planned {title: refused}", &["[title] Refused: No plan is made for this title."], Left::Nothing),
];

const PROVIDERS: [&str; 7] = ["wide", "narrow", "classic", "ancient", "mixed", "raised", "crude"];

/// The line of the resource in the project's file, below so many packages.
const PLACE: &str = "Pulumi.yaml:12:";

fn program(resource: &str) -> String {
    let (ty, properties) = resource.split_once(' ').unwrap();
    format!("resources:\n  a: {{type: '{ty}', properties: {properties}}}\n")
}

/// How the state of a resource was left.
pub(super) fn left(world: &World, name: &str) -> Left {
    let export = world.sandbox.export();
    let pending = export["deployment"]["pending_operations"].as_array().is_some_and(|pending| !pending.is_empty());
    match wanted(&world.sandbox).get(name) {
        None if pending => Left::Doubt,
        None => Left::Nothing,
        Some(resource) if resource["initErrors"].is_array() => Left::Partial,
        Some(_) => Left::Resource,
    }
}

#[test]
fn a_creation_that_goes_wrong() {
    let mut world = World::new(Tool::Outrigger, &PROVIDERS, "");
    for row in &ROWS {
        world.program(&program(row.resource));
        world.sandbox.set("OUTRIGGER_TERRAFORM_STRICT", row.strict.then_some("true"));
        let answer = world.run(&["up", "--yes", "--skip-preview"]);
        let code = i32::from(row.left != Left::Resource);
        let answer = answer.ended(code).says(row.says);
        // Lines that a provider logs at every step are left out of the end of its stderr.
        assert!(!answer.text().contains("\"@level\":\"trace\""), "{}: {}", row.resource, answer.text());
        if code == 1 {
            assert!(answer.text().contains(PLACE), "{}: {}", row.resource, answer.text());
        }
        assert_eq!(left(&world, "a"), row.left, "{}", row.resource);
        // The next row begins with nothing.
        world.sandbox.set("OUTRIGGER_TERRAFORM_STRICT", None);
        if row.left == Left::Doubt {
            world.run(&["refresh", "--yes", "--skip-preview", "--clear-pending-creates"]).ok();
        }
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        let _ = fs::remove_dir_all(world.cloud(""));
        fs::create_dir(world.cloud("")).unwrap();
    }
}

/// A panic ends the provider in any call, and is reported; existing resources stay known.
#[test]
fn a_panic_outside_of_a_creation() {
    let world = World::new(Tool::Outrigger, &["wide"], &program("wide:Faulty {fault: none, value: one}"));
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    world.program(&program("wide:Faulty {fault: panic, value: two}"));
    world.run(&["up", "--yes", "--skip-preview"]).ended(1).says(PANIC);
    assert_eq!(left(&world, "a"), Left::Resource);
    let pending = world.sandbox.export()["deployment"]["pending_operations"][0]["type"].clone();
    assert_eq!(pending, "updating");
    world.program("variables:\n  a: {'fn::invoke': {function: 'wide:getLookup', arguments: {name: panic}}}\n");
    world.run(&["preview"]).ended(1).says(&["ended during ReadDataSource", "panic: the fault was asked for"]);
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// The next update continues from the saved state, whichever tool saved it.
#[test]
fn what_exists_after_a_failure_is_kept_and_mended() {
    let both = ["up", "--yes", "--skip-preview", "--continue-on-error"];
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let world = World::new(tool, &["wide", "classic"], "");
        let whole = "resources:\n  a: {type: 'wide:Faulty', properties: {fault: FAULT, value: VALUE}}\n  \
                     b: {type: 'classic:Faulty', properties: {fault: FAULT, value: VALUE}}\n";
        let program = |fault: &str, value: &str| whole.replace("FAULT", fault).replace("VALUE", value);
        world.program(&program("fail after create", "one"));
        world.run(&both).failed().says(&["Failed after creating", "failed after creating"]);
        let made = wanted(&world.sandbox);
        let ids = ["a", "b"].map(|name| made[name]["id"].as_str().unwrap().to_owned());
        assert!(
            world.things("wide", "faulty").contains_key(&ids[0])
                && world.things("classic", "faulty").contains_key(&ids[1])
        );

        world.program(&program("none", "two"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let mended = wanted(&world.sandbox);
        assert_eq!(["a", "b"].map(|name| mended[name]["id"].as_str().unwrap().to_owned()), ids, "{tool:?}");
        assert_eq!(mended["a"]["initErrors"], Json::Null);

        // Half of an update is known too.
        world.program(&program("fail on update", "three"));
        world.run(&both).failed().says(&["Failed on updating"]);
        assert_eq!(world.things("wide", "faulty")[&ids[0]]["value"], "three");
        assert_eq!(wanted(&world.sandbox)["a"]["outputs"]["value"], "three", "{tool:?}");
        world.program(&program("fail on delete", "four"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        world
            .run(&["destroy", "--yes", "--skip-preview", "--continue-on-error"])
            .failed()
            .says(&["Failed on deleting", "failed on deleting"]);
        assert_eq!(wanted(&world.sandbox).len(), 2);
        world.program(&program("none", "five"));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}

/// Pulumi's engine orders an update of a partly created resource, even if nothing changes. Terraform carries out no such plan, so providers need not
/// be able to.
#[test]
fn what_was_made_in_part_and_has_not_changed_is_looked_at() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "resources:\n  a: {type: 'wide:Faulty', properties: {fault: fail after create, value: one}}\n  \
                       b: {type: 'classic:Faulty', properties: {fault: fail after create, value: one}}\n";
        let mut world = World::new(tool, &["wide", "classic"], program);
        world.run(&["up", "--yes", "--skip-preview", "--continue-on-error"]).failed();
        assert!(wanted(&world.sandbox)["a"]["initErrors"].is_array(), "{tool:?}");
        assert_eq!(calls(&mut world, &["up", "--yes", "--skip-preview"], "ApplyResourceChange"), 0, "{tool:?}");
        let mended = wanted(&world.sandbox);
        assert_eq!(["a", "b"].map(|name| mended[name]["initErrors"].clone()), [Json::Null, Json::Null], "{tool:?}");
        world.run(&["preview", "--expect-no-changes"]).ok();
    }
}

/// A property with `ignoreChanges` is left as it is found, even if a read shows that it has drifted.
#[test]
fn what_was_made_in_part_keeps_what_is_not_to_be_changed() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "resources:\n  it:\n    type: classic:Faulty\n    properties: {fault: fail after create, value: one}\n    \
                       options: {ignoreChanges: [value]}\n";
        let mut world = World::new(tool, &["classic"], program);
        world.run(&["up", "--yes", "--skip-preview"]).failed();
        let (id, mut thing) = world.things("classic", "faulty").into_iter().next().unwrap();
        thing["value"] = Json::from("three");
        world.put("classic", "faulty", &id, &thing);
        assert_eq!(calls(&mut world, &["up", "--yes", "--skip-preview"], "ApplyResourceChange"), 0, "{tool:?}");
        assert_eq!(world.things("classic", "faulty")[&id]["value"], "three", "{tool:?}");
        assert_eq!(wanted(&world.sandbox)["it"]["outputs"]["value"], "three", "{tool:?}");
    }
}

/// When a provider of the older kind fails, it answers with the planned state. The next update makes the change that failed, though it seems to be
/// done already.
#[test]
fn a_change_that_failed_is_made_with_the_next_update() {
    for tool in [Tool::Outrigger, Tool::Pulumi] {
        let program = "resources:\n  it: {type: 'classic:Faulty', properties: {fault: fail until, until: CLOUD/ready, value: one}}\n";
        let world = World::new(tool, &["classic"], program);
        let ready = world.cloud("ready");
        let values = || -> Vec<Json> {
            world.things("classic", "faulty").into_values().map(|thing| thing["value"].clone()).collect()
        };
        fs::write(&ready, "").unwrap();
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        fs::remove_file(&ready).unwrap();
        world.program(&program.replace("value: one", "value: two"));
        world.run(&["up", "--yes", "--skip-preview"]).failed().says(&["what it needs is not there"]);
        assert_eq!(values(), ["one"], "{tool:?}");
        fs::write(&ready, "").unwrap();
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(values(), ["two"], "{tool:?}");
        world.run(&["preview", "--expect-no-changes", "--refresh"]).ok();
    }
}

/// A creation that hangs ends after one interrupt: the provider is asked to stop, and still answers. If the interrupt comes before the call, the call
/// is not made.
#[test]
fn a_hanging_creation_is_stopped() {
    for (moment, says) in [("running CreateResource", "Given up: nobody waits for the answer"), (CALLED, "error")] {
        let mut world =
            World::new(Tool::Outrigger, &["wide"], &program("wide:Faulty {fault: hang, until: CLOUD/never}"));
        world.sandbox.set("TF_LOG", Some("TRACE"));
        let mut child = world.start(&["up", "--yes", "--skip-preview", "--json-events"]);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        await_line(&mut stdout, moment);
        interrupt(&child);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
        assert!(rest.contains("\"ending\":\"cancelled\"") && rest.contains(says), "{rest}");
        world.assert_nobody_left();
        assert_eq!(left(&world, "a"), Left::Nothing);
        assert_eq!(world.everything(), Vec::<String>::new());
    }
}

/// A provider that is killed from outside is a crash without words.
#[test]
fn a_killed_provider_leaves_a_doubt() {
    let mut world = World::new(Tool::Outrigger, &["wide"], &program("wide:Faulty {fault: hang, until: CLOUD/never}"));
    world.sandbox.set("TF_LOG", Some("TRACE"));
    let mut child = world.start(&["up", "--yes", "--skip-preview", "--json-events"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // Before that it is only planned.
    await_line(&mut stdout, "running CreateResource");
    for process in processes::marked(&world.mark()).iter().filter(|it| it.name.starts_with("terraform-provider-")) {
        processes::kill(process);
    }
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(rest.contains("was ended by signal 9") && rest.contains("plugin `wide 0.0.0`"), "{rest}");
    world.assert_nobody_left();
    assert_eq!(left(&world, "a"), Left::Doubt);
}

/// A certificate in a line of go-plugin's, as providers print it: more than 50 letters, or it would not count as one.
pub(super) const CERTIFICATE: &str = "\
    MIIBfDCCASOgAwIBAgIUV2SCSy/2j+THvCaD8cTY0nAoOPEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTExNzIyND\
    I0M1oXDTI2MTExODIyNDI0M1owFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+kVu1rlLxxtdGbx+gPHA\
    DVQC7PCHAt3kBavvr3DKAYK8nibIv+y60TeuPWzJqCkwiHOubRtSQu7GtsxnHEWJw6NTMFEwHQYDVR0OBBYEFDAMpFm0n1CVLlhJadIYycQOj9\
    WuMB8GA1UdIwQYMBaAFDAMpFm0n1CVLlhJadIYycQOj9WuMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgdaxtFk904yDV2CMZ\
    QepWCFBnShCpcSp45DfwBkfzFxICIA30vtso4o8AVSLS8ybAX4a0EUKyqGDC+xNs2HcQB2c1";

/// A script that is a plugin on the real go-plugin, in one of its modes.
pub(super) fn strange(mode: &str) -> String {
    let program = peer("bin/go-plugin-peer");
    format!("export BASIC_PLUGIN=hello GOPLUGIN_VERSIONS=6 GOPLUGIN_MODE={mode}; exec {}", program.display())
}

/// Programs that are no provider, or not a usable one.
#[test]
fn a_provider_that_cannot_be_started() {
    let world = World::new(Tool::Outrigger, &[], "");
    let directory = world.sandbox.path("odd");
    fs::create_dir(&directory).unwrap();
    let script = |line: &str| format!("#!/bin/sh\n{line}\n").into_bytes();
    for (name, text, says) in [
        ("early", script("echo before the flood >&2; exit 3"), &["exited with code 3", "before the flood"][..]),
        ("chatty", script("echo hello; sleep 60"), &["`hello`"]),
        ("future", script("echo '1|7|unix|/nowhere|grpc|'; sleep 60"), &["version 7"]),
        ("ancestor", script("echo '1|4|unix|/nowhere|grpc|'; sleep 60"), &["version 4"]),
        ("netrpc", script("echo '1|5|unix|/nowhere|netrpc|'; sleep 60"), &["netrpc"]),
        (
            "untrusted",
            script("echo '1|6|unix|/nowhere|grpc|bm8gY2VydGlmaWNhdGU'; sleep 60"),
            &["it did not answer AutoMTLS"],
        ),
        // A readable certificate is accepted, but there is no server with it.
        (
            "certified",
            script(&format!("echo '1|6|unix|/nowhere|grpc|{CERTIFICATE}'; sleep 60")),
            &["/nowhere failed: "],
        ),
        // There is a server, with another certificate, or one that rejects ours.
        ("impostor", script(&strange("other-certificate")), &["its certificate is not the one that it announced"]),
        ("offended", script(&strange("other-host")), &["it closed the connection after it received our certificate: "]),
        ("macos", [&b"\xcf\xfa\xed\xfe"[..], &[0; 60]].concat(), &["the file is a program for macOS"]),
        // No shell reads it.
        ("prose", format!("touch {}\n", directory.join("read").display()).into_bytes(), &["the file is not a program"]),
    ] {
        let path = directory.join(format!("terraform-provider-{name}"));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let path = path.display().to_string();
        let answer = world.run(&["package", "add", "terraform-provider", &path]);
        answer.ended(1).says(says).says(&["the Terraform provider could not be started", &format!("`{name} 0.0.0`")]);
    }
    assert!(!directory.join("read").exists());
    // A plugin for another program accepts its own cookie only, with go-plugin's error.
    let path = directory.join("terraform-provider-stranger");
    std::os::unix::fs::symlink(peer("bin/go-plugin-peer"), &path).unwrap();
    let answer = world.run(&["package", "add", "terraform-provider", &path.display().to_string()]);
    answer.ended(1).says(&["the Terraform provider could not be started", "This binary is a plugin"]);
    assert!(!world.sandbox.read("Pulumi.yaml").contains("source:"));
    // And the file that it needs is not there at all.
    let gone = provider_path("wide").with_file_name("terraform-provider-gone").display().to_string();
    world.run(&["package", "add", "terraform-provider", &gone]).ended(1).says(&["terraform-provider-gone"]);
}

/// More than a provider can send: its own library fails, after the work was done.
#[test]
fn an_answer_that_is_too_large() {
    let program = "variables:\n  big: {'fn::invoke': {function: 'local:getFile', arguments: {filename: CLOUD/big}}}\n\
                   outputs: {sum: '${big.contentSha256}'}\n";
    let world = World::new(Tool::Outrigger, &["local"], program);
    // As a string and in base 64.
    fs::File::create(world.cloud("big")).unwrap().set_len(130 << 20).unwrap();
    let answer = world.run(&["up", "--yes", "--skip-preview"]).ended(1);
    answer.says(&TOO_LARGE).says(&["Pulumi.yaml:", "plugin `local 0.0.0`"]);
    world.run_with(Tool::Pulumi, &["up", "--yes", "--skip-preview"]).failed().says(&TOO_LARGE);
}

const TOO_LARGE: [&str; 2] = ["the answer is larger than the plugin can send", "larger than max"];

/// The same for a creation: the resource exists, and its id is lost. `pulumi` keeps no operation that ended with an error.
#[test]
fn a_creation_whose_answer_is_too_large() {
    for (tool, expected) in [(Tool::Outrigger, Left::Doubt), (Tool::Pulumi, Left::Nothing)] {
        let world = World::new(tool, &["crude"], &program("crude:Large {amount: 300000000}"));
        let answer = world.run(&["up", "--yes", "--skip-preview"]).failed().says(&TOO_LARGE);
        assert_eq!(left(&world, "a"), expected, "{tool:?}: {}", answer.text());
        assert_eq!(world.things("crude", "crude_large").len(), 1, "{tool:?}");
    }
}

/// A large answer that can be sent is accepted, and kept whole. `pulumi` takes longer for it.
#[test]
fn a_creation_whose_answer_is_large() {
    for (tool, length) in [(Tool::Outrigger, 60_000_000), (Tool::Pulumi, 20_000_000)] {
        let world = World::new(tool, &["crude"], &program(&format!("crude:Large {{amount: {length}}}")));
        world.run(&["up", "--yes", "--skip-preview"]).ok();
        let made = wanted(&world.sandbox);
        assert_eq!(made["a"]["outputs"]["made"].as_str().unwrap().len(), length, "{tool:?}");
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
        assert_eq!(world.things("crude", "crude_large").len(), 0, "{tool:?}");
    }
}
