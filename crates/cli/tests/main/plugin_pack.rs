//! `outrigger plugin pack`: archives that `pulumi` installs, and nothing half-written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::{Sandbox, install};

/// The version of the example `shelf`: that of the crate whose example it is.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn platform() -> String {
    outrigger_package::terraform::Platform::current().to_string().replace('_', "-")
}

fn archive() -> String {
    format!("pulumi-resource-shelf-v{VERSION}-{}.tar.gz", platform())
}

fn built(name: &str) -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().with_file_name(name)
}

/// A sandbox with a crate whose release build is the example `shelf`.
fn sandbox(version: &str) -> Sandbox {
    let mut sandbox = Sandbox::new("name: library\nruntime: yaml\n");
    let cargo = Path::new(env!("CARGO")).parent().unwrap().to_owned();
    sandbox.prefer(&cargo);
    let manifest = format!(
        "[package]\nname = \"pulumi-resource-shelf\"\nversion = \"{version}\"\nedition = \"2024\"\n[workspace]\n"
    );
    sandbox.write("Cargo.toml", &manifest);
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.write("LICENSE-MIT", "As you like.\n");
    sandbox.write("README.md", "# A shelf\n");
    fs::create_dir_all(sandbox.path("project/target/release")).unwrap();
    install(&built("examples/shelf"), &sandbox.path("project/target/release/pulumi-resource-shelf"));
    sandbox
}

/// An executable's header for another processor.
fn elsewhere(sandbox: &Sandbox, triple: &str) {
    let mut header = b"\x7fELF\x02\x01\x01".to_vec();
    header.resize(16, 0);
    header.extend([2, 0, 243, 0]);
    let directory = sandbox.path(&format!("project/target/{triple}/release"));
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("pulumi-resource-shelf"), header).unwrap();
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_release_builds_of_the_crate_are_packed() {
    let sandbox = sandbox(VERSION);
    elsewhere(&sandbox, "riscv64gc-unknown-linux-musl");
    let dist = sandbox.path("project/dist");
    let foreign = format!("pulumi-resource-shelf-v{VERSION}-linux-riscv64.tar.gz");
    let sums = format!("pulumi-shelf_{VERSION}_checksums.txt");
    let answer = sandbox.outrigger(&["plugin", "pack", "--platform", "linux-riscv64", "--platform", &platform()]).ok();
    assert_eq!(answer.stdout, format!("dist/{}\ndist/{foreign}\ndist/{sums}\n", archive()));
    assert!(answer.stderr.contains(&format!("pulumi plugin install resource shelf {VERSION}")), "{}", answer.stderr);
    assert_eq!(files(&dist), [archive(), foreign, sums.clone()]);

    // Other programs agree about its contents.
    let tar = Command::new("tar").arg("-tvzf").arg(dist.join(archive())).output().unwrap();
    let listed = String::from_utf8_lossy(&tar.stdout).into_owned();
    let names: Vec<&str> = listed.lines().map(|line| line.split_whitespace().last().unwrap()).collect();
    assert_eq!(names, ["pulumi-resource-shelf", "LICENSE-MIT", "README.md"], "{listed}");
    assert!(listed.starts_with("-rwxr-xr-x"), "{listed}");
    let checked = Command::new("sha256sum").args(["--check", "--strict", &sums]).current_dir(&dist).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");

    let first = fs::read(dist.join(archive())).unwrap();
    sandbox.outrigger(&["plugin", "pack"]).ended(1).says(&[
        "error[pack-write]",
        &archive(),
        "exists already",
        "--force",
    ]);
    sandbox.outrigger(&["plugin", "pack", "--force"]).ok();
    assert!(fs::read(dist.join(archive())).unwrap() == first);
}

#[test]
fn mistakes_have_answers_and_leave_nothing() {
    let sandbox = sandbox("9.9.9");
    let pack = |arguments: &[&str]| sandbox.outrigger(&[&["plugin", "pack"], arguments].concat());
    pack(&[]).ended(1).says(&["error[pack-version]", &format!("version {VERSION}"), "9.9.9", "Build the plugin again"]);
    pack(&["--platform", "linux-riscv64"]).ended(1).says(&["no executable for `linux-riscv64`", "cargo build"]);
    elsewhere(&sandbox, "riscv64gc-unknown-linux-musl");
    elsewhere(&sandbox, "riscv64gc-unknown-linux-gnu");
    pack(&[]).ended(1).says(&[
        "two executables for `linux-riscv64`",
        "riscv64gc-unknown-linux-gnu",
        "outrigger plugin pack PATH",
    ]);
    fs::remove_dir_all(sandbox.path("project/target")).unwrap();
    pack(&[]).ended(1).says(&["no release build of `pulumi-resource-shelf`", "cargo build --release"]);
    pack(&["./Cargo.toml"]).ended(1).says(&["`", "is not an executable"]);
    sandbox.write("Cargo.toml", "[package]\nname = \"shelf\"\nversion = \"1.0.0\"\n[workspace]\n");
    pack(&[]).ended(1).says(&["error[pack-executable]", "No binary of the crate is called `pulumi-resource-NAME`"]);
    fs::remove_file(sandbox.path("project/Cargo.toml")).unwrap();
    pack(&[]).ended(1).says(&["there is no crate of a plugin here", "could not find `Cargo.toml`"]);
    assert!(!sandbox.path("project/dist").exists());
}

/// Executables that are no plugins, or plugins of another name.
#[test]
fn an_executable_that_does_not_serve_is_refused() {
    let mut sandbox = sandbox(VERSION);
    let chaos = sandbox.path("project/pulumi-resource-chaos");
    install(&Path::new(env!("CARGO_BIN_EXE_outrigger")).with_file_name("pulumi-resource-chaos"), &chaos);
    let pack = |sandbox: &Sandbox, name: &str| sandbox.outrigger(&["plugin", "pack", name]);
    for (chaos, says) in
        [("start=garbage", "error[plugin-"), ("start=exit", "error[plugin-"), ("GetSchema=exit", "GetSchema")]
    {
        sandbox.set("CHAOS", Some(chaos));
        pack(&sandbox, "./pulumi-resource-chaos").ended(1).says(&[says, "help:"]);
    }
    sandbox.set("CHAOS", None);
    install(&built("examples/shelf"), &sandbox.path("project/pulumi-resource-rack"));
    pack(&sandbox, "pulumi-resource-rack").ended(1).says(&["error[pack-version]", "is the package `shelf`", "`rack`"]);
    assert!(!sandbox.path("project/dist").exists());
}

#[test]
fn a_full_disk_leaves_no_archive() {
    let sandbox = sandbox(VERSION);
    sandbox.outrigger_with_little_room(64, "plugin pack").ended(1).says(&[
        "error[pack-write]",
        &archive(),
        "Free some space",
    ]);
    assert_eq!(files(&sandbox.path("project/dist")), Vec::<String>::new());
}

mod peers {
    use super::*;

    #[test]
    fn pulumi_installs_it_and_both_run_it() {
        let mut sandbox = sandbox(VERSION);
        sandbox.outrigger(&["plugin", "pack", "--out", "release"]).ok();
        let archive = format!("release/{}", archive());
        sandbox.pulumi(&["plugin", "install", "resource", "shelf", VERSION, "--file", &archive]).ok();
        let installed = sandbox.path(&format!("home/.pulumi/plugins/resource-shelf-v{VERSION}"));
        assert!(files(&installed).contains(&"pulumi-resource-shelf".to_owned()), "{:?}", files(&installed));
        fs::remove_dir_all(sandbox.path("project/target")).unwrap();

        sandbox.write("Pulumi.yaml", include_str!("../../../../examples/shelf/Pulumi.yaml"));
        let notes = sandbox.path("notes");
        fs::create_dir(&notes).unwrap();
        sandbox.set("SHELF_DIRECTORY", notes.to_str());
        sandbox.outrigger(&["stack", "init", "dev"]).ok();
        sandbox.pulumi(&["up", "--yes", "--skip-preview"]).ok();
        assert_eq!(files(&notes), ["groceries.txt"]);
        sandbox.outrigger(&["up", "--yes", "--expect-no-changes"]).ok();
        sandbox.outrigger(&["destroy", "--yes"]).ok();
        assert_eq!(files(&notes), Vec::<String>::new());
    }
}
