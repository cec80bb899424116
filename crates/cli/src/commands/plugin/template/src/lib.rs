//! The package `PLUGIN_NAME`: what it has, and how it is configured.

mod document;

use outrigger_sdk::{Inputs, Package};

pub use document::{Document, DocumentArgs};

/// What a user sets once for all resources, with `config set PLUGIN_NAME:directory DIRECTORY`.
#[derive(Inputs)]
pub struct Settings {
    /// Where documents with a relative path are kept.
    #[outrigger(default = ".")]
    pub directory: String,
}

/// Everything that the plugin has.
pub fn package() -> Package {
    Package::new("PLUGIN_NAME", env!("CARGO_PKG_VERSION"))
        .description(env!("CARGO_PKG_DESCRIPTION"))
        .config::<Settings>()
        .resource::<Document>()
}
