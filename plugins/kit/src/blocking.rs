//! Blocking disk work, away from the threads that serve calls.

use outrigger_sdk::{Error, Result};

/// Runs the work to its end on a separate thread: dropping the caller does not stop the work.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(Error::new("the plugin failed inside, or is shutting down").in_doubt()),
    }
}
