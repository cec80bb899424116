//! Laws that hold for random values and schemas.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod blocks;
mod codecs;
mod never_stored;
mod proposed;
mod rules;
mod schemas;
mod transcripts;
mod values;
