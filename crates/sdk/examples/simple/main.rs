//! A plugin that does next to nothing, to be measured by `cargo xtask bench sdk`.

mod package;

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger_sdk::serve(package::package())
}
