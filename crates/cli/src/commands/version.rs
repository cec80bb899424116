//! `outrigger version`.

use clap::Args;

use crate::failure::Failure;
use crate::output::data;

/// Show the version.
#[derive(Args, Debug)]
pub(crate) struct Version {}

impl Version {
    pub(crate) fn run(self) -> Result<(), Failure> {
        Ok(data(concat!("v", env!("CARGO_PKG_VERSION")))?)
    }
}
