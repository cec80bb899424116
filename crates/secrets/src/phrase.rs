//! A passphrase as the user gave it.

use std::fmt;

use zeroize::Zeroizing;

/// A passphrase. It is wiped from memory when dropped and never shown.
#[derive(Clone)]
pub struct Phrase(Zeroizing<String>);

impl Phrase {
    /// A passphrase exactly as given; an empty one is allowed.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// A passphrase from the contents of a file: Pulumi trims white space on both ends.
    pub fn from_file_contents(text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self::new(text.trim())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Phrase(..)")
    }
}
