//! `outrigger package`.

use clap::{Args, Subcommand};
use outrigger_project::{PackageSpec, Project};
use outrigger_yaml::check_project;

use crate::commands::parameters::Parameters;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::packaging::{self, Origin, Packager};
use crate::workspace::{project, write_project};

/// Add packages to a project.
#[derive(Args, Debug)]
pub(crate) struct Package {
    #[command(subcommand)]
    command: PackageCommand,
}

#[derive(Debug, Subcommand)]
enum PackageCommand {
    Add(Add),
}

/// Add a package to the project.
///
/// Asks a plugin for its schema, with parameters if it takes some, writes what it is into a lock file below `sdks`, and adds the
/// package to `Pulumi.yaml`, where everything else stays as it is. `pulumi` reads both.
#[derive(Args, Debug)]
struct Add {
    /// A plugin, as `NAME`, `NAME@VERSION` or the path of its executable.
    #[arg(value_name = "SOURCE")]
    source: String,
    #[command(flatten)]
    parameters: Parameters,
}

impl Package {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        match self.command {
            PackageCommand::Add(add) => add.run(environment),
        }
    }
}

impl Add {
    fn run(self, environment: &Environment) -> Result<(), Failure> {
        let project = project(environment)?;
        check_project(&project)?;
        let mut spec = self.spec(&project);
        let origin = Origin::parse(&spec.source, &environment.directory)?;
        let lock = runtime()?.block_on(async {
            let mut packager = Packager::new(environment, &project, [&origin])?;
            let lock = packager.lock(&origin, &spec).await;
            packager.close().await;
            Ok::<_, Failure>(lock?)
        })?;
        // A path would mean nothing to the engine, which looks for plugins by their names.
        if matches!(origin, Origin::Local { .. }) {
            spec.source = lock.plugin.name.clone();
        }
        spec.version = spec.version.or_else(|| lock.plugin.version.clone());
        let name = lock.plugin.package();
        let text = project.with_package(name, &spec)?;
        let (path, _) = packaging::write(&project, &lock)?;
        write_project(&project, &text)?;
        talk(&format!("Wrote {path}"));
        if let Origin::Local { name, .. } = &origin {
            talk(&format!(
                "Put `pulumi-resource-{name}` into a directory of PATH, or name its directory under `plugins.providers`."
            ));
        }
        Ok(data(&format!("Added package {name}"))?)
    }

    /// What is asked for. A package that the project has can be named as the project does.
    fn spec(&self, project: &Project) -> PackageSpec {
        let parameters = self.parameters.given();
        if let Some(known) = project.packages.get(&self.source) {
            return PackageSpec { parameters, ..known.clone() };
        }
        let (source, version) = packaging::versioned(&self.source);
        PackageSpec::of(source.to_owned(), version, parameters)
    }
}
