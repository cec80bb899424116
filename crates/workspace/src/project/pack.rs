//! The archives of a plugin's release.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use outrigger_diagnostic::Diagnostic;
use outrigger_package::pulumi::{Archive, checksums, parse_version, platform_of};
use outrigger_package::terraform::Platform;
use outrigger_provider::CallContext;
use serde_json::Value as Json;

use super::packages::EXECUTABLE;
use super::{Asked, BridgePlace, Environment, call_failed};

/// Executables to pack.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The executables, one for each platform.
    pub executables: Vec<PathBuf>,
    /// The platforms that have to be among them, such as `linux-amd64`.
    pub platforms: Vec<String>,
    /// The version in `Cargo.toml`, if the executables are those of a crate.
    pub version: Option<String>,
    /// Other files for every archive, such as the licence.
    pub others: Vec<PathBuf>,
    /// The directory to write to.
    pub directory: PathBuf,
    /// Whether archives that exist are replaced.
    pub overwrite: bool,
}

/// The archives that were written.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The plugin's name.
    pub plugin: String,
    /// Its version.
    pub version: String,
    /// The names of the archives in the directory, by platform.
    pub archives: BTreeMap<String, String>,
    /// The name of the file with the checksums of all archives of this version.
    pub checksums: String,
}

/// Packs the executables of a plugin as `pulumi` downloads and installs them, and writes their checksums. The plugin is asked for its name and
/// version where it runs on this machine.
pub async fn pack(cx: &CallContext, environment: &Environment, pack: &Pack) -> Result<Packed, Diagnostic> {
    let executables = by_platform(&pack.executables)?;
    if let Some(missing) = pack.platforms.iter().find(|platform| !executables.contains_key(*platform)) {
        let found: Vec<&str> = executables.keys().map(String::as_str).collect();
        return Err(refused(format!("there is no executable for `{missing}`"))
            .detail(format!("There are executables for: {}.", found.join(", ")))
            .hint("Build it with `cargo build --release --target TRIPLE`."));
    }
    let plugin = name(&pack.executables)?;
    let version = version(cx, environment, &plugin, &executables, pack.version.as_deref()).await?;
    let parsed = parse_version(&version).ok_or_else(|| {
        mismatch(format!("`{version}` is not a version"))
            .detail("A version has three numbers with dots, such as `1.2.3`, and possibly a suffix, such as `-beta.1`.")
            .hint("Correct `version` in `Cargo.toml`, and build the plugin again.")
    })?;
    let archives: Vec<Archive> = executables
        .into_iter()
        .map(|(platform, executable)| Archive {
            plugin: plugin.clone(),
            version: parsed.clone(),
            platform,
            executable,
            others: pack.others.clone(),
        })
        .collect();
    let written = |error: io::Error| not_written(&pack.directory, &error);
    fs::create_dir_all(&pack.directory).map_err(written)?;
    // Checked beforehand, so that all of them are written or none.
    let exists = |archive: &&Archive| pack.directory.join(archive.file_name()).exists();
    if let Some(archive) = archives.iter().find(exists).filter(|_| !pack.overwrite) {
        return Err(not_written(&pack.directory.join(archive.file_name()), &ErrorKind::AlreadyExists.into()));
    }
    for archive in &archives {
        let written = archive.write(&pack.directory, pack.overwrite);
        written.map_err(|error| not_written(&pack.directory.join(archive.file_name()), &error))?;
    }
    let checksums = checksums(&pack.directory, &plugin, &parsed).map_err(written)?;
    let names = archives.iter().map(|archive| (archive.platform.clone(), archive.file_name())).collect();
    Ok(Packed { plugin, version: parsed.to_string(), archives: names, checksums })
}

/// The executables by the platform in their headers. Their names and directories may be wrong.
fn by_platform(executables: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>, Diagnostic> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in executables {
        let platform = platform_of(path).map_err(|error| {
            refused(format!("`{}` cannot be read", path.display()))
                .detail(error.to_string())
                .hint("Build the plugin first, or correct the path.")
        })?;
        let Some(platform) = platform else {
            return Err(refused(format!("`{}` is not an executable for a known platform", path.display()))
                .detail("Its header is not that of an executable for Linux, macOS, Windows or a BSD, on one processor.")
                .hint("Name the file that `cargo build --release` wrote."));
        };
        if let Some(other) = found.insert(platform.clone(), path.clone()) {
            return Err(refused(format!("there are two executables for `{platform}`"))
                .detail(format!("They are `{}` and `{}`.", other.display(), path.display()))
                .hint("Name the executables to pack: `outrigger plugin pack PATH...`."));
        }
    }
    Ok(found)
}

/// The name of the plugin, which all executables have in theirs.
fn name(executables: &[PathBuf]) -> Result<String, Diagnostic> {
    let mut plugin: Option<String> = None;
    for path in executables {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.strip_prefix(EXECUTABLE).map(|name| name.strip_suffix(".exe").unwrap_or(name));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(refused(format!("`{}` is not named like a plugin", path.display()))
                .detail("The executable of a plugin is called `pulumi-resource-NAME`.")
                .hint("Rename the binary in `Cargo.toml`."));
        };
        if let Some(other) = plugin.replace(name.to_owned()).filter(|other| other != name) {
            return Err(
                refused(format!("`{other}` and `{name}` are different plugins")).hint("Pack one plugin at a time.")
            );
        }
    }
    plugin.ok_or_else(|| {
        refused("there is no executable to pack".to_owned()).hint("Build the plugin with `cargo build --release`.")
    })
}

/// The version that the plugin reports, if one of the executables runs here; otherwise that of the crate.
async fn version(
    cx: &CallContext,
    environment: &Environment,
    plugin: &str,
    executables: &BTreeMap<String, PathBuf>,
    of_crate: Option<&str>,
) -> Result<String, Diagnostic> {
    let here = Platform::current().to_string().replace('_', "-");
    let Some(executable) = executables.get(&here) else {
        return of_crate.map(str::to_owned).ok_or_else(|| {
            mismatch(format!("the version of `{plugin}` is not known"))
                .detail(format!(
                    "None of the executables is for `{here}`, so the plugin cannot be started here to report it."
                ))
                .hint("Run this in the crate of the plugin, or name an executable for this machine, too.")
        });
    };
    let (name, version) = reported(cx, environment, executable).await?;
    let shown = executable.display();
    if name != plugin {
        return Err(mismatch(format!("`{shown}` is the package `{name}`"))
            .detail(format!("Its file name says `{plugin}`, and `pulumi` starts a plugin by its package's name."))
            .hint("Give the package and the executable the same name, and build the plugin again."));
    }
    if let Some(expected) = of_crate.filter(|expected| *expected != version) {
        return Err(mismatch(format!("`{shown}` is version {version}, but `Cargo.toml` says {expected}"))
            .detail("The executable was built from another version, or the package has a version of its own.")
            .hint("Build the plugin again, or name the executable: `outrigger plugin pack PATH`."));
    }
    Ok(version)
}

/// The package's name and version as the plugin reports them.
async fn reported(
    cx: &CallContext,
    environment: &Environment,
    executable: &Path,
) -> Result<(String, String), Diagnostic> {
    let executable = environment.directory.join(executable);
    let asked = Asked::start(cx, environment, &executable.to_string_lossy(), &[], BridgePlace::Here).await?;
    let answers = async {
        let schema = asked.plugin.schema(cx, None).await?;
        let info = asked.plugin.info(cx).await?;
        Ok((schema, info))
    };
    let answers = answers.await;
    asked.end().await;
    let (schema, info) = answers.map_err(|error| call_failed(&error))?;
    let schema: Json = serde_json::from_slice(&schema).unwrap_or_default();
    let text = |key: &str| schema[key].as_str().map(str::to_owned);
    Ok((text("name").unwrap_or_default(), text("version").unwrap_or(info.version)))
}

fn refused(summary: String) -> Diagnostic {
    Diagnostic::error("pack-executable", summary)
}

fn mismatch(summary: String) -> Diagnostic {
    Diagnostic::error("pack-version", summary)
}

fn not_written(path: &Path, error: &io::Error) -> Diagnostic {
    let diagnostic = Diagnostic::error("pack-write", format!("`{}` cannot be written", path.display()));
    match error.kind() {
        ErrorKind::AlreadyExists => diagnostic
            .detail("It exists already.")
            .hint("Replace it with `--force`, or raise the version: a released archive should not change."),
        _ => diagnostic.detail(error.to_string()).hint("Free some space, or choose another directory with `--out`."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An executable of Linux, as far as its header goes.
    fn executable(path: &Path, machine: u8) -> PathBuf {
        let mut header = b"\x7fELF\x02\x01\x01".to_vec();
        header.resize(16, 0);
        header.extend([2, 0, machine, 0]);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, header).unwrap();
        path.to_owned()
    }

    /// A processor other than that of the tests.
    const ELSEWHERE: (u8, &str) = if cfg!(target_arch = "riscv64") { (62, "amd64") } else { (243, "riscv64") };

    async fn run(pack: &Pack) -> Result<Packed, Diagnostic> {
        let environment = Environment::new(Vec::new(), pack.directory.clone());
        super::pack(&CallContext::background(), &environment, pack).await
    }

    #[tokio::test]
    async fn an_executable_for_elsewhere_has_the_version_of_its_crate() {
        let directory = tempfile::tempdir().unwrap();
        let (machine, processor) = ELSEWHERE;
        let mut pack = Pack {
            executables: vec![executable(&directory.path().join("pulumi-resource-weather"), machine)],
            directory: directory.path().join("dist"),
            ..Pack::default()
        };
        let unknown = run(&pack).await.unwrap_err();
        assert_eq!((unknown.code, pack.directory.exists()), ("pack-version", false));
        pack.version = Some("1.2.3".to_owned());
        pack.platforms = vec![format!("linux-{processor}")];
        let packed = run(&pack).await.unwrap();
        let name = format!("pulumi-resource-weather-v1.2.3-linux-{processor}.tar.gz");
        assert_eq!(packed.archives, [(format!("linux-{processor}"), name.clone())].into());
        assert!(pack.directory.join(name).exists() && pack.directory.join(packed.checksums).exists());
        assert_eq!(run(&pack).await.unwrap_err().detail.unwrap(), "It exists already.");
        pack.overwrite = true;
        assert!(run(&pack).await.is_ok());
        pack.version = Some("1.2".to_owned());
        assert_eq!(run(&pack).await.unwrap_err().code, "pack-version");
    }

    #[tokio::test]
    async fn executables_that_cannot_be_packed_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let (machine, _) = ELSEWHERE;
        let weather = executable(&at("pulumi-resource-weather"), machine);
        let again = executable(&at("release/pulumi-resource-weather"), machine);
        let nameless = executable(&at("weather"), machine);
        let [script, gone] = [at("pulumi-resource-script"), at("pulumi-resource-gone")];
        fs::write(&script, "#!/bin/sh\n").unwrap();
        let cases: [(&[&PathBuf], &str); 5] = [
            (&[&weather, &again], "two executables"),
            (&[&nameless], "is not named like a plugin"),
            (&[&script], "not an executable"),
            (&[&gone], "cannot be read"),
            (&[], "no executable"),
        ];
        for (executables, says) in cases {
            let executables = executables.iter().map(|path| (*path).clone()).collect();
            let pack = Pack { executables, directory: at("dist"), ..Pack::default() };
            let error = run(&pack).await.unwrap_err();
            assert!(error.code == "pack-executable" && error.summary.contains(says), "{error:?}");
        }
        let pack = Pack {
            executables: vec![weather.clone()],
            platforms: vec!["linux-arm64".to_owned()],
            directory: at("dist"),
            ..Pack::default()
        };
        assert!(run(&pack).await.unwrap_err().summary.contains("no executable for `linux-arm64`"));
        assert_eq!(
            name(&[weather, at("pulumi-resource-kit")]).unwrap_err().summary,
            "`weather` and `kit` are different plugins"
        );
        assert!(!at("dist").exists());
    }
}
