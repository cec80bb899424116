//! Developer commands: `cargo xtask COMMAND`.
//!
//! Each command is in its own file and can run alone; `test` runs everything that the build server runs, `quick` the part without peers.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program's whole business is to report to a terminal"
)]

mod bench;
mod changelog;
mod codegen;
mod conformance;
mod fuzz;
mod kill;
mod musl;
mod parallel;
mod parity;
mod peers;
mod pictures;
mod process;
mod programs;
mod sandbox;
mod sdks;
mod simulate;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Outrigger")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the pinned peers that the tests run against; the last line printed is their `bin` directory
    Peers(peers::Arguments),
    /// Everything that the build server runs
    Test,
    /// The part of it that needs no peers, no Go and no release build: for quick checks between changes
    Quick,
    /// Check crate layers, forbidden calls, file lengths and generated files
    Tidy,
    /// Generate code from the protocol descriptions
    Codegen {
        /// Write nothing; fail if the committed code is out of date
        #[arg(long)]
        check: bool,
    },
    /// Run Pulumi's YAML conformance projects under `pulumi` and `outrigger` and compare
    Conformance(conformance::Arguments),
    /// Run our own YAML programs, valid and invalid ones, under `pulumi` and `outrigger` and compare
    Programs(programs::Arguments),
    /// Feed random inputs, guided by coverage, to the readers of files and messages
    Fuzz(fuzz::Arguments),
    /// Kill host, plugin or both at random moments and check that nothing is lost
    Kill(kill::Arguments),
    /// Generate SDKs of our plugins and of Terraform providers with Pulumi's own generators, and compile them
    Sdks(sdks::Arguments),
    /// Run the engine's simulator
    Simulate(simulate::Arguments),
    /// List the commands and flags of the installed `pulumi` and `terraform`, for the pages that compare ours with theirs
    Parity,
    /// Take the pictures of `docs/images`; needs `tmux`
    Pictures(pictures::Arguments),
    /// Write `CHANGELOG.md` from the fragments in `changes`
    Changelog,
    /// Build an executable without shared libraries, for any Linux of this architecture
    Musl,
    /// Measure `outrigger` against `pulumi` and a bare client
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Peers(arguments) => peers::run(&arguments),
        Command::Test => test::run(),
        Command::Quick => test::quick(),
        Command::Tidy => tidy::run(),
        Command::Codegen { check: false } => codegen::run(),
        Command::Codegen { check: true } => codegen::check(),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Programs(arguments) => programs::run(&arguments),
        Command::Fuzz(arguments) => fuzz::run(&arguments),
        Command::Kill(arguments) => kill::run(&arguments),
        Command::Sdks(arguments) => sdks::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Parity => parity::run(),
        Command::Pictures(arguments) => pictures::run(&arguments),
        Command::Changelog => changelog::run(),
        Command::Musl => musl::run(),
        Command::Bench(arguments) => bench::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
