//! The store's environment: a clock that jumps, processes that start and end, and a transparent cipher.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;
use outrigger_state::{Clock, Machine, ProcessFacts};

/// A clock that advances by some seconds with each reading, so that checkpoints fall due during a run.
#[derive(Default)]
pub(crate) struct FakeClock(AtomicU64);

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + Duration::from_millis(1_700_000_000_000 + self.0.load(Ordering::Relaxed))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(700, Ordering::Relaxed))
    }

    fn pause(&self, duration: Duration) {
        self.0.fetch_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// A machine that runs one of our processes at a time, and sometimes an intruder.
#[derive(Clone, Debug)]
pub(crate) struct FakeMachine {
    this: u32,
    alive: Option<u32>,
    /// The deliberate fault: running processes count as dead.
    blind: bool,
}

impl FakeMachine {
    pub(crate) fn new(blind: bool) -> Self {
        Self { this: 100, alive: Some(100), blind }
    }

    pub(crate) fn next_process(&mut self) {
        self.this += 1;
        self.alive = Some(self.this);
    }

    pub(crate) fn end_process(&mut self) {
        self.alive = None;
    }

    /// The same machine, seen by another process.
    pub(crate) fn other_process(&self) -> Self {
        Self { this: self.this + 100_000, ..self.clone() }
    }
}

impl Machine for FakeMachine {
    fn this(&self) -> ProcessFacts {
        ProcessFacts {
            pid: self.this,
            username: "alice".to_owned(),
            hostname: "box".to_owned(),
            machine: "machine".to_owned(),
            boot: "boot".to_owned(),
            namespace: "namespace".to_owned(),
            started: u64::from(self.this),
        }
    }

    fn started(&self, pid: u32) -> Option<u64> {
        let there = self.alive == Some(pid) || self.this == pid;
        (there && !self.blind).then_some(u64::from(pid))
    }
}

/// Reverses the text: cheap, and not the plaintext.
pub(crate) struct Mirror;

impl Crypter for Mirror {
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
        Ok(format!("v1:{}", plaintext.chars().rev().collect::<String>()))
    }

    fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
        Ok(ciphertext.strip_prefix("v1:").unwrap_or_default().chars().rev().collect())
    }
}
