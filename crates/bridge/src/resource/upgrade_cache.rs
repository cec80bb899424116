//! Stored states that a provider was asked to upgrade and left unchanged.
//!
//! A refresh and the plan after it, or a plan and the change after it, start from the same state, and an upgrade depends on nothing else.
//! Digests are kept instead of states: there may be very many.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// The states of one provider's process.
#[derive(Default)]
pub(crate) struct UpgradeCache(Mutex<HashSet<Digest>>);

/// The digest of a state of one type.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    pub(crate) fn of(token: &str, json: &[u8]) -> Self {
        // A separator: a token contains no such byte.
        Self(Sha256::new().chain_update(token).chain_update([0]).chain_update(json).finalize().into())
    }
}

impl UpgradeCache {
    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(digest)
    }

    pub(crate) fn add(&self, digest: Digest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_another_type_is_another_state() {
        let cache = UpgradeCache::default();
        cache.add(Digest::of("a:index/b:B", b"{}"));
        assert!(cache.has(&Digest::of("a:index/b:B", b"{}")));
        assert!(!cache.has(&Digest::of("a:index/c:C", b"{}")));
        assert!(!cache.has(&Digest::of("a:index/b:B", b"{ }")));
    }
}
