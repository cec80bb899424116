//! A plugin that keeps notes as files in a directory: the example of `docs/writing-a-plugin.md`.

mod note;
mod search;

use std::process::ExitCode;

use outrigger_sdk::{Inputs, Package};

/// Where the notes are kept.
#[derive(Inputs)]
struct Shelf {
    /// The directory of the notes. It has to exist.
    #[outrigger(env = "SHELF_DIRECTORY")]
    directory: String,
}

fn main() -> ExitCode {
    outrigger_sdk::serve(
        Package::new("shelf", env!("CARGO_PKG_VERSION"))
            .description("Keeps notes as files in a directory.")
            .config::<Shelf>()
            .resource::<note::Note>()
            .function::<search::Search>(),
    )
}
