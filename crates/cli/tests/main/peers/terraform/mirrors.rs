//! Providers from a filesystem mirror, named by Terraform's own CLI configuration, in both layouts.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use outrigger_terraform::address::{OPENTOFU_HOST, TERRAFORM_HOST};

use super::world::{Tool, World, provider_path};
use crate::peers::providers::life::wanted;

/// A mirror with both layouts.
pub(super) struct Mirror {
    root: PathBuf,
}

/// The platform in Terraform's words.
pub(super) fn platform() -> String {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}_{architecture}", std::env::consts::OS)
}

impl Mirror {
    /// An empty mirror, and the configuration that names it for both tools.
    pub(super) fn new(world: &mut World) -> Self {
        let root = world.sandbox.path("mirror");
        let config = format!(
            "provider_installation {{\n  filesystem_mirror {{\n    path = \"{}\"\n    include = [\"example.com/*/*\"]\n  }}\n}}\n",
            root.display()
        );
        let file = world.sandbox.path("terraformrc");
        fs::write(&file, config).unwrap();
        world.sandbox.set("TF_CLI_CONFIG_FILE", Some(&file.display().to_string()));
        fs::create_dir(&root).unwrap();
        Self { root }
    }

    fn provider(&self, name: &str) -> PathBuf {
        self.root.join("example.com/tests").join(name)
    }

    /// A provider as a directory.
    pub(super) fn unpacked(&self, name: &str, version: &str) {
        let directory = self.provider(name).join(version).join(platform());
        fs::create_dir_all(&directory).unwrap();
        fs::copy(provider_path(name), directory.join(format!("terraform-provider-{name}_v{version}"))).unwrap();
    }

    /// A provider for a platform that is never used.
    pub(super) fn foreign(&self, name: &str, version: &str) {
        let directory = self.provider(name).join(version).join("plan9_mips");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("terraform-provider-{name}_v{version}")), "").unwrap();
    }

    /// A provider in its right place, but for another system.
    pub(super) fn strange(&self, name: &str, version: &str) {
        let directory = self.provider(name).join(version).join(platform());
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(format!("terraform-provider-{name}_v{version}"));
        fs::write(&path, [&b"\xcf\xfa\xed\xfe"[..], &[0; 60]].concat()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A provider that was removed.
    pub(super) fn removed(&self, name: &str) {
        fs::remove_dir_all(self.provider(name)).unwrap();
    }

    /// A provider as an archive.
    pub(super) fn packed(&self, name: &str, version: &str) {
        let program = fs::read(provider_path(name)).unwrap();
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .unix_permissions(0o755);
        let mut archive = zip::ZipWriter::new(fs::File::create(self.archive(name, version)).unwrap());
        archive.start_file(format!("terraform-provider-{name}_v{version}"), options).unwrap();
        archive.write_all(&program).unwrap();
        archive.finish().unwrap();
    }

    /// An archive whose end is missing.
    pub(super) fn damaged(&self, name: &str, version: &str) {
        fs::write(self.archive(name, version), b"PK\x03\x04 and no more").unwrap();
    }

    fn archive(&self, name: &str, version: &str) -> PathBuf {
        let directory = self.provider(name);
        fs::create_dir_all(&directory).unwrap();
        directory.join(format!("terraform-provider-{name}_{version}_{}.zip", platform()))
    }
}

#[test]
fn both_layouts_under_both_tools() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let mirror = Mirror::new(&mut world);
    mirror.unpacked("wide", "1.1.0");
    mirror.unpacked("wide", "1.2.3");
    mirror.packed("classic", "2.0.0");
    for arguments in [&["example.com/tests/wide", "~> 1.1"][..], &["example.com/tests/classic"]] {
        world.run(&[&["package", "add", "terraform-provider"], arguments].concat()).ok();
    }
    let project = world.sandbox.read("Pulumi.yaml");
    // A place where `pulumi` finds only the contents of the lock files.
    let lock = world.sandbox.read("sdks/wide/wide-1.2.3.yaml");
    assert!(lock.contains("version: 1.2.3"), "{lock}");
    let program = "resources:\n  a: {type: 'wide:Named', properties: {name: first, value: one}}\n  \
                   b: {type: 'classic:Primitives', properties: {aString: one}}\n";
    world.sandbox.write("Pulumi.yaml", &format!("{project}{program}"));
    for provider in ["wide", "classic"] {
        let directory = world.cloud(provider).display().to_string();
        world.sandbox.outrigger(&["config", "set", &format!("{provider}:directory"), &directory]).ok();
    }
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    assert_eq!(wanted(&world.sandbox).len(), 2);
    world.run_with(Tool::Pulumi, &["preview", "--expect-no-changes"]).ok();

    // Everything that `package add` wrote besides the project file can be written again.
    fs::remove_dir_all(world.sandbox.path("project/sdks")).unwrap();
    world.run(&["install"]).ok().says(&["wide: wrote sdks/wide/wide-1.2.3.yaml"]);
    assert_eq!(world.sandbox.read("sdks/wide/wide-1.2.3.yaml"), lock);
    world.run_with(Tool::Pulumi, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
    world.run_with(Tool::Pulumi, &["destroy", "--yes", "--skip-preview"]).ok();
    assert_eq!(world.everything(), Vec::<String>::new());
}

/// An archive is unpacked into a directory of the user's own, or nowhere; and a damaged copy there is unpacked again.
#[test]
fn what_is_unpacked_is_ours_alone() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let mirror = Mirror::new(&mut world);
    mirror.packed("classic", "2.0.0");
    mirror.unpacked("wide", "1.2.3");
    let add = |world: &World, name: &str| {
        world.run(&["package", "add", "terraform-provider", &format!("example.com/tests/{name}")])
    };
    add(&world, "wide").ok();
    add(&world, "classic").ok();
    let place = format!("home/.cache/outrigger/terraform/example.com/tests/classic/2.0.0/{}", platform());
    let unpacked = fs::read_dir(world.sandbox.path(&place)).unwrap().map(|entry| entry.unwrap().path());
    let unpacked = unpacked.filter(|path| path.is_dir()).collect::<Vec<_>>();
    assert_eq!(unpacked.len(), 1, "{unpacked:?}");
    let program = unpacked[0].join("terraform-provider-classic_v2.0.0");
    fs::File::options().write(true).open(&program).unwrap().set_len(100).unwrap();
    world.run(&["install"]).ok().says(&["classic: sdks/classic/classic-2.0.0.yaml is up to date"]);
}

/// A user of `pulumi` installs a plugin, and adds packages with it: the resulting files are the same.
#[test]
fn pulumi_installs_us_and_adds_packages_with_us() {
    let world = World::new(Tool::Pulumi, &[], "");
    fs::remove_dir_all(world.sandbox.path("home/.pulumi/plugins")).unwrap();
    let executable = env!("CARGO_BIN_EXE_outrigger");
    let install = ["plugin", "install", "resource", "terraform-provider", "v1.0.0", "--file", executable];
    world.sandbox.pulumi(&install).ok();
    let path = provider_path("random").display().to_string();
    world.sandbox.pulumi(&["package", "add", "terraform-provider@1.0.0", &path]).ok();
    world.assert_nobody_left();
    let (project, lock) = (world.sandbox.read("Pulumi.yaml"), world.sandbox.read("sdks/random/random-0.0.0.yaml"));
    fs::remove_dir_all(world.sandbox.path("project/sdks")).unwrap();
    world.program("");
    world.run_with(Tool::Outrigger, &["package", "add", "terraform-provider@1.0.0", &path]).ok();
    assert_eq!(world.sandbox.read("sdks/random/random-0.0.0.yaml"), lock);
    let program = "resources:\n  a: {type: 'random:Pet'}\n";
    world.sandbox.write("Pulumi.yaml", &format!("{project}{program}"));
    world.run(&["up", "--yes", "--skip-preview"]).ok();
    world.run_with(Tool::Outrigger, &["up", "--yes", "--skip-preview", "--expect-no-changes"]).ok();
    world.run(&["destroy", "--yes", "--skip-preview"]).ok();
}

/// A short address is OpenTofu's, and a mirror that Terraform wrote has the provider under its own registry.
#[test]
fn a_short_address_is_found_in_terraforms_mirror() {
    let mut world = World::new(Tool::Outrigger, &[], "");
    let mirror = Mirror::new(&mut world);
    mirror.unpacked("wide", "1.2.3");
    fs::rename(mirror.root.join("example.com"), mirror.root.join(TERRAFORM_HOST)).unwrap();
    let config = world.sandbox.path("terraformrc");
    let of_terraform = fs::read_to_string(&config).unwrap().replace("example.com/*/*", "*/*/*");
    fs::write(&config, of_terraform).unwrap();
    let there = format!("{TERRAFORM_HOST}/tests/wide");
    let add = |address: &str| world.run(&["package", "add", "terraform-provider", address]);
    add("tests/wide").ok().says(&[&format!("`{there}` is used"), "Added package wide"]);
    world.run(&["install"]).ok().says(&["sdks/wide/wide-1.2.3.yaml is up to date"]);
    add(&format!("{OPENTOFU_HOST}/tests/wide")).ended(1).says(&["was not found", &there]);
}
