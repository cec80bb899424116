//! `outrigger config cp`.

use clap::Args;
use outrigger_workspace::{Configuration, Workspace};

use crate::environment::Environment;
use crate::failure::Failure;

/// Copy values to another stack, whose key encrypts the secrets.
#[derive(Args, Debug)]
pub(super) struct Copy {
    /// The key: `name` or `namespace:name`; without it every value is copied.
    key: Option<String>,
    /// The stack to copy to.
    #[arg(short, long, value_name = "STACK")]
    dest: String,
    /// The key is a path into a structured value.
    #[arg(long)]
    path: bool,
}

impl Copy {
    pub(super) fn run(self, config: &Configuration, environment: &Environment) -> Result<(), Failure> {
        let path = self.key.map(|key| config.path(&key, self.path)).transpose()?;
        let mut other = Workspace::open(environment)?.configuration(Some(&self.dest))?;
        Ok(config.copy_to(&mut other, path.as_ref())?)
    }
}
