//! Terraform's plugin protocols 5 and 6, in Terraform's words.
//!
//! - [`address`] and [`constraint`] name a provider and its versions.
//! - [`cty`] has the values that travel, exact, with both encodings.
//! - [`schema`] reads what a provider says of its resources, lazily.
//! - [`Client`] makes the calls; what they ask and answer is in plain types. [`json`] has the same messages for people.
//! - [`propose`] makes the state that a plan begins with; [`replacement`] says which changes need a new resource;
//!   [`consistency`] holds a provider to what it planned.
//! - [`Report`] is what a provider has to say: errors and warnings.
//!
//! Both protocols have one model, that of protocol 6: protocol 5 is a subset with other names for calls and other numbers for
//! two fields of an attribute.

pub mod address;
mod client;
pub mod consistency;
pub mod constraint;
pub mod cty;
mod exchange;
pub mod json;
pub mod propose;
pub mod replacement;
mod report;
mod rpc;
pub mod schema;
mod wire;
pub mod write_only;

pub use client::Client;
pub use exchange::{Applied, ApplyQuestion, Handle, Imported, PlanAnswer, PlanQuestion, ReadAnswer, Stored};
pub use report::{Report, Severity};

/// Which protocol a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// `tfplugin5`.
    Five = 5,
    /// `tfplugin6`, with nested attributes.
    Six = 6,
}

impl Protocol {
    /// The protocol with this number.
    pub fn of_version(version: u32) -> Option<Self> {
        [Self::Five, Self::Six].into_iter().find(|protocol| *protocol as u32 == version)
    }
}
