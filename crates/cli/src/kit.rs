//! The plugin `kit`, which is part of this executable.
//!
//! It runs as a separate process, with a handshake and a socket, like every plugin: the host starts this executable with a special first argument,
//! and another host may start it through a link of the plugin's name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use outrigger_workspace::BuiltIn;

/// The first argument that makes this executable the plugin.
const ARGUMENT: &str = "__kit";

/// The name of an executable that is the plugin for any host.
const EXECUTABLE: &str = "pulumi-resource-kit";

/// The plugin's arguments, if this process is to be the plugin.
pub(crate) fn called() -> Option<Vec<OsString>> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    let mut rest = arguments.peekable();
    if Path::new(&program).file_name().is_some_and(|name| name == EXECUTABLE) {
        return Some(rest.collect());
    }
    rest.next_if(|argument| argument == ARGUMENT).map(|_| rest.collect())
}

/// Runs the plugin.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    outrigger_kit::run(arguments, &[ARGUMENT.into()])
}

/// How the host finds the plugin.
pub(crate) fn built_in(executable: PathBuf) -> BuiltIn {
    BuiltIn {
        name: outrigger_kit::NAME.to_owned(),
        version: outrigger_kit::VERSION.to_owned(),
        program: executable,
        arguments: vec![ARGUMENT.into()],
    }
}
