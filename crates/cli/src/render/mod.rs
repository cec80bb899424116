//! The output for users: plain lines, readable without colour, in calm words.
//!
//! - [`diagnostic`] shows diagnostics with their place in the source.
//! - [`value`] and [`detail`] show property values and how they change; secrets are `[secret]`.
//! - [`page`] shows documentation: on a terminal, as Markdown, as HTML.
//! - [`progress`] turns the engine's events into lines or, on a terminal, into the [`live`] tree, or into JSON, one object a line.

pub(crate) mod detail;
pub(crate) mod diagnostic;
pub(crate) mod duration;
#[cfg(test)]
mod hostile;
pub(crate) mod live;
pub(crate) mod page;
pub(crate) mod plugin_test;
pub(crate) mod plugins;
pub(crate) mod progress;
pub(crate) mod step;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod waiting;
