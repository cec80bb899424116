//! A YAML (or JSON) file as a tree in which every node knows its source bytes.
//!
//! Plain scalars become values by the rules of Go's `yaml.v3`, because the peer reads the same files with it.
//! Aliases and merge keys are expanded, which the peer's YAML host refuses; keys that are not text are refused here too, with
//! line and column. Invariants: no input makes the parser panic, and nesting and size are limited.

mod anchors;
mod document;
mod error;
mod node;
mod parser;
pub mod scalar;
mod texts;

pub use document::{Document, Keys, MAX_BYTES, MAX_DEPTH};
pub use node::{Entry, Key, Kind, Layout, List, Node, Object, Span, Style, Text};
