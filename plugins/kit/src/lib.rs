//! The plugin `kit`: files, commands, random values and HTTP requests, written on the SDK like anybody's plugin.
//!
//! It is part of the `outrigger` executable, which starts itself as the plugin's process, and there is an executable with
//! nothing else in it for other hosts. `docs/kit.md` is its reference.
//!
//! - `fs`: `kit:fs:File`, `kit:fs:Directory`, `kit:index:readFile`.
//! - `random`: `kit:random:String` and its relatives.
//! - `environment`: `kit:index:env`.

mod blocking;
mod digest;
mod environment;
mod fs;
mod marked;
mod random;

use std::ffi::OsString;
use std::process::ExitCode;

use outrigger_sdk::Package;

/// The plugin's name.
pub const NAME: &str = "kit";

/// The plugin's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The whole of the plugin's `main`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    outrigger_sdk::serve_with(package(), arguments)
}

/// The plugin.
pub fn package() -> Package {
    Package::new(NAME, VERSION)
        .display_name("Kit")
        .description(
            "Files, commands, random values and HTTP requests. Part of outrigger: there is nothing to install.",
        )
        .keywords(&["outrigger", "file", "command", "random", "http"])
        .license("MIT OR Apache-2.0")
        .resource::<fs::File>()
        .resource::<fs::Directory>()
        .function::<fs::ReadFile>()
        .resource::<random::RandomString>()
        .resource::<random::Password>()
        .resource::<random::Bytes>()
        .resource::<random::Integer>()
        .resource::<random::Pet>()
        .resource::<random::Uuid>()
        .function::<environment::Env>()
}
