//! Conversion between Pulumi's properties and Terraform's states, and the data stored beside them.

pub(crate) mod decode;
pub mod delta;
pub(crate) mod encode;
pub(crate) mod inputs;
pub(crate) mod json;
pub(crate) mod meta;
pub(crate) mod secrets;
pub mod stored_state;
pub(crate) mod unknown_properties;
