//! Our command line beside those of `pulumi` and `terraform`: the pages `docs/parity-pulumi.md` and `docs/parity-terraform.md`.
//!
//! Nothing is written down twice. A peer's names are a list that `cargo xtask parity` writes, ours come from the command line, and for words that are
//! missing or have other names the pages show the signposts that the program prints.

mod names;
mod page;
mod remarks;
mod standing;

pub(crate) use self::names::Peer;
pub(crate) use self::page::page;
pub(crate) use self::standing::{argument, find};
