//! The protocol's messages as JSON: for users who make a call by hand, and for a log of calls.
//!
//! Fields have their names of protocol 6. A value is plain JSON, read and written by the schema of the call's subject:
//! - a member that is left out of an object is null, or no block;
//! - an unknown value is `{"$unknown": true}`, a name that no attribute can have;
//! - a value of the type `dynamic` is `{"value": …, "type": …}`, as in stored state;
//! - the provider's private bytes are base64.
//!
//! Hidden secrets are `"[secret]"` in place of values that the schema calls sensitive or write-only, and `{"length": n}` in place of the
//! provider's private bytes and of values without a schema here.
//!
//! This is not Protobuf's own form of JSON, which would show values, identities, paths and types as bytes or as trees of messages: nearly every
//! field has a rule of its own. A reflection library would need descriptors and all of these rules as well. Instead, one table has the fields of
//! all messages, and one reader and one writer work on the bytes.

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
