//! The walks in `docs` that need a peer.

use std::fs;
use std::os::unix::fs::symlink;

use crate::place::peer;
use crate::sandbox::Sandbox;
use crate::walks::walk;

/// An empty project directory.
fn empty() -> Sandbox {
    let mut sandbox = Sandbox::new("");
    fs::remove_file(sandbox.path("project/Pulumi.yaml")).unwrap();
    sandbox.with_outrigger_on_path();
    sandbox
}

#[test]
fn from_pulumi() {
    let mut sandbox = empty();
    let bin = sandbox.path("bin");
    for name in ["pulumi", "pulumi-language-yaml"] {
        symlink(peer(format!("bin/{name}")), bin.join(name)).unwrap();
    }
    // The provider comes from the cache, as everywhere but in these tests.
    let random = peer("bin/pulumi-resource-random").display().to_string();
    sandbox.pulumi(&["plugin", "install", "resource", "random", "4.19.0", "--file", &random]).ok();
    sandbox.set("PATH", Some(&format!("{}:/usr/bin:/bin", bin.display())));
    walk(&sandbox, "from-pulumi.md");
}

#[test]
fn from_terraform() {
    let mut sandbox = empty();
    // As `terraform providers mirror` writes it, unpacked.
    let mirror = sandbox.path("home/mirror");
    let platform = format!("linux_{}", if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" });
    for (name, version) in [("random", "3.7.2"), ("local", "2.5.3")] {
        let provider = mirror.join(outrigger_terraform::address::OPENTOFU_HOST).join("hashicorp").join(name);
        let directory = provider.join(version).join(&platform);
        fs::create_dir_all(&directory).unwrap();
        let program = directory.join(format!("terraform-provider-{name}_v{version}_x5"));
        symlink(peer(format!("terraform/terraform-provider-{name}")), program).unwrap();
    }
    let configuration = sandbox.path("home/.terraformrc");
    let text = format!("provider_installation {{\n  filesystem_mirror {{ path = \"{}\" }}\n}}\n", mirror.display());
    fs::write(&configuration, text).unwrap();
    sandbox.set("TF_CLI_CONFIG_FILE", Some(&configuration.display().to_string()));
    walk(&sandbox, "from-terraform.md");
}
