//! `outrigger package`.

mod info;

use clap::{Args, Subcommand};
use outrigger_workspace::add_package;

use crate::commands::parameters::Parameters;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::render::waiting::waiting;
use crate::terminal::Terminal;

/// Add packages to a project, and show their documentation.
#[derive(Args, Debug)]
pub(crate) struct Package {
    #[command(subcommand)]
    command: PackageCommand,
}

#[derive(Debug, Subcommand)]
enum PackageCommand {
    Add(Add),
    Info(info::Info),
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
    pub(crate) fn run(self, environment: &Environment, terminal: Terminal) -> Result<(), Failure> {
        match self.command {
            PackageCommand::Add(add) => add.run(environment),
            PackageCommand::Info(info) => info.run(environment, terminal),
        }
    }
}

impl Add {
    fn run(self, environment: &Environment) -> Result<(), Failure> {
        let work = add_package(environment, &self.source, self.parameters.given());
        let added = runtime()?.block_on(waiting("Reading the package's schema", work))?;
        talk(&format!("Wrote {}", added.lock_file));
        if let Some(name) = added.local_plugin {
            talk(&format!(
                "Put `pulumi-resource-{name}` into a directory of PATH, or name its directory under `plugins.providers`."
            ));
        }
        Ok(data(&format!("Added package {}", added.name))?)
    }
}
