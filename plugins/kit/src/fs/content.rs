//! The content for a file, in the three ways to give it.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use outrigger_sdk::{Asset, AssetSource, Error, ErrorContext, Result};
use sha2::{Digest, Sha256};

/// The content for a file.
pub(super) enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The content of this file. It may be large, so it is never read as a whole.
    Of(File, String),
}

impl Content {
    /// Decodes base64. The error does not repeat the text, which may be secret.
    pub(super) fn base64(text: &str) -> Result<Self, String> {
        let compact: String = text.split_ascii_whitespace().collect();
        STANDARD.decode(compact).map(Self::Bytes).map_err(|error| format!("this is not base64: {error}"))
    }

    /// The content of an asset.
    pub(super) fn asset(asset: &Asset) -> Result<Self> {
        match &asset.source {
            AssetSource::Text(text) => Ok(Self::Bytes(text.clone().into_bytes())),
            AssetSource::Path(path) => {
                let file = File::open(path).context(format_args!("opening `{path}`, the source"))?;
                if file.metadata()?.is_dir() {
                    return Err(Error::new(format!("`{path}`, the source, is a directory")));
                }
                Ok(Self::Of(file, path.clone()))
            }
            AssetSource::Uri(_) => Err(Error::new(REMOTE)),
            AssetSource::Elided => Err(Error::new("the engine sent only the digest of the source, not its contents")),
        }
    }

    /// A reader of the content.
    pub(super) fn reader(self) -> Box<dyn Read> {
        match self {
            Self::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Self::Of(file, _) => Box::new(file),
        }
    }
}

/// Why remote assets are refused.
pub(super) const REMOTE: &str =
    "a source is a text or a file of this machine; fetch other sources with the function `kit:httpGet`";

/// A summary of a file's content: enough to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) sha256: String,
    pub(super) size: u64,
}

impl Summary {
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        Self { sha256: crate::digest::sha256(bytes), size: bytes.len() as u64 }
    }

    /// Summarizes a file piece by piece.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let mut summing = Summing::new(io::sink());
        io::copy(&mut File::open(path)?, &mut summing)?;
        Ok(summing.finish())
    }
}

/// Writes through, and summarizes the bytes that pass.
pub(super) struct Summing<W> {
    to: W,
    digest: Sha256,
    size: u64,
}

impl<W> Summing<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, digest: Sha256::new(), size: 0 }
    }

    pub(super) fn finish(self) -> Summary {
        Summary { sha256: hex::encode(self.digest.finalize()), size: self.size }
    }
}

impl<W: io::Write> io::Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.digest.update(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
