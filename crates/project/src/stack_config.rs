//! A stack's file, `Pulumi.STACK.yaml`: reading it, and changing it without touching anything else in it.
//!
//! Changes are made to bytes, not to a model that is written out again: comments, order and quoting of everything else stay
//! as they are. Every change is read back before it is handed out, and must mean exactly what was asked for.

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
