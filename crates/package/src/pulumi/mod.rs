//! Finds the executables of Pulumi's plugins, in Pulumi's order: the project, `PATH`, next to our own executable, installed plugins. Built-in
//! plugins come last.

mod archive;
mod header;
mod installed;

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{PluginDescriptor, tolerant};
use outrigger_transport::{Origin, Resolved, Resolver, Unresolved};

pub use archive::{Archive, checksums, parse_version};
pub use header::platform_of;
pub use installed::{Installed, installed};

/// The plugins that come with Pulumi itself; only these are searched next to our executable.
const BUNDLED: [&str; 2] = ["pulumi-nodejs", "pulumi-python"];

/// The file that marks the directory of a plugin that needs a language host to run.
const SHIMLESS: &str = "PulumiPlugin.yaml";

/// The places to search for Pulumi's plugins.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The directories of `PATH`, in order.
    pub path: Vec<PathBuf>,
    /// `PULUMI_IGNORE_AMBIENT_PLUGINS`: do not look in `PATH`.
    pub ignore_ambient: bool,
    /// `PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH`: accept a newer version than the requested one.
    pub legacy: bool,
    /// The directory of our own executable, symbolic links resolved, where Pulumi's bundled plugins are.
    pub executable_directory: Option<PathBuf>,
    /// The directory of installed plugins: `$PULUMI_HOME/plugins`.
    pub plugin_directory: PathBuf,
    /// Plugins that are part of the program that embeds the host.
    pub built_in: Vec<BuiltIn>,
    /// The directory of `Pulumi.yaml`, at which relative plugin paths begin.
    pub root: PathBuf,
    /// `plugins.providers` of the project file, and packages that are local paths.
    pub plugins: Vec<ProjectPlugin>,
    /// Packages whose source the project file names: they are not found until they are installed.
    pub packages: Vec<String>,
}

/// A plugin that the project itself provides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectPlugin {
    /// Its name.
    pub name: String,
    /// The directory of its executable; relative to the project's.
    pub path: PathBuf,
    /// Its version, if the project names one.
    pub version: Option<String>,
}

/// A plugin that is part of an executable, usually our own. It is used if no plugin of its name is installed, and runs as a process of its own,
/// like every plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: String,
    /// Its version. It is also used in place of an older one.
    pub version: String,
    /// The executable.
    pub program: PathBuf,
    /// The arguments that make the executable this plugin; the engine's address follows them.
    pub arguments: Vec<OsString>,
}

#[async_trait]
impl Resolver for Search {
    async fn resolve(&self, wanted: &PluginDescriptor) -> Result<Resolved, Unresolved> {
        find(self, wanted)
    }
}

fn find(options: &Search, descriptor: &PluginDescriptor) -> Result<Resolved, Unresolved> {
    let name = checked_name(descriptor)?;
    let wanted = descriptor.wanted_version()?;
    let file = format!("pulumi-resource-{name}");
    let mut search = Searched { descriptor, places: Vec::new(), warnings: Vec::new() };
    if let Some(path) = project(options, &mut search, name, wanted.as_ref(), &file)? {
        return Ok(search.found(path, Origin::Project));
    }
    if options.ignore_ambient {
        search.places.push("`PATH` was left out, because PULUMI_IGNORE_AMBIENT_PLUGINS is set".to_owned());
    } else {
        search.places.push(format!("`{file}` in the {} directories of PATH", options.path.len()));
        // A relative entry would depend on the working directory; Go's lookup refuses those too.
        let mut ambient = options.path.iter().filter(|entry| entry.is_absolute()).map(|entry| entry.join(&file));
        if let Some(path) = ambient.find(|path| is_executable(path)) {
            return Ok(search.found(path, Origin::Ambient));
        }
    }
    if let Some(directory) = options.executable_directory.as_ref().filter(|_| BUNDLED.contains(&name)) {
        let path = directory.join(&file);
        search.places.push(format!("`{}`", path.display()));
        if is_executable(&path) {
            return Ok(search.found(path, Origin::Bundled));
        }
    }
    if let Some(url) = descriptor.download_url.as_ref().filter(|url| url.starts_with("git://")) {
        return Err(Diagnostic::error("plugin-git", format!("plugin `{name}` comes from a git repository"))
            .detail(format!("Its source is `{url}`. Plugins from git repositories are not supported yet."))
            .hint(format!("Put `{file}` into a directory of PATH, or name its directory under `plugins.providers`."))
            .into());
    }
    let all = installed(&options.plugin_directory);
    search.installed(&options.plugin_directory, &all, name);
    if let Some(plugin) = installed::select(&all, name, wanted.as_ref(), options.legacy) {
        let path = executable_in(&plugin.directory, name, &file)?;
        return Ok(Resolved { version: Some(plugin.version.clone()), ..search.found(path, Origin::Installed) });
    }
    match built_in(options, &mut search, name, wanted.as_ref()) {
        Some(plugin) => {
            let arguments = plugin.arguments.clone();
            Ok(Resolved {
                arguments,
                version: tolerant(&plugin.version),
                ..search.found(plugin.program.clone(), Origin::BuiltIn)
            })
        }
        None => Err(Unresolved::Missing(search.missing(options))),
    }
}

/// A built-in plugin is also used in place of an older version of itself: a state that names one must not become unusable when the program
/// around the plugin is replaced by a newer one.
fn built_in<'a>(
    options: &'a Search,
    search: &mut Searched<'_>,
    name: &str,
    wanted: Option<&semver::Version>,
) -> Option<&'a BuiltIn> {
    let plugin = options.built_in.iter().find(|plugin| plugin.name == name)?;
    search.places.push(format!("the built-in plugins, which have version {}", plugin.version));
    let version = tolerant(&plugin.version);
    wanted.is_none_or(|wanted| version.is_some_and(|version| version.cmp_precedence(wanted).is_ge())).then_some(plugin)
}

/// Checks a plugin's name. Names come from type tokens and files; they become parts of paths, and must not lead out of them.
fn checked_name(descriptor: &PluginDescriptor) -> Result<&str, Diagnostic> {
    let name = descriptor.name.as_str();
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(Diagnostic::error("plugin-name", format!("`{name}` is not the name of a plugin"))
            .detail("A name has letters, digits, `-`, `_` and `.`.")
            .hint("Check the first part of the resource's type, and the package's name."));
    }
    Ok(name)
}

/// The project's own plugins.
fn project(
    options: &Search,
    search: &mut Searched<'_>,
    name: &str,
    wanted: Option<&semver::Version>,
    file: &str,
) -> Result<Option<PathBuf>, Diagnostic> {
    let mut seen = Vec::new();
    let mut found = None;
    for plugin in options.plugins.iter().filter(|plugin| plugin.name == name) {
        let version = plugin.version.as_deref().and_then(tolerant);
        if version.is_some() && seen.contains(&version) {
            return Err(Diagnostic::error("plugin-twice", format!("the project names plugin `{name}` twice"))
                .detail("Two entries under `plugins.providers` have the same name and version.")
                .hint("Remove one of them from the project file."));
        }
        seen.push(version.clone());
        let directory = options.root.join(&plugin.path);
        search.places.push(format!("`{}`, which the project names", directory.display()));
        match (&version, wanted) {
            (Some(version), Some(wanted)) if version.cmp_precedence(wanted).is_ne() => search.warnings.push(
                Diagnostic::warning("plugin-project-version", format!("the project's plugin `{name}` was skipped"))
                    .detail(format!("The project has version {version}, but {wanted} is required.")),
            ),
            _ if found.is_none() => found = Some(directory),
            _ => {}
        }
    }
    let Some(directory) = found else { return Ok(None) };
    if !directory.is_dir() {
        return Err(Diagnostic::error("plugin-path", format!("the path of plugin `{name}` is not a directory"))
            .detail(format!("The project names `{}`.", directory.display()))
            .hint("Correct `path` under `plugins.providers` in the project file; it names the directory of the executable."));
    }
    executable_in(&directory, name, file).map(Some)
}

/// The executable in a plugin's directory.
fn executable_in(directory: &Path, name: &str, file: &str) -> Result<PathBuf, Diagnostic> {
    let path = directory.join(file);
    if is_executable(&path) {
        return Ok(path);
    }
    if !path.exists() && directory.join(SHIMLESS).exists() {
        return Err(Diagnostic::error("plugin-shimless", format!("plugin `{name}` needs a language host"))
            .detail(format!(
                "`{}` has a {SHIMLESS} and no executable. Plugins that need a language runtime are not supported yet; \
                 only plugins with an executable of their own are.",
                directory.display()
            ))
            .hint(format!(
                "Build the plugin into an executable `{file}` in that directory, or run this project with `pulumi`."
            )));
    }
    let why = if path.exists() { "is not executable" } else { "does not exist" };
    Err(Diagnostic::error("plugin-executable", format!("plugin `{name}` has no executable"))
        .detail(format!("`{}` {why}.", path.display()))
        .hint("Install the plugin again, or correct the path in the project file."))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The places searched so far.
struct Searched<'a> {
    descriptor: &'a PluginDescriptor,
    places: Vec<String>,
    warnings: Vec<Diagnostic>,
}

impl Searched<'_> {
    fn found(self, path: PathBuf, origin: Origin) -> Resolved {
        Resolved { warnings: self.warnings, ..Resolved::program(path, origin) }
    }

    fn installed(&mut self, directory: &Path, all: &[Installed], name: &str) {
        let mut place = format!("`{}`", directory.display());
        let mut versions: Vec<_> =
            all.iter().filter(|plugin| plugin.name == name).map(|plugin| &plugin.version).collect();
        versions.sort();
        match versions.as_slice() {
            [] => place.push_str(", which has no version of it"),
            versions => {
                place.push_str(", which has only");
                for version in versions {
                    // Writing to a string cannot fail.
                    let _ = write!(place, " {version}");
                }
            }
        }
        self.places.push(place);
    }

    fn missing(self, options: &Search) -> Diagnostic {
        let PluginDescriptor { name, version, download_url, .. } = self.descriptor;
        let version = version.as_deref().filter(|version| !version.is_empty());
        let summary = match version {
            Some(version) => format!("plugin `{name}` version {version} was not found"),
            None => format!("plugin `{name}` was not found"),
        };
        let mut install = format!("pulumi plugin install resource {name}");
        if let Some(version) = version {
            let _ = write!(install, " {version}");
        }
        if let Some(url) = download_url {
            let _ = write!(install, " --server {url}");
        }
        let places: String = self.places.iter().map(|place| format!("\n  - {place}")).collect();
        let hint = if options.packages.contains(name) {
            format!(
                "The project names the source of package `{name}`. Run `outrigger install` to print the package's own \
                 name: resource types begin with it."
            )
        } else {
            format!("Run `{install}`, or put `pulumi-resource-{name}` into a directory of PATH.")
        };
        Diagnostic::error("plugin-missing", summary).detail(format!("Searched:{places}")).hint(hint)
    }
}

#[cfg(test)]
mod tests;
