//! Work that waits for the disk, away from the threads that serve calls.

use outrigger_sdk::{Error, Result};

/// Does the work on a thread of its own, to its end: whoever waits may be dropped, the work is not.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(Error::new("the plugin failed inside, or is shutting down").in_doubt()),
    }
}
