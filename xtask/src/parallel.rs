//! Work on many items in several threads.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};

/// How many projects or programs run at once: for two cores, since each of them keeps more than one busy.
const AT_ONCE: usize = 2;

/// Does the work for every item and returns the results in no particular order. A thread whose item fails begins no other.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let worker =
        || -> Result<Vec<R>> { iter::from_fn(|| items.get(next.fetch_add(1, Ordering::Relaxed))).map(&work).collect() };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        let mut done = Vec::new();
        for worker in workers {
            done.extend(worker.join().map_err(|_| anyhow!("what ran beside others panicked"))??);
        }
        Ok(done)
    })
}
