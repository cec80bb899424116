//! Schemas that were fetched before, by the digest of the executable that gave them.
//!
//! Asking a plugin for its schema means starting it and moving megabytes; the answer depends only on the executable, the name that it
//! was started under, and its parameters. So it is kept, for native executables only: a script's text says nothing about
//! what it runs.

mod digest;
mod store;

pub(crate) use digest::{Stamp, native_digest, remembered_digest};
pub(crate) use store::{Key, read, write};
