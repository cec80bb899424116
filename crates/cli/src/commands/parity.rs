//! `outrigger __parity`: the pages `docs/parity-pulumi.md` and `docs/parity-terraform.md`.

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::output::data;
use crate::parity::{Peer, page};

/// Prints `docs/parity-PEER.md`.
#[derive(Args, Debug)]
pub(crate) struct Parity {
    /// The other program.
    #[arg(value_name = "PEER")]
    peer: Name,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    Pulumi,
    Terraform,
}

impl Parity {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let peer = match self.peer {
            Name::Pulumi => Peer::pulumi(),
            Name::Terraform => Peer::terraform(),
        };
        Ok(data(page(&peer).trim_end())?)
    }
}
