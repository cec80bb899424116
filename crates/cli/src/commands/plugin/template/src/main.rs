//! The plugin's process: `pulumi` and `outrigger` start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger_sdk::serve(plugin::package())
}
