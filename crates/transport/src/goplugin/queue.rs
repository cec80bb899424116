//! Messages for a stream that the other side opens, or that is opened late or again.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, mpsc};

/// How many messages may wait for the stream.
const WAITING: usize = 256;

/// Messages to send. A stream that takes them keeps others waiting until it ends: a second stream continues where the first ended.
pub(super) struct Queue<T> {
    sender: mpsc::Sender<T>,
    receiver: Arc<Mutex<mpsc::Receiver<T>>>,
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), receiver: Arc::clone(&self.receiver) }
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        Self { sender, receiver: Arc::new(Mutex::new(receiver)) }
    }
}

impl<T> Queue<T> {
    /// Adds a message, unless too many wait.
    pub(super) fn push(&self, message: T) -> bool {
        self.sender.try_send(message).is_ok()
    }

    /// Waits until no other stream takes messages.
    pub(super) async fn take(&self) -> OwnedMutexGuard<mpsc::Receiver<T>> {
        Arc::clone(&self.receiver).lock_owned().await
    }
}
