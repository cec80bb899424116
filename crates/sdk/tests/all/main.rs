//! The crate as an author and a host see it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod checks;
mod guide;
mod lifecycle;
mod plans;
mod schema;
mod services;
mod toys;
