//! The executor: one future, polled to its end, whose waits end in an order that the seed chooses.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::random::Random;

/// More steps than any run of this size can need; beyond it, the run is spinning.
const BUDGET: u64 = 200_000;

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended<T> {
    /// Normally.
    With(T),
    /// The process was killed.
    Killed,
    /// No task can continue, but the run is not over.
    Hung,
    /// The run never ends.
    Endless,
}

/// All waiting tasks. Clones share them.
#[derive(Clone)]
pub(crate) struct Schedule(Arc<Mutex<Waiting>>);

struct Waiting {
    random: Random,
    next: u64,
    waiters: Vec<(u64, Arc<AtomicBool>, Waker)>,
}

impl Schedule {
    pub(crate) fn new(random: Random) -> Self {
        Self(Arc::new(Mutex::new(Waiting { random, next: 0, waiters: Vec::new() })))
    }

    /// Waits for a turn among all waiting tasks.
    pub(crate) fn pause(&self) -> Pause {
        Pause { schedule: self.clone(), number: None, fired: Arc::new(AtomicBool::new(false)) }
    }

    /// Waits up to `most` times.
    pub(crate) async fn pauses(&self, most: usize) {
        let count = self.waiting().random.below(most + 1);
        for _ in 0..count {
            self.pause().await;
        }
    }

    /// Runs a future. `moment` receives each step's number first and can end the run by returning false.
    pub(crate) fn run<F: Future>(&self, future: F, mut moment: impl FnMut(u64) -> bool) -> Ended<F::Output> {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        for step in 0..BUDGET {
            if !moment(step) {
                return Ended::Killed;
            }
            if woken.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                    return Ended::With(value);
                }
            } else if !self.fire() {
                return Ended::Hung;
            }
        }
        Ended::Endless
    }

    /// Wakes one waiting task; false if there is none.
    fn fire(&self) -> bool {
        let (_, fired, waker) = {
            let mut waiting = self.waiting();
            let count = waiting.waiters.len();
            if count == 0 {
                return false;
            }
            let chosen = waiting.random.below(count);
            waiting.waiters.remove(chosen)
        };
        fired.store(true, Ordering::Relaxed);
        waker.wake();
        true
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One wait.
pub(crate) struct Pause {
    schedule: Schedule,
    number: Option<u64>,
    fired: Arc<AtomicBool>,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.fired.load(Ordering::Relaxed) {
            return Poll::Ready(());
        }
        let number = self.number;
        let fired = self.fired.clone();
        let number = {
            let mut waiting = self.schedule.waiting();
            match number.and_then(|own| waiting.waiters.iter_mut().find(|(other, ..)| *other == own)) {
                Some((own, _, waker)) => {
                    waker.clone_from(context.waker());
                    *own
                }
                None => {
                    waiting.next += 1;
                    let own = waiting.next;
                    waiting.waiters.push((own, fired, context.waker().clone()));
                    own
                }
            }
        };
        self.number = Some(number);
        Poll::Pending
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if let Some(own) = self.number {
            self.schedule.waiting().waiters.retain(|(other, ..)| *other != own);
        }
    }
}
