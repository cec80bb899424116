//! Terraform's plugin protocols 5 and 6, in Terraform's words.
//!
//! - [`cty`] has the values that travel, exact, with both encodings.
//! - [`schema`] reads what a provider says of its resources, lazily.
//! - [`Report`] is what a provider has to say: errors and warnings.
//!
//! Both protocols have one model, that of protocol 6: protocol 5 is a subset with other names for calls and other numbers for
//! two fields of an attribute.

pub mod cty;
mod report;
pub mod schema;
mod wire;

pub use report::{Report, Severity};

/// Which protocol a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// `tfplugin5`.
    Five,
    /// `tfplugin6`, with nested attributes.
    Six,
}
