//! The plugin `kit` on its own, for hosts that look for an executable of this name.

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger_kit::run(std::env::args_os().skip(1), &[])
}
