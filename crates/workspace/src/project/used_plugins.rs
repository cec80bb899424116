//! The plugins that a project's program needs, each with the executable that would be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_project::Project;
use outrigger_provider::PluginDescriptor;
use outrigger_transport::Origin;

use super::Environment;
use super::plugins::PluginSettings;
use super::source::Source;
use crate::Error;

/// A plugin that was found.
#[derive(Clone, Debug)]
pub struct UsedPlugin {
    /// The package as the program names it.
    pub package: String,
    /// The plugin's name; different from the package's if the package is a parameter of it.
    pub plugin: String,
    /// Its version, where that is known without starting it.
    pub version: Option<String>,
    /// The executable; `None` for a plugin that is attached by its port.
    pub program: Option<PathBuf>,
    /// Where it was found.
    pub origin: Option<Origin>,
}

/// Finds the plugins that the program needs; `None` for a program from a compiler, which cannot be read without a stack. The second list has an error
/// for each plugin that was not found.
pub async fn used_plugins(
    environment: &Environment,
    project: &Project,
) -> Result<Option<(Vec<UsedPlugin>, Vec<Diagnostic>)>, Error> {
    if project.compiler().is_some() {
        return Ok(None);
    }
    let options = PluginSettings::of_project(environment, project, BTreeMap::new())?.options();
    let needed = Source::read(project)?.required();
    let found = join_all(needed.iter().map(|plugin| options.find(plugin))).await;
    let (mut plugins, mut missing) = (Vec::new(), Vec::new());
    for (wanted, found) in needed.iter().zip(found) {
        match found {
            Ok(found) => plugins.push(used(wanted, found)),
            Err(diagnostic) => missing.push(diagnostic),
        }
    }
    plugins.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(Some((plugins, missing)))
}

/// A plugin that was looked for.
pub(super) fn used(wanted: &PluginDescriptor, found: Option<outrigger_transport::Resolved>) -> UsedPlugin {
    let known = found.as_ref().and_then(|found| found.version.as_ref()).map(ToString::to_string);
    let parameter = wanted.parameterization.as_ref().map(|parameter| parameter.version.clone());
    UsedPlugin {
        package: wanted.package().to_owned(),
        plugin: wanted.name.clone(),
        version: parameter.or(known).or_else(|| wanted.version.clone()),
        program: found.as_ref().and_then(|found| found.executable().map(Into::into)),
        origin: found.map(|found| found.origin),
    }
}
