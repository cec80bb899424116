//! Providers that `packages:` of a project names, and that cannot be found: the errors, and their places.

use std::fs;

use super::mirrors::Mirror;
use super::world::{Tool, World};

/// A project with one package and one resource of it.
fn write(world: &World, package: &str, parameters: &str) {
    let project = format!(
        "name: shop\nruntime: yaml\npackages:\n  {package}: {{source: terraform-provider, version: 1.0.0, parameters: \
         [{parameters}]}}\nresources:\n  a: {{type: '{package}:Named', properties: {{name: x}}}}\n"
    );
    world.sandbox.write("Pulumi.yaml", &project);
}

/// A world with a mirror, in which not everything is as it should be.
fn world_with_a_mirror() -> (World, Mirror) {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let mirror = Mirror::new(&mut world);
    mirror.unpacked("wide", "1.2.3");
    mirror.foreign("distant", "1.0.0");
    mirror.strange("strange", "1.0.0");
    mirror.damaged("broken", "1.0.0");
    (world, mirror)
}

#[test]
fn that_cannot_be_installed() {
    let (world, _) = world_with_a_mirror();
    for (package, parameters, says) in [
        (
            "nosuch",
            "example.com/tests/nosuch",
            &["`example.com/tests/nosuch` was not found", "has no version of it"][..],
        ),
        ("wide", "example.com/tests/wide, '>= 2.0.0'", &["meets `>= 2.0.0`", "which has 1.2.3"]),
        ("distant", "example.com/tests/distant", &["is not available for `linux_", "It is available for plan9_mips"]),
        ("strange", "example.com/tests/strange", &["`strange 1.0.0`", "the file is a program for macOS"]),
        ("broken", "example.com/tests/broken", &["terraform-provider-broken_1.0.0_", "the archive is damaged"]),
    ] {
        write(&world, package, parameters);
        // The package's place is behind its name.
        let place = format!("Pulumi.yaml:4:{}", package.len() + 5);
        world.run(&["install"]).ended(1).says(says).says(&["error[package-plugin]", &place]);
        // Without it the resource has no type, and nothing is done.
        for command in [&["preview"][..], &["up", "--yes", "--skip-preview"]] {
            let answer = world.run(command).ended(1);
            answer.says(&["error[plugin-missing]", &format!("plugin `{package}` was not found"), "Pulumi.yaml:6:13"]);
        }
    }
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// A package that can be installed is installed, and the one that cannot is reported.
#[test]
fn that_cannot_be_installed_beside_one_that_can() {
    let (world, _) = world_with_a_mirror();
    let package = |name: &str| {
        format!("  {name}: {{source: terraform-provider, version: 1.0.0, parameters: [example.com/tests/{name}]}}\n")
    };
    let packages = [package("nosuch"), package("wide")].concat();
    world.sandbox.write("Pulumi.yaml", &format!("name: shop\nruntime: yaml\npackages:\n{packages}"));
    let told = ["`example.com/tests/nosuch` was not found", "error[package-plugin]"];
    for done in ["wide: wrote sdks/wide/wide-1.2.3.yaml", "wide: sdks/wide/wide-1.2.3.yaml is up to date"] {
        world.run(&["install"]).ended(1).says(&told).says(&[done]);
    }
}

/// The version in a lock file is no longer available: the error has the source of the version, and a hint.
#[test]
fn that_are_there_in_another_version() {
    let (world, mirror) = world_with_a_mirror();
    write(&world, "wide", "example.com/tests/wide");
    world.run(&["install"]).ok();
    mirror.removed("wide");
    mirror.unpacked("wide", "1.3.0");
    let says = ["meets `1.2.3`", "lock file below `sdks`", "`outrigger install`"];
    world.run(&["preview"]).ended(1).says(&says);
    world.run_with(Tool::Pulumi, &["preview"]).failed().says(&says);
    world.run(&["install"]).ok().says(&["wide: wrote sdks/wide/wide-1.3.0.yaml"]);
}

/// A loss of a package in the mirror, and the error for it.
struct Loss(&'static str, fn(&Mirror), &'static [&'static str]);

const LOSSES: [Loss; 3] = [
    Loss("wide", |mirror| mirror.strange("wide", "1.2.3"), &["not be started", "the file is a program for macOS"]),
    Loss("wide", |mirror| mirror.removed("wide"), &["`example.com/tests/wide` was not found", "has no version of it"]),
    Loss("classic", |mirror| mirror.damaged("classic", "2.0.0"), &["classic_2.0.0_", "the archive is damaged"]),
];

/// A package that was there when the project was installed, and is missing or damaged when it is used.
#[test]
fn that_were_lost() {
    let (world, mirror) = world_with_a_mirror();
    mirror.packed("classic", "2.0.0");
    for package in ["wide", "classic"] {
        write(&world, package, &format!("example.com/tests/{package}"));
        world.run(&["install"]).ok();
    }
    // Nothing that was unpacked then helps.
    fs::remove_dir_all(world.sandbox.path("home/.cache")).unwrap();
    for Loss(package, lose, says) in LOSSES {
        write(&world, package, &format!("example.com/tests/{package}"));
        lose(&mirror);
        world.run(&["preview"]).ended(1).says(says).says(&["Pulumi.yaml:6:13"]);
        world.run_with(Tool::Pulumi, &["preview"]).failed().says(says).says(&["on Pulumi.yaml line 6"]);
    }
}

/// A hint names a step that helps: there is no plugin of the package's name to install, and no port of one to check.
#[test]
fn what_to_do_next() {
    let (world, mirror) = world_with_a_mirror();
    write(&world, "wide", "example.com/tests/wide");
    let answer = world.run(&["preview"]).ended(1).says(&["Pulumi.yaml:6:13", "`outrigger install`"]);
    assert!(!answer.text().contains("pulumi plugin install"), "{}", answer.text());
    world.run(&["install"]).ok();
    mirror.removed("wide");
    let answer = world.run(&["preview"]).ended(1);
    assert!(!answer.text().contains("PULUMI_DEBUG_PROVIDERS"), "{}", answer.text());
}

/// Lock files name the version of the bridge that the project requests: `pulumi` starts that one.
#[test]
fn that_ask_for_a_version_of_the_bridge() {
    let (world, _) = world_with_a_mirror();
    let write = |version: &str| {
        let package =
            format!("{{source: terraform-provider, version: {version}, parameters: [example.com/tests/wide]}}");
        world.sandbox.write("Pulumi.yaml", &format!("name: shop\nruntime: yaml\npackages:\n  wide: {package}\n"));
    };
    write("0.14.0");
    world.run(&["install"]).ok().says(&["wide: wrote sdks/wide/wide-1.2.3.yaml"]);
    let lock = fs::read_to_string(world.sandbox.path("project/sdks/wide/wide-1.2.3.yaml")).unwrap();
    assert!(lock.contains("version: 0.14.0\n"), "{lock}");
    world.run(&["install"]).ok().says(&["is up to date"]);
    write("banana");
    world.run(&["install"]).ended(1).says(&["`banana` is not a version of plugin `terraform-provider`"]);
    write("0.14.0");
    world.run(&["package", "add", "terraform-provider@0.15.0", "example.com/tests/wide"]).ok();
    let lock = fs::read_to_string(world.sandbox.path("project/sdks/wide/wide-1.2.3.yaml")).unwrap();
    assert!(lock.contains("version: 0.15.0\n"), "{lock}");
}

/// A lock file that was copied for another package.
#[test]
fn that_become_others() {
    let (world, _) = world_with_a_mirror();
    write(&world, "wide", "example.com/tests/wide");
    world.run(&["install"]).ok();
    let lock = fs::read_to_string(world.sandbox.path("project/sdks/wide/wide-1.2.3.yaml")).unwrap();
    assert!(lock.contains("name: wide"), "{lock}");
    world.sandbox.write("sdks/other/other-1.2.3.yaml", &lock.replace("name: wide", "name: other"));
    write(&world, "other", "example.com/tests/wide");
    world.run(&["preview"]).ended(1).says(&[
        "Its parameter for the package `other` turned it into the package `wide`",
        "the lock file of `other` below `sdks`",
        "`outrigger install`",
    ]);
}
