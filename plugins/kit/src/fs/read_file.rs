//! `kit:index:readFile`.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use outrigger_sdk::{Context, Error, ErrorContext, Function, Inputs, Outputs, Result};

use super::content::Summary;
use super::place::{self, absolute};
use crate::blocking::blocking;
use crate::marked::Marked;

/// Results travel in one message, and are in memory several times on the way.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads a file of the machine that the plugin runs on, of up to 64 MiB.
#[derive(Inputs)]
pub(crate) struct ReadFile {
    /// The path. A relative one begins at the program's directory.
    path: String,
    /// Whether the contents are a secret.
    #[outrigger(default = false)]
    secret: bool,
}

/// A file's contents.
#[derive(Outputs)]
pub(crate) struct FileContents {
    /// The contents, if they are text (UTF-8).
    content: Option<Marked<String>>,
    /// The contents, as base64.
    content_base64: Marked<String>,
    /// The SHA-256 digest of the contents, in hexadecimal digits.
    sha256: Marked<String>,
    /// The size in bytes.
    size: Marked<u64>,
}

impl Function for ReadFile {
    type Result = FileContents;
    const TOKEN: &'static str = "kit:index:readFile";

    async fn call(self, _cx: &Context) -> Result<FileContents> {
        let Self { path, secret } = self;
        if let Some(reason) = place::refusal(&path) {
            return Err(Error::new(reason).context("`path`"));
        }
        blocking(move || {
            let path = absolute(&path)?;
            let reading = || format!("reading `{}`", path.display());
            let found = fs::metadata(&path).context(reading())?;
            if !found.is_file() {
                return Err(Error::new("it is not a regular file").context(reading()));
            }
            if found.len() > LARGEST {
                let message = format!("it has {} bytes; at most {LARGEST} are read", found.len());
                return Err(Error::new(message).context(reading()));
            }
            let bytes = fs::read(&path).context(reading())?;
            let Summary { sha256, size } = Summary::of_bytes(&bytes);
            Ok(FileContents {
                content_base64: Marked::new(STANDARD.encode(&bytes), secret),
                content: String::from_utf8(bytes).ok().map(|text| Marked::new(text, secret)),
                sha256: Marked::new(sha256, secret),
                size: Marked::new(size, secret),
            })
        })
        .await
    }
}
