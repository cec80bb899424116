//! Properties on the wire: `google.protobuf.Struct`, with marked strings or objects for everything that JSON does not have.

mod decode;
mod encode;

use outrigger_value::signature::{ARCHIVE, ASSET, OUTPUT, RESOURCE, SECRET, SIGNATURE};
use thiserror::Error;

pub(crate) use decode::{Decoding, Unknowns, decode, decode_value};
pub(crate) use encode::{Encoding, encode, encode_value};

/// Strings that mean unknown values. The first, for strings, is the one that is sent.
const UNKNOWNS: [&str; 7] = [
    outrigger_value::UNKNOWN_ID,
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];

/// How many levels of messages prost reads; fixed there. A map costs three (struct, entry, value), a list two.
const NESTING_LIMIT: usize = 100;

/// Properties that cannot be sent, or cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodingError {
    /// Nested deeper than a protobuf reader follows.
    #[error("property `{0}` is nested too deeply: about 33 levels of objects or 50 of lists can be sent to a plugin")]
    TooDeep(String),
    /// A special object that this program does not know.
    #[error("property `{key}` has an object with the unrecognized signature `{signature}`")]
    Signature {
        /// The nearest property.
        key: String,
        /// The signature found.
        signature: String,
    },
    /// A special object whose parts do not fit.
    #[error("property `{key}` has a malformed {kind}: {reason}")]
    Malformed {
        /// The nearest property.
        key: String,
        /// The kind that it claims to be.
        kind: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// A value that must be known by now.
    #[error("property `{0}` is unknown, which is not possible here")]
    Unknown(String),
}

#[cfg(test)]
mod tests;
