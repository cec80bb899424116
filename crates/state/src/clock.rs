//! Time, passed in from outside.

use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The source of time. A simulator has its own.
pub trait Clock: Send + Sync {
    /// The time of day, for records.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment, never decreasing, for intervals.
    fn elapsed(&self) -> Duration;

    /// Waits.
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
