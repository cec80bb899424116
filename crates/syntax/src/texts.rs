//! Interned texts: the keys and types of ten thousand resources are a handful.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// How many texts are cached.
const SLOTS: usize = 512;

/// Longer text is seldom repeated, and slow to compare.
const LONGEST: usize = 64;

/// The most recent texts. Each has one slot, which another text may take: that costs only a copy, and the cache
/// never grows with the file.
pub(crate) struct Texts {
    slots: Vec<Option<Arc<str>>>,
    hasher: RandomState,
}

impl Default for Texts {
    fn default() -> Self {
        Self { slots: vec![None; SLOTS], hasher: RandomState::new() }
    }
}

impl Texts {
    /// The text, shared with its earlier uses if they are cached.
    pub(crate) fn share(&mut self, text: &str) -> Arc<str> {
        let slot = self.hasher.hash_one(text) as usize % SLOTS;
        match self.slots.get_mut(slot).filter(|_| text.len() <= LONGEST) {
            Some(Some(known)) if **known == *text => Arc::clone(known),
            Some(slot) => Arc::clone(slot.insert(text.into())),
            None => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_text_is_kept_once() {
        let mut texts = Texts::default();
        let first = texts.share("properties");
        assert!(Arc::ptr_eq(&first, &texts.share("properties")));
        let other = texts.share("property");
        assert_eq!((&*first, &*other), ("properties", "property"));
        for number in 0..10 * SLOTS {
            let text = format!("text{number}");
            assert_eq!(*texts.share(&text), *text);
        }
        let long = "x".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&texts.share(&long), &texts.share(&long)));
    }
}
