//! `outrigger plugin pack`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::CallContext;
use outrigger_workspace::pack;
use serde_json::Value as Json;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::{data, talk};

/// Files beside `Cargo.toml` that go into every archive, by the beginning of their names.
const OTHERS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "README"];

/// Pack a plugin for a release, as `pulumi` downloads and installs it.
///
/// Writes an archive for each platform, called `pulumi-resource-NAME-vVERSION-OS-ARCH.tar.gz`, and the checksums of all archives of that version.
/// The platform is read from the executable, and name and version are those that the plugin reports. The same executable gives the same
/// archive, byte for byte.
#[derive(Args, Debug)]
pub(super) struct Pack {
    /// The executables, one for each platform. Without them, they are the release builds of the crate in the current directory: those in
    /// `target/release` and in `target/TRIPLE/release`.
    #[arg(value_name = "EXECUTABLE")]
    executables: Vec<PathBuf>,
    /// Fail unless there is an executable for this platform, such as `linux-arm64`. May be given several times.
    #[arg(long, value_name = "OS-ARCH")]
    platform: Vec<String>,
    /// The directory to write to.
    #[arg(short, long, value_name = "DIRECTORY", default_value = "dist")]
    out: PathBuf,
    /// Replace archives that exist.
    #[arg(short, long)]
    force: bool,
}

impl Pack {
    pub(super) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let here = &environment.directory;
        let (executables, version, root) = match self.executables.as_slice() {
            [] => {
                let Crate { name, version, root, target } = Crate::read(here)?;
                (built(&target, &name)?, Some(version), root)
            }
            named => (named.iter().map(|path| here.join(path)).collect(), None, here.clone()),
        };
        let request = outrigger_workspace::Pack {
            executables,
            platforms: self.platform,
            version,
            others: others(&root),
            directory: here.join(&self.out),
            overwrite: self.force,
        };
        let packed = runtime()?.block_on(pack(&CallContext::background(), environment, &request))?;
        for name in packed.archives.values().chain([&packed.checksums]) {
            data(&self.out.join(name).display().to_string())?;
        }
        talk(&format!(
            "Packed {} {}. `pulumi plugin install resource {0} {1} --file ARCHIVE` installs an archive.",
            packed.plugin, packed.version
        ));
        Ok(())
    }
}

/// The crate of a plugin, as Cargo knows it.
struct Crate {
    /// The name of the executable.
    name: String,
    version: String,
    /// The directory of `Cargo.toml`.
    root: PathBuf,
    /// The directory of builds.
    target: PathBuf,
}

impl Crate {
    fn read(directory: &Path) -> Result<Self, Diagnostic> {
        let failed = |detail: String| {
            Diagnostic::error("pack-executable", "there is no crate of a plugin here")
                .detail(detail)
                .hint("Change to the directory of the plugin's crate, or name the executables to pack.")
        };
        let mut cargo = Command::new("cargo");
        cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(directory);
        let output = cargo.output().map_err(|error| failed(format!("`cargo` could not be started: {error}.")))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let metadata: Json = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let target = PathBuf::from(metadata["target_directory"].as_str().unwrap_or("target"));
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let plugins: Vec<Self> = packages.iter().filter_map(|package| Self::of(package, &target)).collect();
        // If a workspace has several, the one around the directory.
        let (mut inside, mut others): (Vec<Self>, Vec<Self>) =
            plugins.into_iter().partition(|plugin| directory.starts_with(&plugin.root));
        match (inside.pop(), inside.is_empty(), others.pop(), others.is_empty()) {
            (Some(plugin), true, ..) | (None, _, Some(plugin), true) => Ok(plugin),
            (None, _, None, _) => Err(failed("No binary of the crate is called `pulumi-resource-NAME`.".to_owned())),
            _ => Err(failed("There are several binaries called `pulumi-resource-NAME`.".to_owned())),
        }
    }

    /// A package with a binary that is called like a plugin.
    fn of(package: &Json, target: &Path) -> Option<Self> {
        let targets = package["targets"].as_array()?.iter();
        let mut binaries =
            targets.filter(|target| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"bin".into())));
        let name =
            binaries.find_map(|binary| binary["name"].as_str().filter(|name| name.starts_with("pulumi-resource-")))?;
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some(Self {
            name: name.to_owned(),
            version: package["version"].as_str()?.to_owned(),
            root: manifest.parent()?.to_owned(),
            target: target.to_owned(),
        })
    }
}

/// The release builds of an executable, for this machine and for each target triple.
fn built(target: &Path, name: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let triples = fs::read_dir(target).into_iter().flatten().flatten().map(|entry| entry.path());
    let directories = triples.chain([target.to_owned()]).map(|directory| directory.join("release"));
    let files = directories.flat_map(|directory| [directory.join(name), directory.join(format!("{name}.exe"))]);
    let mut found: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    found.sort();
    if found.is_empty() {
        return Err(Diagnostic::error("pack-executable", format!("there is no release build of `{name}`"))
            .detail(format!("It would be in `release` or `TRIPLE/release` below `{}`.", target.display()))
            .hint("Run `cargo build --release`, or name the executables to pack."));
    }
    Ok(found)
}

/// The licence and the readme.
fn others(root: &Path) -> Vec<PathBuf> {
    let wanted = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        entry.path().is_file() && OTHERS.iter().any(|begin| name.to_string_lossy().starts_with(begin))
    };
    let entries = fs::read_dir(root).into_iter().flatten().filter_map(io::Result::ok);
    let mut found: Vec<PathBuf> = entries.filter(wanted).map(|entry| entry.path()).collect();
    found.sort();
    found
}
