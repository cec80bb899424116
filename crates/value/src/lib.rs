//! Values in the form that all protocols and the state file share, paths into them, and the names of resources.
//!
//! - [`Value`] is the dynamic value: JSON's kinds plus secret, unknown, asset, archive, resource reference and output.
//! - [`PropertyPath`] addresses a part of a value in Pulumi's syntax (`a.b[0]["x.y"]`, `*`).
//! - [`diff`] compares two property maps structurally.
//! - [`secrecy`] carries secret marks from inputs to answers; [`nearest`] finds the intended name behind a misspelt one.
//! - [`signature`] has Pulumi's marks for values that JSON lacks.
//! - [`duration`] parses durations as Go writes them; [`CustomTimeouts`] are the user's.
//! - [`Urn`] and [`ProviderReference`] name resources.
//!
//! Invariant: nothing in this crate prints the inside of a secret. `Debug` of a secret is `[secret]`, on every level.

mod asset;
pub mod diff;
pub mod duration;
pub mod nearest;
mod path;
mod property;
pub mod secrecy;
pub mod signature;
mod timeouts;
mod urn;
mod value;

pub use asset::{Archive, ArchiveSource, Asset, AssetSource};
pub use path::{PathError, PathStep, PropertyPath};
pub use property::{ByProperty, PropertyDependencies, PropertyMap};
pub use timeouts::CustomTimeouts;
pub use urn::{ProviderReference, UNKNOWN_ID, Urn, UrnError};
pub use value::{OutputValue, ResourceReference, Value};
