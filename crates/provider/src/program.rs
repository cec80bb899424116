//! The program that a driver builds from a project and the engine runs.

use async_trait::async_trait;

use crate::{Monitor, PackageReference};

/// A program that registers resources.
#[async_trait]
pub trait Program: Send + Sync {
    /// The packages that the program names, with any versions: they give the default providers' versions, and they can
    /// be started before anything is registered.
    fn required_packages(&self) -> Vec<PackageReference>;

    /// Runs to its end: registers the root stack ([`crate::Goal::root`]), then its resources. All findings have gone through
    /// [`Monitor::report`].
    async fn run(&self, monitor: &dyn Monitor) -> Result<(), ProgramError>;
}

/// The program did not reach its end; the reason has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramError;
