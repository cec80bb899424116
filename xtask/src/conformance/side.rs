//! One project under one of the two programs.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::cases::{Case, Config, Update};
use super::compare::{self, Difference};
use super::lay_out;
use crate::peers::{Peers, remove};
use crate::process::Finished;
use crate::sandbox::{Sandbox, Tool};

/// Raise this when the commands of a run change: cached results are then replaced.
const FORMAT: u32 = 1;

/// The maximum number of `pulumi` runs of one project.
const RUNS: usize = 3;

/// The stack that `l1-stack-reference` refers to, as a project.
const OTHER_STACK: &str = "name: other\nruntime: yaml\noutputs:\n  plain: plain\n  secret:\n    fn::secret: secret\n";

/// The results of a program with a project.
#[derive(Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) steps: Vec<Step>,
}

/// The results of one update.
#[derive(Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) preview: Command,
    pub(crate) up: Command,
    /// The state afterwards as `pulumi` exports it, with plain secrets.
    pub(crate) export: String,
    /// The state as `outrigger` exports it.
    pub(crate) own_export: Option<String>,
}

/// The result of a command.
#[derive(Serialize, Deserialize)]
pub(crate) struct Command {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
}

impl Run {
    /// Everything, for the details file.
    pub(crate) fn transcript(&self) -> String {
        let mut text = String::new();
        for (index, step) in self.steps.iter().enumerate() {
            let _ = writeln!(text, "---- update {index}: preview {}", step.preview.output);
            let _ = writeln!(text, "---- update {index}: up {}", step.up.output);
            let _ = writeln!(text, "---- update {index}: state as pulumi reads it\n{}", step.export);
            if let Some(own) = &step.own_export {
                let _ = writeln!(text, "---- update {index}: outrigger stack export\n{own}");
            }
        }
        text
    }
}

impl From<Finished> for Command {
    fn from(finished: Finished) -> Self {
        Command { code: finished.code, output: finished.transcript() }
    }
}

/// The place in which a project runs.
pub(crate) struct Place<'a> {
    pub(crate) scratch: &'a Path,
    pub(crate) peers: &'a Peers,
    pub(crate) outrigger: &'a Path,
    /// The folder in which providers are our relay, for the side other than plain `pulumi`.
    pub(crate) relay: Option<&'a Path>,
}

/// The results of `pulumi` with a project, cached in a file under a hash of the project.
pub(crate) struct Remembered {
    file: PathBuf,
    pub(crate) runs: Vec<Run>,
}

impl Remembered {
    /// The cached results, or new ones.
    pub(crate) fn load(case: &Case<'_>, place: &Place<'_>, fresh: bool) -> Result<Self> {
        let folder = place.peers.cache().join("conformance");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let file = folder.join(format!("{}-{:016x}.json", case.name, key(case, place)?));
        let text = if fresh { None } else { fs::read_to_string(&file).ok() };
        let runs = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let mut remembered = Remembered { file, runs };
        if remembered.runs.is_empty() {
            remembered.run_again(case, place)?;
        }
        Ok(remembered)
    }

    /// The difference of another run. The exports of a failing program at its end, and the order of some lists, are races in
    /// `pulumi`: before we report a difference, we check for its other results.
    pub(crate) fn difference(
        &mut self,
        case: &Case<'_>,
        place: &Place<'_>,
        actual: &Run,
    ) -> Result<Option<Difference>> {
        let mut difference = compare::runs(&self.runs, actual);
        while difference.is_some() && self.runs.len() < RUNS {
            self.run_again(case, place)?;
            difference = compare::runs(&self.runs, actual);
        }
        Ok(difference)
    }

    /// Runs the project once more under `pulumi`.
    fn run_again(&mut self, case: &Case<'_>, place: &Place<'_>) -> Result<()> {
        self.runs.push(run(case, place, Tool::Pulumi)?);
        let unfinished = self.file.with_extension("unfinished");
        fs::write(&unfinished, serde_json::to_string(&self.runs)?)?;
        fs::rename(&unfinished, &self.file).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// Runs a project under one of the two.
pub(crate) fn run(case: &Case<'_>, place: &Place<'_>, tool: Tool) -> Result<Run> {
    let &Place { scratch, peers, outrigger, relay } = place;
    let root = scratch.join(tool.name());
    let project = scratch.join("project");
    remove(&root)?;
    remove(&project)?;
    fs::create_dir_all(&project)?;
    let mut sandbox = Sandbox::create(&root, peers, outrigger)?;
    if let (Some(relay), Tool::Outrigger) = (relay, tool) {
        sandbox.prefer(relay);
        sandbox.set("RELAY_TO", peers.conformance().display().to_string());
    }
    install_simple(case, &mut sandbox, peers)?;
    if case.needs_other_stack {
        make_other_stack(&sandbox, &root.join("other"), tool)?;
    }
    let mut steps = Vec::new();
    for (index, update) in case.updates.iter().enumerate() {
        lay_out(&project, &update.sources)?;
        if index == 0 {
            // An error here shows in the comparison, on the side where it happened.
            sandbox.run(tool, &project, &["stack", "init", "test"])?;
        }
        steps.push(step(&sandbox, &project, update, tool)?);
    }
    Ok(Run { steps })
}

fn step(sandbox: &Sandbox, project: &Path, update: &Update<'_>, tool: Tool) -> Result<Step> {
    for config in &update.config {
        sandbox.run(tool, project, &config.arguments())?;
    }
    let with = |arguments: &[&'static str]| [arguments, update.arguments.as_slice()].concat();
    // A preview takes `--target` and `--parallel`, but has nothing to continue after an error.
    let mut previewed = with(&["preview", "--stack", "test"]);
    previewed.retain(|argument| *argument != "--continue-on-error");
    let preview = sandbox.run(tool, project, &previewed)?.into();
    let up = sandbox.run(tool, project, &with(&["up", "--yes", "--skip-preview", "--stack", "test"]))?.into();
    let export =
        exported(sandbox.run(Tool::Pulumi, project, &["stack", "export", "--stack", "test", "--show-secrets"])?);
    let own_export = match tool {
        Tool::Pulumi => None,
        Tool::Outrigger => Some(exported(sandbox.run(tool, project, &["stack", "export", "--stack", "test"])?)),
    };
    Ok(Step { preview, up, export, own_export })
}

/// The export, or the error output in its place.
fn exported(finished: Finished) -> String {
    if finished.code == Some(0) { finished.stdout } else { finished.transcript() }
}

impl<'a> Config<'a> {
    /// The command line that sets this value.
    pub(crate) fn arguments(&self) -> Vec<&'a str> {
        match *self {
            Config::Plain(key, value) => vec!["config", "set", "--stack", "test", key, value],
            Config::Secret(key, value) => vec!["config", "set", "--stack", "test", "--secret", key, value],
            Config::Path(key, value) => vec!["config", "set", "--stack", "test", "--path", key, value],
        }
    }
}

/// Puts versions of `simple` into the plugin cache, so that the provider on the path does not win.
fn install_simple(case: &Case<'_>, sandbox: &mut Sandbox, peers: &Peers) -> Result<()> {
    for version in case.simple_versions {
        let folder = sandbox.home().join("plugins").join(format!("resource-simple-v{version}"));
        fs::create_dir_all(&folder)?;
        // A copy, not a link: the program takes its version from the folder that it was started in.
        fs::copy(peers.bin().join("pulumi-conformance"), folder.join("pulumi-resource-simple"))?;
    }
    if !case.simple_versions.is_empty() {
        sandbox.set("PULUMI_IGNORE_AMBIENT_PLUGINS", "true");
    }
    Ok(())
}

fn make_other_stack(sandbox: &Sandbox, folder: &Path, tool: Tool) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("Pulumi.yaml"), OTHER_STACK)?;
    sandbox.run(tool, folder, &["stack", "init", "dev"])?;
    sandbox.run(tool, folder, &["up", "--yes", "--skip-preview", "--stack", "dev"])?;
    Ok(())
}

/// Everything that affects the results of `pulumi`: files, settings, folder (programs can ask for it), the peers' build.
fn key(case: &Case<'_>, place: &Place<'_>) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    FORMAT.hash(&mut hasher);
    place.scratch.hash(&mut hasher);
    case.simple_versions.hash(&mut hasher);
    case.needs_other_stack.hash(&mut hasher);
    for name in ["pulumi", "pulumi-language-yaml", "pulumi-conformance"] {
        let metadata = fs::metadata(place.peers.bin().join(name))?;
        (metadata.len(), metadata.modified()?).hash(&mut hasher);
    }
    for update in &case.updates {
        update.arguments.hash(&mut hasher);
        for config in &update.config {
            config.arguments().hash(&mut hasher);
        }
        hash_tree(&update.sources, &mut hasher)?;
    }
    Ok(hasher.finish())
}

fn hash_tree(folder: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        entry.file_name().hash(hasher);
        if entry.file_type()?.is_dir() {
            hash_tree(&entry.path(), hasher)?;
        } else {
            fs::read(entry.path())?.hash(hasher);
        }
    }
    Ok(())
}
