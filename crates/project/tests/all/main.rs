//! Tests of the whole crate: against the real `pulumi`, and against hostile input.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod hostile;
mod peers;
