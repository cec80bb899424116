//! Configuration: keys, values, the merge of project and stack, and what `config get`, `set`, `rm` and `ls` mean.
//!
//! The stack's file holds values as the user wrote them ([`Item`]). [`merge`] adds what the project declares and checks it.
//! [`Config`] is the result with secrets decrypted: text for every key, as Pulumi hands it to programs and plugins.
//! Invariant: a decrypted secret is held in types whose `Debug` does not show it.

mod command;
mod effective;
mod infer;
mod item;
mod json;
mod key;
mod merge;
mod survey;
#[cfg(test)]
mod tests;

pub use command::{GetOutput, ListedValue, get, list, looks_like_secret};
pub use effective::{Config, ConfigText};
pub use infer::infer;
pub use item::{Item, ItemError};
pub use key::{ConfigKey, ConfigPath, KeyError, Step};
pub use merge::{Merged, Origin, apply, merge};
pub use survey::Survey;

/// The JSON of a value, as Go writes it.
pub(crate) fn to_json(item: &Item) -> String {
    json::compact(item)
}
