//! `outrigger install`.

use clap::Args;
use outrigger_workspace::{Locked, install};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;
use crate::render::plugins::table;
use crate::render::waiting::waiting;

/// Write the lock files of the project's packages, and check that its plugins are installed.
///
/// Asks the plugin of every package in `Pulumi.yaml` again, and writes the lock files below `sdks` that differ. Then finds every plugin that
/// the program needs and prints its executable. Nothing is downloaded: a missing plugin is reported with the command that installs it.
#[derive(Args, Debug)]
pub(crate) struct Install {}

impl Install {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let done = runtime()?.block_on(waiting("Checking plugins", install(environment)))?;
        // Also after failures: some files were written.
        for Locked { key, package, path, changed } in done.locked {
            data(&if changed { format!("{key}: wrote {path}") } else { format!("{key}: {path} is up to date") })?;
            if key != package {
                data(&format!(
                    "{key}: the package calls itself `{package}`; its resource types begin with `{package}:`"
                ))?;
            }
        }
        let plugins = done.plugins.unwrap_or_default();
        if !plugins.is_empty() {
            data(table(&plugins).trim_end())?;
        }
        if !done.failures.is_empty() {
            return Err(done.failures.into());
        }
        if !plugins.is_empty() {
            data("All plugins are installed.")?;
        }
        Ok(())
    }
}
