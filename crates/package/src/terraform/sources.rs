//! Finds a provider without a network.

mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::PluginDescriptor;
use outrigger_terraform::address::{Address, FILE_PREFIX};
use outrigger_terraform::constraint::Constraint;
use outrigger_transport::goplugin::reattach_providers;
use outrigger_transport::{Origin, Place, Reattach, Resolved, Resolver, Unresolved};
use semver::Version;

use crate::terraform::cli_config::{self, CliConfig, MethodSource};
use crate::terraform::mirror::{self, Location, ProviderPackage};
use crate::terraform::platform::Platform;
use crate::terraform::search_context::SearchContext;
use crate::terraform::{bridge_cache, cache, executable};

use report::Report;

/// Variables that name running providers: Terraform's own, and that of Pulumi's bridge.
const REATTACH: [&str; 2] = ["PULUMI_BRIDGE_REATTACH_PROVIDERS", "TF_REATTACH_PROVIDERS"];

/// The places to search for providers.
#[derive(Clone, Debug)]
pub struct Sources {
    surroundings: Arc<SearchContext>,
}

/// The name of a descriptor is the address of a provider, and its version a constraint; or the name is the path of an executable, such as
/// `./terraform-provider-random`.
#[async_trait]
impl Resolver for Sources {
    async fn resolve(&self, wanted: &PluginDescriptor) -> Result<Resolved, Unresolved> {
        if wanted.name.starts_with(['.', '/']) {
            return Ok(developed(Place::Program(self.local(&wanted.name)?)));
        }
        let address: Address = wanted.name.parse()?;
        match self.running(&address)? {
            Some(reattach) => Ok(developed(Place::Running(reattach))),
            None => self.find(address, wanted.version.as_deref().unwrap_or_default().parse()?).await,
        }
    }
}

impl Sources {
    /// All places that the context names.
    pub fn new(surroundings: SearchContext) -> Self {
        Self { surroundings: Arc::new(surroundings) }
    }

    /// The newest version of a provider that meets a constraint, unpacked if necessary.
    async fn find(&self, address: Address, constraint: Constraint) -> Result<Resolved, Unresolved> {
        let sources = self.clone();
        // Unpacking takes seconds, in which the caller's thread has other work.
        let found = tokio::task::spawn_blocking(move || sources.search(&address, &constraint)).await;
        found.unwrap_or_else(|error| {
            Err(Diagnostic::error("internal", "the search for a Terraform provider ended early")
                .detail(error.to_string())
                .into())
        })
    }

    /// The executable of a path: as in a package, its name may continue after `_` or `.`.
    fn local(&self, path: &str) -> Result<PathBuf, Diagnostic> {
        let (directory, name) = path.rsplit_once(FILE_PREFIX).unwrap_or((path, ""));
        executable::program_called(&self.surroundings.absolute(Path::new(directory)), name).map_err(|reason| {
            Diagnostic::error("terraform-package", format!("Terraform provider `{path}` cannot be used"))
                .detail(reason)
                .hint("Check that the provider was built, and that its path is relative to the right directory.")
        })
    }

    /// A running provider that the user started for us to attach to.
    fn running(&self, address: &Address) -> Result<Option<Reattach>, Diagnostic> {
        for variable in REATTACH {
            let Some(text) = self.surroundings.variable(variable) else { continue };
            let unreadable = |reason: String| {
                Diagnostic::error("terraform-reattach", format!("`{variable}` cannot be read"))
                    .detail(reason)
                    .hint("A provider that is started with `-debug` prints its value.")
            };
            let mut found = None;
            // A key that is not an address is an error even if another provider is wanted, as in OpenTofu: most likely it was meant to be this
            // one.
            for (key, reattach) in reattach_providers(text).map_err(unreadable)? {
                let running = Address::of_source(&key).map_err(|error| {
                    let reason = error.detail.unwrap_or_default();
                    unreadable(format!("`{key}` is not the address of a Terraform provider: {reason}"))
                })?;
                if running == *address {
                    found.get_or_insert(reattach);
                }
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn search(&self, address: &Address, constraint: &Constraint) -> Result<Resolved, Unresolved> {
        let config = cli_config::load(&self.surroundings)?;
        let overrides = config.installation.iter().flat_map(|installation| &installation.overrides);
        if let Some(found) = overrides.into_iter().find(|found| found.provider.matches(address)) {
            let directory = self.surroundings.absolute(&found.directory);
            let program = executable::program(&directory, address).map_err(|error| error.at(found.place.clone()))?;
            return Ok(developed(Place::Program(program)));
        }
        let platform = Platform::current();
        let mut report = Report::new(address, constraint, &config);
        if let Some(directory) = bridge_cache::directory(&self.surroundings).filter(|directory| directory.is_dir()) {
            // As in the bridge, a cache that cannot be read is empty.
            let mut found = mirror::packages(&directory, address);
            if let Ok(found) = &mut found {
                found.retain(|package| package.platform == platform);
            }
            let packages = report.searched(&directory, found);
            if let Some(found) = newest(&packages, constraint) {
                return self.install(address, found);
            }
        }
        let mut packages = Vec::new();
        for place in self.places(&config, address, &mut report) {
            let found = match (mirror::packages(&place.directory, address), place.named_at) {
                (Err(error), Some(named_at)) => {
                    return Err(report::unreadable(&place.directory, &error, named_at).into());
                }
                (found, _) => found,
            };
            packages.extend(report.searched(&place.directory, found));
        }
        let Some(newest) = newest(&packages, constraint) else { return Err(report.nothing_fits()) };
        let of_version = |package: &&ProviderPackage| package.version == newest.version;
        // Between packages of one version, the order of the methods decides.
        let fitting = packages.iter().filter(of_version).find(|package| package.platform == platform);
        match fitting {
            Some(package) => self.install(address, package),
            None => Err(report.wrong_platform(&platform, &packages, &newest.version).into()),
        }
    }

    /// The directories of the configuration's methods, in their order.
    fn places(&self, config: &CliConfig, address: &Address, report: &mut Report<'_>) -> Vec<Searched> {
        let mut places = Vec::new();
        let plugin_cache =
            || config.plugin_cache.as_ref().map(|path| Searched::implied(self.surroundings.absolute(path)));
        let Some(installation) = &config.installation else {
            places.extend(self.implied_directories().into_iter().map(Searched::implied));
            let has_it =
                |place: &Searched| mirror::packages(&place.directory, address).is_ok_and(|found| !found.is_empty());
            // Without a network, earlier downloads replace the registry; and a provider that the user has put into one of these directories is
            // not searched in a registry.
            if !places.iter().any(has_it) {
                places.extend(plugin_cache());
            }
            report.registry(&MethodSource::Direct);
            places.retain(|place| place.directory.is_dir());
            return places;
        };
        let mut remote = false;
        for method in installation.methods.iter().filter(|method| method.serves(address)) {
            if let MethodSource::FilesystemMirror(path) = &method.source {
                let directory = self.surroundings.absolute(path);
                places.push(Searched { directory, named_at: Some(method.place.clone()) });
                continue;
            }
            report.registry(&method.source);
            if !remote {
                remote = true;
                places.extend(plugin_cache().filter(|place| place.directory.is_dir()));
            }
        }
        places
    }

    /// The directories that Terraform and OpenTofu search if nothing is configured.
    fn implied_directories(&self) -> Vec<PathBuf> {
        let around = &self.surroundings;
        let mut found = vec![around.absolute(Path::new("terraform.d/plugins"))];
        found.extend(around.home.as_ref().map(|home| home.join(".terraform.d/plugins")));
        let data = around.variable("XDG_DATA_HOME").map(PathBuf::from);
        found.extend(data.as_ref().map(|data| data.join("opentofu/plugins")));
        let data = data.or(around.home.as_ref().map(|home| home.join(".local/share")));
        found.extend(data.map(|data| data.join("terraform/plugins")));
        let shared = around.variable("XDG_DATA_DIRS").unwrap_or("/usr/local/share:/usr/share");
        let shared = shared.split(':').filter(|path| !path.is_empty());
        found.extend(shared.map(|path| Path::new(path).join("terraform/plugins")));
        found
    }

    fn install(&self, address: &Address, package: &ProviderPackage) -> Result<Resolved, Unresolved> {
        let unpacked;
        let directory = match &package.location {
            Location::Directory(directory) => directory,
            Location::Archive(archive) => {
                unpacked = cache::unpacked(self.surroundings.cache.as_deref(), address, package, archive)?;
                &unpacked
            }
        };
        let program = executable::program(directory, address)?;
        Ok(Resolved { version: Some(package.version.clone()), ..Resolved::program(program, Origin::Installed) })
    }
}

/// A directory to search.
struct Searched {
    directory: PathBuf,
    /// The place where the user names it; then it must exist.
    named_at: Option<outrigger_diagnostic::Place>,
}

impl Searched {
    fn implied(directory: PathBuf) -> Self {
        Self { directory, named_at: None }
    }
}

/// A provider that is being developed has no version.
fn developed(place: Place) -> Resolved {
    let version = Some(Version::new(0, 0, 0));
    Resolved { place, arguments: Vec::new(), origin: Origin::Project, version, warnings: Vec::new() }
}

fn newest<'a>(packages: &'a [ProviderPackage], constraint: &Constraint) -> Option<&'a ProviderPackage> {
    let version = constraint.newest(packages.iter().map(|package| &package.version))?;
    packages.iter().find(|package| package.version == *version)
}

#[cfg(test)]
mod tests;
