//! The plugin `kit` as a separate executable, for hosts that look for one of this name.

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger_kit::run(std::env::args_os().skip(1), &[])
}
