//! Tests of the whole crate: what programs register, and what is wrong with them.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod documentation;
mod program;
mod registrations;
mod stand_in;
