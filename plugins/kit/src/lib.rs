//! The plugin `kit`: files, commands, random values and HTTP requests, written on the SDK like any user's plugin.
//!
//! It is part of the `outrigger` executable, which starts itself as the plugin's process; for other hosts there is a separate executable.
//! `docs/kit.md` is its reference.
//!
//! - `fs`: `kit:fs:File`, `kit:fs:Directory`, `kit:index:readFile`.
//! - `random`: `kit:random:String` and its relatives.
//! - `process`: `kit:process:Command`, and the warden that every command runs under.
//! - `http`: `kit:http:Request`, `kit:index:httpGet`.
//! - `environment`: `kit:index:env`.

mod blocking;
mod digest;
mod environment;
mod fs;
mod http;
mod marked;
mod process;
mod random;

use std::ffi::OsString;
use std::process::ExitCode;

use outrigger_sdk::Package;

pub use process::WardenCommand;

/// The plugin's name.
pub const NAME: &str = "kit";

/// The plugin's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The plugin's `main`. `own` are the arguments that start this executable as the plugin: it starts itself again to
/// watch over commands.
pub fn run(arguments: impl IntoIterator<Item = OsString>, own: &[OsString]) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    if arguments.next_if(|argument| argument == process::WARDEN).is_some() {
        return process::watch_over(arguments);
    }
    // If the executable's path is unknown, commands fail with an error; the rest of the plugin works.
    let program = std::env::current_exe().unwrap_or_default();
    let warden = [own, &[process::WARDEN.into()]].concat();
    outrigger_sdk::serve_with(package(WardenCommand { program, arguments: warden }), arguments)
}

/// The plugin. `warden` starts a process that calls [`run`] as a warden.
pub fn package(warden: WardenCommand) -> Package {
    Package::new(NAME, VERSION)
        .display_name("Kit")
        .description(
            "Files, commands, random values and HTTP requests. Part of outrigger: there is nothing to install.",
        )
        .keywords(&["outrigger", "file", "command", "random", "http"])
        .license("MIT OR Apache-2.0")
        .connect(move |(): (), _cx| {
            let warden = warden.clone();
            async move { Ok(warden) }
        })
        .resource::<fs::File>()
        .resource::<fs::Directory>()
        .function::<fs::ReadFile>()
        .resource::<random::RandomString>()
        .resource::<random::Password>()
        .resource::<random::Bytes>()
        .resource::<random::Integer>()
        .resource::<random::Pet>()
        .resource::<random::Uuid>()
        .resource::<process::Command>()
        .resource::<http::Request>()
        .function::<http::HttpGet>()
        .function::<environment::Env>()
}
