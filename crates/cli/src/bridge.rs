//! The bridge to Terraform providers, which is part of this executable.
//!
//! Under `outrigger` it runs in the same process, and only the providers are processes. Another host starts this executable through
//! a link of the plugin's name, `pulumi-resource-terraform-provider`, and gets the same bridge as a plugin.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use outrigger_diagnostic::Diagnostic;
use outrigger_workspace::{BRIDGE, BRIDGE_VERSION, BuiltIn, stand_alone_bridge};

use crate::environment::{self, Environment};
use crate::terminal::Terminal;

/// The name of an executable that is the plugin for any host.
const EXECUTABLE: &str = "pulumi-resource-terraform-provider";

/// The first argument that makes this executable the plugin, where a link is too much trouble.
const ARGUMENT: &str = "__bridge";

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

/// How the host finds the bridge when it has to be a separate process.
pub(crate) fn built_in(executable: PathBuf) -> BuiltIn {
    BuiltIn {
        name: BRIDGE.to_owned(),
        version: BRIDGE_VERSION.to_owned(),
        program: executable,
        arguments: vec![ARGUMENT.into()],
    }
}

/// Runs the plugin.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let plugin = environment::read(None, false, Terminal::new(true))
        .and_then(|environment| stand_alone_bridge(&environment, installed_version(&environment)));
    match plugin {
        Ok((_host, bridge)) => outrigger_sdk::serve_plugin(BRIDGE, bridge, arguments),
        Err(diagnostic) => failed(&diagnostic),
    }
}

/// The version that the executable is installed as: `pulumi` keeps plugins in directories with the version in their name.
fn installed_version(environment: &Environment) -> Option<String> {
    let program = PathBuf::from(std::env::args_os().next()?);
    let program = if program.is_absolute() { program } else { environment.directory.join(program) };
    let directory = program.parent()?.file_name()?.to_str()?;
    directory.strip_prefix("resource-terraform-provider-v").map(str::to_owned)
}

#[expect(clippy::print_stderr, reason = "a host shows the end of a plugin's stderr")]
fn failed(diagnostic: &Diagnostic) -> ExitCode {
    eprintln!("the plugin `{}` cannot run: {diagnostic}", BRIDGE);
    ExitCode::FAILURE
}
