//! A scratch directory with plugins, a host for it, and a way to list the processes that run there.

#[path = "../../../../xtask/src/peers/place.rs"]
pub(crate) mod place;

use std::ffi::OsString;
use std::fs;
use std::ops::Deref;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger_host::{Host, HostOptions, ProjectOptions, Run};
use outrigger_package::pulumi::Search;
use outrigger_provider::{CallContext, Configure, NoLog, PluginDescriptor};
use outrigger_pulumi::Pulumi;
use outrigger_transport::Protocol;
use outrigger_value::{PropertyMap, Urn};
use rustix::process::{Pid, Signal, kill_process};

/// How long a test waits for something that takes milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A scratch directory. Plugins run in it, so the tests can recognize them among all processes.
pub(crate) struct Scratch {
    directory: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    /// A plugin that is a shell script. `$REAL` is the real random provider.
    pub(crate) fn script(&self, name: &str, text: &str) -> PluginDescriptor {
        let path = self.bin().join(format!("pulumi-resource-{name}"));
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        PluginDescriptor::named(name, None)
    }

    /// A real plugin.
    pub(crate) fn real(&self, name: &str) -> PluginDescriptor {
        let file = format!("pulumi-resource-{name}");
        symlink(place::peer(format!("bin/{file}")), self.bin().join(&file)).unwrap();
        PluginDescriptor::named(name, None)
    }

    pub(crate) fn options(&self) -> HostOptions {
        options(&self.path())
    }

    pub(crate) fn host(&self) -> InRun {
        InRun::new(&self.path(), self.options())
    }

    fn bin(&self) -> PathBuf {
        let bin = self.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        bin
    }
}

/// A host with one run.
pub(crate) struct InRun {
    host: Host,
    pub(crate) run: Arc<Run>,
}

impl InRun {
    /// A host for the project `shop`, whose plugins run in a directory.
    pub(crate) fn new(directory: &Path, options: HostOptions) -> Self {
        let host = Host::new(options).unwrap();
        let run = Arc::new(host.run(project("shop", directory), Arc::new(NoLog)));
        Self { host, run }
    }

    pub(crate) async fn shutdown(&self) {
        self.host.shutdown().await;
    }
}

impl Deref for InRun {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

/// A project whose plugins run in a directory.
pub(crate) fn project(name: &str, directory: &Path) -> ProjectOptions {
    ProjectOptions { name: name.to_owned(), directory: directory.to_owned(), ..ProjectOptions::default() }
}

/// Pulumi's plugins in one directory.
pub(crate) fn pulumi(path: PathBuf) -> Vec<Arc<dyn Protocol>> {
    let search = Search { path: vec![path], ..Search::default() };
    vec![Arc::new(Pulumi { resolver: Arc::new(search), call_log: None })]
}

/// Options for plugins in `bin` of a directory.
pub(crate) fn options(directory: &Path) -> HostOptions {
    let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let peers = place::directory().unwrap_or_default();
    environment.push(("REAL".into(), peers.join("bin/pulumi-resource-random").into()));
    let protocols = pulumi(directory.join("bin"));
    HostOptions { environment, protocols, ..HostOptions::default() }
}

/// The processes that run in a directory, without zombies.
pub(crate) fn processes_in(directory: &Path) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let mut found: Vec<u32> = all
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == directory))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    found.sort_unstable();
    found
}

/// The living children of a process.
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.first().is_some_and(|state| *state != "Z") && fields.get(1) == Some(&parent.to_string().as_str())
    })
    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    .collect()
}

/// Polls until the condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

pub(crate) fn sigkill(process: u32) {
    let pid = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

pub(crate) fn cx() -> CallContext {
    CallContext::background().within(PATIENCE)
}

/// A configuration of a provider resource with this name.
pub(crate) fn configuration(name: &str) -> Configure {
    Configure {
        urn: Urn::new("dev", "shop", None, "pulumi:providers:random", name),
        id: "8a1c".to_owned(),
        inputs: PropertyMap::new(),
    }
}
