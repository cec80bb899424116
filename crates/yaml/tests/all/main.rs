//! Tests of the whole crate: the registrations of programs, and the errors in them.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod documentation;
mod program;
mod registrations;
mod stand_in;
