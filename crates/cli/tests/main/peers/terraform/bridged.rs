//! Failures again, with our bridge under the real `pulumi`: the messages, and the state.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;

use super::failures::{CERTIFICATE, Left, left, strange};
use super::world::{Tool, World};
use crate::place::peer;
use crate::sandbox::Answer;

/// A resource, the messages about it, and how it is left. `pulumi` keeps no operation whose end was not seen.
struct Row(&'static str, &'static [&'static str], Left);

const WRONG: [Row; 10] = [
    Row(
        "wide:Faulty {fault: fail}",
        &["error: [fault] Failed: Nothing was done; the fault was asked for."],
        Left::Nothing,
    ),
    Row(
        "wide:Faulty {fault: fail after create}",
        &["Failed after creating: The thing exists; the fault was asked for."],
        Left::Partial,
    ),
    Row("ancient:Faulty {fault: fail after create}", &["failed after creating"], Left::Partial),
    Row("mixed:Faulty {fault: fail after create}", &["failed after creating"], Left::Partial),
    Row("crude:InconsistentPlan {value: v}", &["warning: the provider planned something inconsistent"], Left::Resource),
    Row("crude:InconsistentApply {value: v}", &["warning: the provider did something inconsistent"], Left::Resource),
    Row("crude:UnknownAfterApply {value: v}", &["made: is still unknown after it was applied"], Left::Partial),
    Row(
        "crude:Partial {value: v}",
        &["[made] Half done: The thing exists.", "made: is still unknown after it was applied"],
        Left::Partial,
    ),
    Row("crude:WrongType {value: v}", &["error: the answer cannot be understood"], Left::Nothing),
    Row(
        "crude:NullAfterApply {value: v}",
        &["error: the provider answered neither a state nor an error"],
        Left::Nothing,
    ),
];

const PANICS: [Row; 3] = [
    Row("wide:Faulty {fault: panic}", PANIC, Left::Nothing),
    Row("classic:Faulty {fault: panic}", PANIC, Left::Nothing),
    Row("ancient:Faulty {fault: panic}", PANIC, Left::Nothing),
];

const PANIC: &[&str] = &["exited with code 2", "panic: the fault was asked for"];

const STRICT: [Row; 2] = [
    Row("crude:InconsistentPlan {value: v}", &["error: the provider planned something inconsistent"], Left::Nothing),
    Row("crude:InconsistentApply {value: v}", &["the provider did something inconsistent"], Left::Partial),
];

/// Every row is a resource of one program: `pulumi` takes a second for each update, whatever it contains.
fn all(rows: &[Row]) -> String {
    let resources = rows.iter().enumerate().map(|(index, Row(resource, ..))| {
        let (ty, properties) = resource.split_once(' ').unwrap();
        format!("  a{index}: {{type: '{ty}', properties: {properties}}}\n")
    });
    format!("resources:\n{}", resources.collect::<String>())
}

/// The messages of `pulumi` about one resource at the end.
fn said<'a>(text: &'a str, name: &str) -> &'a str {
    text.split_once(&format!("({name}):")).map_or("", |(_, rest)| rest.split("\n\n").next().unwrap_or(rest))
}

#[test]
fn creations_that_go_wrong() {
    let mut world = World::new(Tool::Pulumi, &["wide", "classic", "ancient", "mixed", "crude"], "");
    for (rows, strict) in [(&WRONG[..], None), (&PANICS, None), (&STRICT, Some("true"))] {
        world.program(&all(rows));
        world.sandbox.set("OUTRIGGER_TERRAFORM_STRICT", strict);
        let text = world.run(&["up", "--yes", "--skip-preview", "--continue-on-error"]).failed().text();
        for (index, Row(resource, says, expected)) in rows.iter().enumerate() {
            let name = format!("a{index}");
            let said = said(&text, &name);
            assert!(says.iter().all(|part| said.contains(part)), "{resource}: {said}\n{text}");
            assert_eq!(left(&world, &name), *expected, "{resource}");
        }
        world.sandbox.set("OUTRIGGER_TERRAFORM_STRICT", None);
        world.run(&["destroy", "--yes", "--skip-preview"]).ok();
    }
}

/// Programs that are no provider, or not a usable one.
#[test]
fn a_provider_that_cannot_be_started() {
    let world = World::new(Tool::Pulumi, &[], "");
    let directory = world.sandbox.path("odd");
    fs::create_dir(&directory).unwrap();
    for (name, line, says) in [
        ("early", "exit 3", "exited with code 3"),
        ("future", "echo '1|7|unix|/nowhere|grpc|'; sleep 60", "version 7"),
        ("untrusted", "echo '1|6|unix|/nowhere|grpc|bm8gY2VydGlmaWNhdGU'; sleep 60", "it did not answer AutoMTLS"),
        ("certified", &format!("echo '1|6|unix|/nowhere|grpc|{CERTIFICATE}'; sleep 60"), "/nowhere failed: "),
        ("impostor", &strange("other-certificate"), "its certificate is not the one that it announced"),
        ("offended", &strange("other-host"), "it closed the connection after it received our certificate: "),
    ] {
        let path = directory.join(format!("terraform-provider-{name}"));
        fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        added(&world, name).says(&[says]);
    }
    // A plugin for another program accepts its own cookie only.
    symlink(peer("bin/go-plugin-peer"), directory.join("terraform-provider-stranger")).unwrap();
    added(&world, "stranger").says(&["it is a plugin for another program", "TF_PLUGIN_MAGIC_COOKIE"]);
    assert!(!world.sandbox.read("Pulumi.yaml").contains("source:"));
}

/// Its stderr explains why it ended, so `pulumi` shows it.
#[test]
fn the_last_words_of_a_provider_that_cannot_be_started() {
    let world = World::new(Tool::Pulumi, &[], "");
    let path = world.sandbox.path("odd/terraform-provider-early");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::write(&path, "#!/bin/sh\necho before the flood >&2\nexit 3\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    added(&world, "early").says(&["before the flood"]);
}

/// The messages of `pulumi` when such a provider is added as a package.
#[track_caller]
fn added(world: &World, name: &str) -> Answer {
    let path = world.sandbox.path(&format!("odd/terraform-provider-{name}")).display().to_string();
    let answer = world.sandbox.pulumi(&["package", "add", "terraform-provider@1.0.0", &path]);
    world.assert_nobody_left();
    answer.failed().says(&["the Terraform provider could not be started"])
}
