//! Terraform's plugin protocols 5 and 6, in Terraform's terms.
//!
//! - [`address`] and [`constraint`] name a provider and its versions.
//! - [`cty`] has the protocol's values, exact, with both encodings.
//! - [`schema`] reads a provider's schemas, lazily.
//! - [`Client`] makes the calls; requests and answers are plain types. [`json`] has the same messages for people.
//! - [`propose`] builds the state that a plan begins with; [`replacement`] finds the changes that need a new resource;
//!   [`consistency`] checks a provider's results against its plans.
//! - [`Report`] is a provider's diagnostic: an error or a warning.
//!
//! Both protocols share one model, that of protocol 6: protocol 5 is a subset with other names for calls and other numbers for
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

/// The protocol that a provider speaks.
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
