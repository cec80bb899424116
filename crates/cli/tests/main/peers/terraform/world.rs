//! A project with Terraform providers, and a cloud for them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::processes;
use crate::place::peer;
use crate::sandbox::{Answer, Sandbox, install};

/// Whose engine runs the providers. The bridge is ours in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tool {
    Outrigger,
    Pulumi,
}

/// Which bridge `pulumi` finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bridge {
    Ours,
    Go,
}

/// The plugin's executable, as `pulumi` keeps it.
const INSTALLED: &str = "home/.pulumi/plugins/resource-terraform-provider-v1.0.0";
const EXECUTABLE: &str = "pulumi-resource-terraform-provider";

/// The variable that every process of a world inherits, and by which they are found again.
const MARK: &str = "OUTRIGGER_WORLD";

/// A project with the stack `dev`, in which both tools find the same providers.
pub(super) struct World {
    pub(super) sandbox: Sandbox,
    pub(super) tool: Tool,
    /// The project file without the program.
    head: String,
}

impl World {
    /// A world with some of the peers as packages, each with a separate directory in the cloud, if it needs one.
    pub(super) fn new(tool: Tool, providers: &[&str], program: &str) -> Self {
        let providers: Vec<_> = providers.iter().map(|provider| (*provider, provider_path(provider))).collect();
        Self::with(tool, &providers, program)
    }

    /// The same with providers that may be elsewhere.
    pub(super) fn with(tool: Tool, providers: &[(&str, PathBuf)], program: &str) -> Self {
        let mut sandbox = Sandbox::new("");
        let mark = sandbox.path("").display().to_string();
        sandbox.set(MARK, Some(&mark));
        // AWS's provider and others call home.
        sandbox.set("CHECKPOINT_DISABLE", Some("1"));
        let packages = if providers.is_empty() { "" } else { "packages:\n" };
        let mut head = format!("name: shop\nruntime: yaml\n{packages}");
        for (provider, path) in providers {
            let _ = writeln!(
                head,
                "  \"{provider}\": {{source: terraform-provider, version: 1.0.0, parameters: ['{}']}}",
                path.display()
            );
        }
        let world = Self { sandbox, tool, head };
        world.find(Bridge::Ours);
        world.program(program);
        world.sandbox.outrigger(&["install"]).ok();
        world.sandbox.outrigger(&["stack", "init", "dev"]).ok();
        fs::create_dir(world.cloud("")).unwrap();
        for (provider, _) in providers.iter().filter(|(provider, _)| OWN.contains(provider)) {
            let directory = world.cloud(provider).display().to_string();
            world.sandbox.outrigger(&["config", "set", &format!("{provider}:directory"), &directory]).ok();
        }
        world
    }

    /// Where `pulumi` finds a bridge.
    pub(super) fn bridge(&self) -> PathBuf {
        self.sandbox.path(INSTALLED).join(EXECUTABLE)
    }

    /// From now on `pulumi` finds this bridge.
    pub(super) fn find(&self, bridge: Bridge) {
        let installed = self.bridge();
        fs::create_dir_all(installed.parent().unwrap()).unwrap();
        // There is none at first.
        let _ = fs::remove_file(&installed);
        let target = match bridge {
            Bridge::Ours => PathBuf::from(env!("CARGO_BIN_EXE_outrigger")),
            Bridge::Go => peer(format!("go-bridge/{EXECUTABLE}")),
        };
        // As `pulumi plugin install --file` leaves it: under the plugin's name, and no link to `outrigger`.
        install(&target, &installed);
    }

    /// Writes the program. `CLOUD` in it is the cloud's directory.
    pub(super) fn program(&self, program: &str) {
        let cloud = self.cloud("").display().to_string();
        let program = program.replace("CLOUD", cloud.trim_end_matches('/'));
        self.sandbox.write("Pulumi.yaml", &format!("{}{program}", self.head));
    }

    /// A directory of the cloud.
    pub(super) fn cloud(&self, inside: &str) -> PathBuf {
        self.sandbox.path("cloud").join(inside)
    }

    /// Creates or changes a thing, as another program would.
    pub(super) fn put(&self, provider: &str, kind: &str, id: &str, properties: &Json) {
        let directory = self.cloud(provider).join(kind);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(format!("{id}.json")), properties.to_string()).unwrap();
    }

    /// Everything of a kind, by id.
    pub(super) fn things(&self, provider: &str, kind: &str) -> BTreeMap<String, Json> {
        let entries = fs::read_dir(self.cloud(provider).join(kind)).into_iter().flatten();
        let things = entries.map(|entry| {
            let path = entry.unwrap().path();
            let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (id, serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        });
        things.collect()
    }

    /// Everything in the cloud, as paths.
    pub(super) fn everything(&self) -> Vec<String> {
        let mut found = Vec::new();
        let cloud = self.cloud("");
        visit(&cloud, &mut |path| found.push(path.strip_prefix(&cloud).unwrap().display().to_string()));
        found.sort();
        found
    }

    /// Runs the world's tool. Nothing of it is left afterwards.
    #[track_caller]
    pub(super) fn run(&self, arguments: &[&str]) -> Answer {
        self.run_with(self.tool, arguments)
    }

    /// Runs either tool.
    #[track_caller]
    pub(super) fn run_with(&self, tool: Tool, arguments: &[&str]) -> Answer {
        let answer = match tool {
            Tool::Outrigger => self.sandbox.outrigger(arguments),
            Tool::Pulumi => self.sandbox.pulumi(&[arguments, &["--stack", "dev"]].concat()),
        };
        let left = processes::gone(&self.mark(), processes::AT_ONCE);
        assert!(left.is_empty(), "{tool:?} left: {left:?}\n{}", answer.text());
        answer
    }

    /// Starts the world's tool and does not wait.
    pub(super) fn start(&self, arguments: &[&str]) -> Child {
        match self.tool {
            Tool::Outrigger => self.sandbox.start(arguments),
            Tool::Pulumi => self.sandbox.start_pulumi(&[arguments, &["--stack", "dev"]].concat()),
        }
    }

    /// No process that was started here lives, after something was killed or interrupted.
    #[track_caller]
    pub(super) fn assert_nobody_left(&self) {
        let left = processes::gone(&self.mark(), processes::GRACE);
        assert!(left.is_empty(), "left: {left:?}");
    }

    /// The environment variable that marks every process of this world.
    pub(super) fn mark(&self) -> String {
        format!("{MARK}={}", self.sandbox.path("").display())
    }
}

/// A provider in whose place something else can be put.
pub(super) struct Replaceable {
    directory: TempDir,
    name: String,
}

impl Replaceable {
    /// One of the peers. A link: the digest of a file that was just created is not cached.
    pub(super) fn new(name: &str) -> Self {
        let replaceable = Self { directory: tempfile::tempdir().unwrap(), name: name.to_owned() };
        symlink(provider_path(name), replaceable.path()).unwrap();
        replaceable
    }

    pub(super) fn path(&self) -> PathBuf {
        self.directory.path().join(format!("terraform-provider-{}", self.name))
    }

    /// From now on it is a script of the shell.
    pub(super) fn becomes(&self, script: &str) {
        fs::remove_file(self.path()).unwrap();
        fs::write(self.path(), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(self.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The same, and the schema cached for the original counts as the script's: a native program that hangs would have one.
    pub(super) fn becomes_in_disguise(&self, world: &World, script: &str) {
        self.becomes(script);
        let now = fs::metadata(self.path()).unwrap();
        let nanoseconds = |seconds: i64, rest: i64| seconds * 1_000_000_000 + rest;
        let entries = fs::read_dir(world.sandbox.path("home/.cache/outrigger/digests")).unwrap();
        let mut known = entries.map(|entry| entry.unwrap().path()).filter_map(|file| {
            let entry: Json = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            (entry["path"] == self.path().display().to_string()).then_some((file, entry))
        });
        let (file, mut entry) = known.next().unwrap();
        entry["stamp"] = json!({
            "device": now.dev(),
            "inode": now.ino(),
            "size": now.size(),
            "modified": nanoseconds(now.mtime(), now.mtime_nsec()),
            "changed": nanoseconds(now.ctime(), now.ctime_nsec()),
        });
        fs::write(file, entry.to_string()).unwrap();
    }
}

/// Providers that keep their resources in a directory that their configuration names.
const OWN: [&str; 7] = ["wide", "narrow", "classic", "ancient", "mixed", "raised", "crude"];

/// The executable of a provider among the peers.
pub(super) fn provider_path(name: &str) -> PathBuf {
    peer(format!("terraform/terraform-provider-{name}"))
}

fn visit(directory: &Path, found: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { visit(&path, found) } else { found(&path) }
    }
}
