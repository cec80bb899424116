//! Packages of a project: asks a plugin for its package, and writes that as a lock file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_host::{Host, Run};
use outrigger_package::pulumi::ProjectPlugin;
use outrigger_project::packages::LockFile;
use outrigger_project::{PackageSpec, Project};
use outrigger_provider::{CallContext, CallError, LogLevel, LogSink, Parameterize, Plugin, PluginDescriptor, Plugins};
use outrigger_value::Urn;
use outrigger_yaml::check_project;

use super::open::{project, replace_file, write_project};
use super::plugins::PluginSettings;
use super::used_plugins::{UsedPlugin, used_plugins};
use super::{Environment, Frontend};
use crate::services::Relay;
use crate::{BRIDGE, Error};

/// The beginning of the name of every plugin's executable.
pub(super) const EXECUTABLE: &str = "pulumi-resource-";

/// A package that was added to a project.
#[derive(Clone, Debug)]
pub struct Added {
    /// Its name.
    pub name: String,
    /// Its lock file, below the program's directory.
    pub lock_file: String,
    /// The plugin's name, if it was named by the path of its executable, where no later run looks for it.
    pub local_plugin: Option<String>,
}

/// A package that the project file names, and its lock file.
#[derive(Clone, Debug)]
pub struct Locked {
    /// Its key in the project file.
    pub key: String,
    /// The package's own name: resource types begin with it.
    pub package: String,
    /// The lock file, below the program's directory.
    pub path: String,
    /// Whether anything was written.
    pub changed: bool,
}

/// The packages of a project after an installation.
#[derive(Clone, Debug, Default)]
pub struct Installation {
    /// The packages that the project file names.
    pub locked: Vec<Locked>,
    /// The plugins that the program needs; `None` if they are not known without a stack, as for a program from a compiler.
    pub plugins: Option<Vec<UsedPlugin>>,
    /// Failures and missing plugins.
    pub failures: Vec<Diagnostic>,
}

/// Adds a package to the project: asks a plugin, writes the lock file, and names the package in the project file. `source` is a plugin's name, with a
/// version behind an `@`, the path of its executable, or a package that the project has.
pub async fn add_package(environment: &Environment, source: &str, parameters: Vec<String>) -> Result<Added, Error> {
    let project = project(environment)?;
    check_project(&project)?;
    let mut spec = match project.packages.get(source) {
        Some(known) => PackageSpec { parameters, ..known.clone() },
        None => {
            let (source, version) = versioned(source);
            PackageSpec::of(source.to_owned(), version, parameters)
        }
    };
    let source = PluginSource::parse(&spec.source, &environment.directory)?;
    let mut packager = Packager::new(environment, &project, [&source])?;
    let lock = packager.lock(&source, &spec).await;
    packager.close().await;
    let lock = lock?;
    let mut local_plugin = None;
    if let PluginSource::Local { name, .. } = source {
        // A path would mean nothing to the engine, which looks for plugins by their names.
        spec.source = lock.plugin.name.clone();
        local_plugin = Some(name);
    }
    spec.version = spec.version.or_else(|| lock.plugin.version.clone());
    let name = lock.plugin.package();
    let text = project.with_package(name, &spec)?;
    let (lock_file, _) = write(&project, &lock)?;
    write_project(&project, &text)?;
    Ok(Added { name: name.to_owned(), lock_file, local_plugin })
}

/// Writes the lock files of the project's packages, and looks for the plugins that its program needs. A failure of one does not keep the others from
/// being written.
pub async fn install(environment: &Environment) -> Result<Installation, Error> {
    let project = project(environment)?;
    check_project(&project)?;
    let mut packages: Vec<(&str, &PackageSpec, PluginSource)> = Vec::new();
    for (name, spec) in &project.packages {
        let source = PluginSource::parse(&spec.source, project.directory());
        packages.push((name, spec, source.map_err(|error| error.at(project.document.place(spec.span)))?));
    }
    let mut installation = Installation::default();
    let mut packager = Packager::new(environment, &project, packages.iter().map(|(_, _, source)| source))?;
    for (name, spec, source) in &packages {
        let written = packager.lock(source, spec).await.and_then(|lock| {
            let (path, changed) = write(&project, &lock)?;
            Ok(Locked { key: (*name).to_owned(), package: lock.plugin.package().to_owned(), path, changed })
        });
        match written {
            Ok(locked) => installation.locked.push(locked),
            Err(error) => installation.failures.push(error.at(project.document.place(spec.span))),
        }
    }
    packager.close().await;
    if installation.failures.is_empty() {
        match used_plugins(environment, &project).await {
            Ok(Some((plugins, missing))) => {
                installation.failures.extend(missing);
                installation.plugins = Some(plugins);
            }
            Ok(None) => {}
            Err(error) => installation.failures.extend(error.findings),
        }
    }
    Ok(installation)
}

/// A source as a package names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PluginSource {
    /// A plugin, by its name.
    Named(String),
    /// A plugin, by the directory of its executable.
    Local { name: String, directory: PathBuf },
}

/// A source and the version after its `@`. A path has no version: an `@` is part of a name there.
pub(super) fn versioned(text: &str) -> (&str, Option<String>) {
    match text.split_once('@').filter(|_| !is_path(text)) {
        Some((source, version)) => (source, Some(version.to_owned())),
        None => (text, None),
    }
}

fn is_path(source: &str) -> bool {
    source.starts_with(['.', '/'])
}

impl PluginSource {
    /// Parses a source. A relative path starts at `directory`.
    pub(super) fn parse(source: &str, directory: &Path) -> Result<Self, Diagnostic> {
        let refused = |reason: &str, hint: &str| {
            Err(Diagnostic::error("package-source", format!("a package cannot be loaded from `{source}`"))
                .detail(reason)
                .hint(hint))
        };
        if is_path(source) {
            let path = directory.join(source);
            let name = path.file_name().and_then(|name| name.to_str()?.strip_prefix(EXECUTABLE));
            return match (name, path.parent()) {
                (Some(name), Some(directory)) if path.is_file() => {
                    Ok(Self::Local { name: name.to_owned(), directory: directory.to_owned() })
                }
                _ if !path.exists() => {
                    refused("There is no such file.", "Build the plugin first, or correct the path.")
                }
                _ => refused(
                    "Schemas, and plugins that need a language runtime, are not supported yet.",
                    "Name the executable of a plugin, which is called `pulumi-resource-NAME`.",
                ),
            };
        }
        if source.contains(['/', ':']) {
            return refused(
                "Packages in registries and git repositories are not downloaded yet.",
                "Install the plugin with `pulumi plugin install`, and pass its name.",
            );
        }
        Ok(Self::Named(source.to_owned()))
    }

    /// The plugin's name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Local { name, .. } => name,
        }
    }

    /// Has a host find it before all others of its name, if it is an executable.
    pub(super) fn add_to(&self, settings: &mut PluginSettings) {
        if let Self::Local { name, directory } = self {
            let plugin = ProjectPlugin { name: name.clone(), path: directory.clone(), version: None };
            settings.search.plugins.insert(0, plugin);
        }
    }
}

/// Starts plugins, each in a separate process, until all packages are done.
struct Packager {
    host: Host,
    run: Run,
    /// A plugin that became a package stays that package, so none is given back to be used again.
    asked: Vec<Arc<dyn Plugin>>,
    log: Arc<dyn LogSink>,
}

/// Shows a plugin's messages at once.
struct Notices(Arc<dyn Frontend>);

impl LogSink for Notices {
    fn log(&self, level: LogLevel, _: Option<&Urn>, message: &str, ephemeral: bool) {
        if level != LogLevel::Debug && !ephemeral {
            self.0.notice(message);
        }
    }
}

impl Packager {
    /// For packages from these sources.
    fn new<'a>(
        environment: &Environment,
        project: &Project,
        sources: impl IntoIterator<Item = &'a PluginSource>,
    ) -> Result<Self, Diagnostic> {
        let mut settings = PluginSettings::of_project(environment, project, BTreeMap::new())?;
        sources.into_iter().for_each(|source| source.add_to(&mut settings));
        let (host, run) = settings.start(Arc::new(Relay::default()))?;
        let log = Arc::new(Notices(Arc::clone(&environment.frontend)));
        Ok(Self { host, run, asked: Vec::new(), log })
    }

    /// The lock file of a package.
    async fn lock(&mut self, source: &PluginSource, spec: &PackageSpec) -> Result<LockFile, Diagnostic> {
        let cx = CallContext { log: Arc::clone(&self.log), ..CallContext::background() };
        let descriptor = PluginDescriptor {
            download_url: spec.download_url.clone(),
            ..PluginDescriptor::named(source.name(), spec.version.clone())
        };
        let plugin = self.run.load(&cx, &descriptor).await?;
        self.asked.push(Arc::clone(&plugin));
        let package = match spec.parameters.as_slice() {
            [] => None,
            parameters => {
                let request = Parameterize::Arguments(parameters.to_vec());
                let became = plugin.parameterize(&cx, request).await;
                Some(became.map_err(|error| refused(&descriptor, "did not accept the parameters", &error))?)
            }
        };
        let schema = plugin.schema(&cx, package.as_ref()).await;
        let schema = schema.map_err(|error| refused(&descriptor, "did not return its schema", &error))?;
        let mut lock = LockFile::of_schema(&schema)?;
        if let Some(package) = package.filter(|package| package.name != lock.plugin.package()) {
            let summary = format!("plugin `{}` contradicts itself", descriptor.name);
            return Err(Diagnostic::error("package-schema", summary).detail(format!(
                "With its parameters it is the package `{}`, but its schema describes `{}`.",
                package.name,
                lock.plugin.package()
            )));
        }
        if lock.plugin.parameterization.is_none() && !spec.parameters.is_empty() {
            let summary = format!("the parameters of plugin `{}` cannot be saved", descriptor.name);
            return Err(Diagnostic::error("package-schema", summary)
                .detail("It accepted the parameters, but its schema does not contain them.")
                .hint("Use another version of the plugin, and report this to its author."));
        }
        if lock.plugin.version.is_none() {
            let info = plugin.info(&cx).await.map_err(|error| refused(&descriptor, "did not answer", &error))?;
            lock.plugin.version = spec.version.clone().or(Some(info.version)).filter(|version| !version.is_empty());
        }
        Ok(lock)
    }

    /// Ends the plugins that were started.
    async fn close(self) {
        drop(self.asked);
        self.host.shutdown().await;
    }
}

/// Writes a lock file in place of the package's earlier ones. Returns its path below the program's directory, and whether anything changed.
fn write(project: &Project, lock: &LockFile) -> Result<(String, bool), Diagnostic> {
    let shown = format!("{}/{}", lock.directory(), lock.file_name());
    let directory = project.program_directory().join(lock.directory());
    let path = directory.join(lock.file_name());
    let failed = |error: std::io::Error| {
        Diagnostic::error("package-write", format!("`{shown}` cannot be written"))
            .detail(error.to_string())
            .hint("Check that the directory is writable and has free space.")
    };
    let mut changed = false;
    if fs::read_to_string(&path).ok().as_deref() != Some(&*lock.text()) {
        replace_file(&path, &lock.text()).map_err(failed)?;
        changed = true;
    }
    // With two lock files for a package, it would be unclear which one counts.
    for entry in fs::read_dir(&directory).map_err(failed)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let rest = name.strip_prefix(lock.plugin.package()).and_then(|rest| rest.strip_suffix(".yaml"));
        if name != lock.file_name() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) {
            fs::remove_file(entry.path()).map_err(failed)?;
            changed = true;
        }
    }
    Ok((shown, changed))
}

fn refused(descriptor: &PluginDescriptor, what: &str, error: &CallError) -> Diagnostic {
    // An error of the bridge itself, and not of a provider, is about finding the provider, and that is the part that matters to the user.
    let found_nothing = descriptor.name == BRIDGE && error.plugin.starts_with(BRIDGE);
    if let (true, Some((summary, detail))) = (found_nothing, error.message.split_once(": ")) {
        return Diagnostic::error("package-plugin", summary)
            .detail(detail)
            .hint("`outrigger explain terraform-missing` lists the places that are searched.");
    }
    let diagnostic = Diagnostic::error("package-plugin", format!("plugin `{}` {what}", descriptor.name))
        .detail(error.to_string())
        .hint("Compare the parameters after the plugin's name with the plugin's documentation.");
    match error.last_words.as_slice() {
        [] => diagnostic,
        words => diagnostic.note(words.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_has_a_version_behind_it() {
        for (text, source, version) in [
            ("aws", "aws", None),
            ("aws@1.2.3", "aws", Some("1.2.3")),
            ("/jobs/job@2/pulumi-resource-x", "/jobs/job@2/pulumi-resource-x", None),
            ("./job@2/pulumi-resource-x", "./job@2/pulumi-resource-x", None),
            ("../pulumi-resource-x@1.0.0", "../pulumi-resource-x@1.0.0", None),
        ] {
            assert_eq!(versioned(text), (source, version.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn sources_are_names_or_executables() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("pulumi-resource-x"), "").unwrap();
        let parse = |source: &str| PluginSource::parse(source, directory.path());
        assert_eq!(parse("aws").unwrap().name(), "aws");
        assert_eq!(parse("./pulumi-resource-x").unwrap().name(), "x");
        for source in ["./pulumi-resource-y", "./schema.json", "github.com/a/b", "git://x", "."] {
            assert_eq!(parse(source).unwrap_err().code, "package-source", "{source}");
        }
    }
}
