//! `outrigger install`.

use clap::Args;
use outrigger_workspace::install;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::operation::runtime;
use crate::output::data;

/// Write the lock files of the project's packages, and look for its plugins.
///
/// Every package that `Pulumi.yaml` names is asked again what it is, and its lock file below `sdks` is written if it is different.
/// Then every plugin that the program needs is looked for. Nothing is downloaded: what is missing is named, with how to get it.
#[derive(Args, Debug)]
pub(crate) struct Install {}

impl Install {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let done = runtime()?.block_on(install(environment))?;
        // Also beside failures: files were written.
        for (name, path, changed) in done.locked {
            data(&if changed { format!("{name}: wrote {path}") } else { format!("{name}: {path} is up to date") })?;
        }
        if !done.failures.is_empty() {
            return Err(done.failures.into());
        }
        match done.plugins {
            // A program that a compiler makes needs a stack to be made, and is not looked at.
            None => {}
            Some(0) => data("The program needs no plugin")?,
            Some(1) => data("The plugin that the program needs is there")?,
            Some(count) => data(&format!("The {count} plugins that the program needs are there"))?,
        }
        Ok(())
    }
}
