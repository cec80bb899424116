//! Results compared with those of other programs, live or recorded.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chance;
mod encoded;
mod made;
mod peers;
mod words;
