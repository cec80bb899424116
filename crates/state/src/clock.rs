//! Time, as it comes in from outside.

use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Tells the time. A simulator brings its own.
pub trait Clock: Send + Sync {
    /// The time of day, for what is written down.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment, never going back, for intervals.
    fn elapsed(&self) -> Duration;

    /// Lets that much time pass.
    fn pause(&self, duration: Duration);
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn pause(&self, duration: Duration) {
        thread::sleep(duration);
    }
}
