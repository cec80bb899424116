//! Files, texts and bundles that are passed to plugins.

use crate::{PropertyMap, Value};

/// A single file or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Hex SHA-256 of the contents; empty until computed.
    pub hash: String,
    /// The source of the contents.
    pub source: AssetSource,
}

/// The source of an asset's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssetSource {
    /// The text itself.
    Text(String),
    /// A path on this machine.
    Path(String),
    /// A URI to fetch.
    Uri(String),
    /// Only the hash is known: the contents were left out on the wire.
    Elided,
}

/// A bundle of assets.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// Hex SHA-256, computed as described in the Pulumi reference; empty until computed.
    pub hash: String,
    /// The source of the contents.
    pub source: ArchiveSource,
}

/// The source of an archive's contents.
#[derive(Clone, Debug, PartialEq)]
pub enum ArchiveSource {
    /// Named assets and archives.
    Assets(PropertyMap),
    /// A directory or archive file on this machine.
    Path(String),
    /// A URI to fetch.
    Uri(String),
    /// Only the hash is known: the contents were left out on the wire.
    Elided,
}

impl From<Asset> for Value {
    fn from(asset: Asset) -> Self {
        Self::Asset(Box::new(asset))
    }
}

impl From<Archive> for Value {
    fn from(archive: Archive) -> Self {
        Self::Archive(Box::new(archive))
    }
}
