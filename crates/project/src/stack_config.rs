//! A stack's file, `Pulumi.STACK.yaml`: reads it, and edits it without changing anything else in it.
//!
//! Edits change bytes; they do not write a model out again. Comments, order and quoting of everything else stay
//! as they are. Every edited text is parsed again before it is returned, and must mean exactly what was requested.

mod change;
mod edit;
mod file;
mod render;
#[cfg(test)]
mod tests;

pub use change::NewValue;
pub use file::{StackConfig, StackEntry};

pub(crate) use edit::Editor;
pub(crate) use render::{Form, string as written_text};
