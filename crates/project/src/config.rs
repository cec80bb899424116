//! Configuration: keys, values, the merge of project and stack, and the meaning of `config get`, `set`, `rm` and `ls`.
//!
//! The stack's file contains values as the user wrote them ([`Item`]). [`merge`] adds the project's declarations and checks the result.
//! [`Config`] is that result with secrets decrypted: text for every key, as Pulumi passes it to programs and plugins.
//! Invariant: a decrypted secret is only in types whose `Debug` does not show it.

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
