//! The README's quick start: its script, and the commands that it shows next.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::sandbox::Sandbox;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");

/// The script from a clone in which the build is done: `cargo` has nothing to do.
#[test]
fn one_command_from_a_clone_to_a_stack_that_is_up() {
    let sandbox = Sandbox::new("name: unused\nruntime: yaml\n");
    let clone = sandbox.path("clone");
    let folder = clone.join("examples/quickstart");
    fs::create_dir_all(clone.join("target/release")).unwrap();
    fs::create_dir_all(&folder).unwrap();
    for name in ["Pulumi.yaml", "start.sh"] {
        fs::copy(Path::new(EXAMPLE).join(name), folder.join(name)).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_outrigger"), clone.join("target/release/outrigger")).unwrap();
    let bin = sandbox.path("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("cargo"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bin.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let shell = |script: &str| {
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(&clone)
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("HOME", sandbox.path("home"))
            .output()
            .unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{script}:\n{text}");
        text
    };
    const START: &str = ". examples/quickstart/start.sh";
    let text = shell(START);
    assert!(text.contains("file://") && !text.contains("error"), "{text}");
    let page = fs::read_to_string(folder.join("site/index.html")).unwrap();
    assert!(page.contains("<h1>Ahoy, "), "{page}");
    let key = fs::read_to_string(folder.join("site/key.txt")).unwrap();
    assert!(key.trim().len() == 24 && !text.contains(key.trim()), "the secret is shown:\n{text}");
    assert_eq!(fs::metadata(folder.join("site/key.txt")).unwrap().permissions().mode() & 0o077, 0);

    // The next commands in the README, in the shell that the script leaves.
    shell(&format!("{START} && outrigger preview --expect-no-changes"));
    let told = shell(&format!("{START} && outrigger config set greeting Hello && outrigger up --yes --diff"));
    assert!(told.contains("Hello") && told.contains("Ahoy"), "no difference is shown:\n{told}");
    assert!(fs::read_to_string(folder.join("site/index.html")).unwrap().contains("<h1>Hello, "));
    let told = shell(&format!("{START} && outrigger stack output --show-secrets"));
    assert!(told.contains(key.trim()), "{told}");
    shell(&format!("{START} && outrigger destroy --yes"));
    assert!(!folder.join("site").exists());
}
