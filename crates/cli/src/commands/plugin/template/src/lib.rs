//! The package `PLUGIN_NAME`: its resources and its configuration.

mod RESOURCE_MODULE;

use outrigger_sdk::{Inputs, Package};

pub use RESOURCE_MODULE::{RESOURCE_NAME, RESOURCE_NAMEArgs};

/// The configuration for all resources: `config set PLUGIN_NAME:directory DIRECTORY` sets it.
#[derive(Inputs)]
pub struct Settings {
    /// The directory of files with a relative path.
    #[outrigger(default = ".")]
    pub directory: String,
}

/// The package that the plugin serves.
pub fn package() -> Package {
    Package::new("PLUGIN_NAME", env!("CARGO_PKG_VERSION"))
        .description(env!("CARGO_PKG_DESCRIPTION"))
        .config::<Settings>()
        .resource::<RESOURCE_NAME>()
}
