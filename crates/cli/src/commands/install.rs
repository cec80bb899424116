//! `outrigger install`.

use std::collections::BTreeMap;

use clap::Args;
use futures::future::join_all;
use outrigger_diagnostic::Diagnostic;
use outrigger_project::{PackageSpec, Project};
use outrigger_yaml::check_project;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;
use crate::packaging::{self, Origin, Packager};
use crate::plugins::PluginSettings;
use crate::source::Source;
use crate::workspace::project;

/// Write the lock files of the project's packages, and look for its plugins.
///
/// Every package that `Pulumi.yaml` names is asked again what it is, and its lock file below `sdks` is written if it is different.
/// Then every plugin that the program needs is looked for. Nothing is downloaded: what is missing is named, with how to get it.
#[derive(Args, Debug)]
pub(crate) struct Install {}

impl Install {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let project = project(environment)?;
        check_project(&project)?;
        let mut packages: Vec<(&str, &PackageSpec, Origin)> = Vec::new();
        for (name, spec) in &project.packages {
            let origin = Origin::parse(&spec.source, project.directory());
            let origin = origin.map_err(|error| error.at(project.document.place(spec.span)))?;
            packages.push((name, spec, origin));
        }
        let (said, failures) = runtime()?.block_on(locked(environment, &project, &packages))?;
        // Also beside failures: files were written.
        for line in said {
            data(&line)?;
        }
        if !failures.is_empty() {
            return Err(failures.into());
        }
        plugins(environment, &project)
    }
}

/// Writes every lock file, and gives what was done and what failed. What fails does not keep the others from being written.
async fn locked(
    environment: &Environment,
    project: &Project,
    packages: &[(&str, &PackageSpec, Origin)],
) -> Result<(Vec<String>, Vec<Diagnostic>), Failure> {
    let mut packager = Packager::new(environment, project, packages.iter().map(|(_, _, origin)| origin))?;
    let (mut said, mut failures) = (Vec::new(), Vec::new());
    for (name, spec, origin) in packages {
        let written = packager.lock(origin, spec).await.and_then(|lock| packaging::write(project, &lock));
        match written {
            Ok((path, true)) => said.push(format!("{name}: wrote {path}")),
            Ok((path, false)) => said.push(format!("{name}: {path} is up to date")),
            Err(error) => failures.push(error.at(project.document.place(spec.span))),
        }
    }
    packager.close().await;
    Ok((said, failures))
}

/// Looks for what the program needs. A program that a compiler makes needs a stack to be made, and is not looked at.
fn plugins(environment: &Environment, project: &Project) -> Result<(), Failure> {
    if project.compiler().is_some() {
        return Ok(());
    }
    let options = PluginSettings::of_project(environment, project, None, BTreeMap::new())?.options();
    let needed = Source::read(project)?.required();
    let found = runtime()?.block_on(join_all(needed.iter().map(|plugin| options.find(plugin))));
    let missing: Vec<Diagnostic> = found.into_iter().filter_map(Result::err).collect();
    if !missing.is_empty() {
        return Err(missing.into());
    }
    let counted = match needed.len() {
        0 => "The program needs no plugin".to_owned(),
        1 => "The plugin that the program needs is there".to_owned(),
        count => format!("The {count} plugins that the program needs are there"),
    };
    Ok(data(&counted)?)
}
