//! The engine's services for a test: the same numbers every time, secrets that stay in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_engine::{Event, EventSink, OtherStacks, Random};
use outrigger_secrets::Crypter;
use outrigger_value::PropertyMap;

/// Counts instead of drawing: a failing test fails again.
#[derive(Default)]
pub(crate) struct Counting(AtomicU64);

impl Counting {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Random for Counting {
    fn seed(&self) -> [u8; 32] {
        let mut seed = [0; 32];
        for (place, byte) in seed.iter_mut().zip(self.next().to_le_bytes()) {
            *place = byte;
        }
        seed
    }

    fn uuid(&self) -> String {
        format!("00000000-0000-4000-8000-{:012x}", self.next())
    }
}

/// There are no other stacks.
pub(crate) struct Alone;

#[async_trait]
impl OtherStacks for Alone {
    async fn outputs(&self, name: &str) -> Result<PropertyMap, Diagnostic> {
        Err(Diagnostic::error("stack-reference", format!("there is no stack `{name}`"))
            .detail("The stack of a test is the only one there is."))
    }
}

/// Keeps every event.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<Event>>);

impl Events {
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EventSink for Events {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// Keeps secrets in memory, and writes only their numbers into the state: no key is derived, and a test can check that no
/// secret is stored in clear.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<String>>);

impl Crypter for Kept {
    fn encrypt(&self, plaintext: &str) -> Result<String, Diagnostic> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(plaintext.to_owned());
        Ok(format!("kept:{}", kept.len() - 1))
    }

    fn decrypt(&self, ciphertext: &str) -> Result<String, Diagnostic> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = ciphertext.strip_prefix("kept:").and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| kept.get(number).cloned()).ok_or_else(|| {
            Diagnostic::error("ciphertext-malformed", "a secret of the state is not one of this test")
                .detail("The secrets of a test are kept in memory, by the stack that wrote them.")
        })
    }
}
