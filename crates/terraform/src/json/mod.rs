//! The protocol's messages as JSON: for people who make a call by hand, and for a log of calls.
//!
//! Fields have their names of protocol 6. A value is plain JSON, read and written by the schema of what the call is about:
//! - what is left out of an object is null, or no block;
//! - what is not known is `{"$unknown": true}`, which no attribute can be called;
//! - a value of the type `dynamic` is `{"value": …, "type": …}`, as in stored state;
//! - the provider's own bytes are base64.
//!
//! Where secrets are hidden, `"[secret]"` stands for what the schema calls sensitive or write-only, and `{"length": n}` for the
//! provider's own bytes and for what has no schema here.
//!
//! This is not Protobuf's own form of JSON, which would show values, identities, paths and types as bytes or as trees of messages: nearly
//! every field has a rule of its own. So a library for reflection would need descriptors and all of these rules. One table has the
//! fields of all messages instead, and one reader and one writer work on the bytes.

mod by_hand;
mod context;
mod read;
mod table;
mod transcript;
mod value;
mod write;

pub use by_hand::ByHand;
pub use context::Secrets;
pub use transcript::Transcript;
