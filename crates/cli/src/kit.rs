//! The plugin `kit`, which is part of this executable.
//!
//! It runs as a process of its own, with a handshake and a socket, like every plugin: the host starts this executable with a
//! first argument that says so, and another host may start it through a link of the plugin's name.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use outrigger_package::pulumi::BuiltIn;

use crate::environment::Environment;

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

/// Is the plugin.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    outrigger_kit::run(arguments, &[ARGUMENT.into()])
}

/// How the host finds it.
pub(crate) fn built_in(environment: &Environment) -> Option<BuiltIn> {
    Some(BuiltIn {
        name: outrigger_kit::NAME.to_owned(),
        version: outrigger_kit::VERSION.to_owned(),
        program: environment.executable.clone()?,
        arguments: vec![ARGUMENT.into()],
    })
}
