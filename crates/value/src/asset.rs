//! Files, texts and bundles that are passed to plugins.

use crate::{PropertyMap, Value};

/// A single file or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Hex SHA-256 of the contents; empty until computed.
    pub hash: String,
    /// Where the contents are.
    pub source: AssetSource,
}

/// Where an asset's contents are.
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
    /// Hex SHA-256, see the Pulumi reference for how it is made; empty until computed.
    pub hash: String,
    /// Where the contents are.
    pub source: ArchiveSource,
}

/// Where an archive's contents are.
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
