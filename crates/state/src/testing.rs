//! A clock, a machine and a crypter for this crate's own tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;

use crate::clock::Clock;
use crate::machine::{Machine, ProcessFacts};

#[derive(Default)]
pub(crate) struct FakeClock {
    elapsed: Mutex<Duration>,
    on_pause: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl FakeClock {
    pub(crate) fn advance(&self, duration: Duration) {
        *self.elapsed.lock().unwrap_or_else(PoisonError::into_inner) += duration;
    }

    pub(crate) fn on_pause(&self, action: impl Fn() + Send + 'static) {
        *self.on_pause.lock().unwrap() = Some(Box::new(action));
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_800_000_000).unwrap() + self.elapsed()
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pause(&self, duration: Duration) {
        self.advance(duration);
        if let Some(action) = self.on_pause.lock().unwrap().as_ref() {
            action();
        }
    }
}

pub(crate) struct FakeMachine {
    this: ProcessFacts,
    processes: Mutex<BTreeMap<u32, u64>>,
}

impl Default for FakeMachine {
    fn default() -> Self {
        let this = ProcessFacts {
            pid: 7,
            username: "alice".into(),
            hostname: "box".into(),
            machine: "machine".into(),
            boot: "boot".into(),
            namespace: "namespace".into(),
            started: 100,
        };
        Self { processes: Mutex::new(BTreeMap::from([(7, 100)])), this }
    }
}

impl FakeMachine {
    pub(crate) fn on_host(mut self, name: &str) -> Self {
        self.this.hostname = name.to_owned();
        self.this.machine = name.to_owned();
        self.this.boot = name.to_owned();
        self
    }

    pub(crate) fn with_pid(mut self, pid: u32) -> Self {
        self.this.pid = pid;
        self.processes.lock().unwrap().insert(pid, 100);
        self
    }

    pub(crate) fn end(&self, pid: u32) {
        self.processes.lock().unwrap().remove(&pid);
    }
}

impl Machine for FakeMachine {
    fn this(&self) -> ProcessFacts {
        self.this.clone()
    }

    fn started(&self, pid: u32) -> Option<u64> {
        self.processes.lock().unwrap().get(&pid).copied()
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

/// Drives a future that needs no runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
