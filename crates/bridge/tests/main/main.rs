//! What other programs decide, against those programs or what they said.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chance;
mod encoded;
mod made;
mod peers;
mod words;
