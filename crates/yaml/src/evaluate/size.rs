//! How large a value may get: a few lines that name each other can ask for more memory than there is.

use outrigger_syntax::Span;
use outrigger_value::AssetSource;

use super::value::Evaluated;
use super::{At, Poisoned, Run};

/// The most bytes that one value may take. A part that is named twice counts twice, because it is stored and sent twice.
pub(super) const LARGEST: usize = 64 << 20;
/// What every part of a value takes besides its text.
const PART: usize = 32;

impl Evaluated {
    /// Roughly how many bytes the value takes; a resource is stored once, however often it is named.
    pub(super) fn size(&self) -> usize {
        PART.saturating_add(match self {
            Evaluated::String(text) => text.len(),
            Evaluated::List(items) => items.iter().map(Evaluated::size).sum(),
            Evaluated::Map(map) => map.iter().map(|(key, item)| key.len() + item.size()).sum(),
            Evaluated::Asset(asset) => match &asset.source {
                AssetSource::Text(text) => text.len(),
                _ => 0,
            },
            Evaluated::Output(output) => output.value.as_ref().map_or(0, Evaluated::size),
            _ => 0,
        })
    }
}

/// The size of `count` parts that have a text of `bytes` together.
pub(super) fn of_parts(count: usize, bytes: usize) -> usize {
    count.saturating_mul(PART).saturating_add(bytes)
}

impl Run<'_> {
    /// Refuses a value that is too large.
    pub(super) fn fits(&self, size: usize, span: Span, at: At) -> Result<(), Poisoned> {
        if size <= LARGEST {
            return Ok(());
        }
        let summary = format!("this value takes more than {} MiB", LARGEST >> 20);
        let hint = "Check for values that repeat each other, store large strings in files, and use assets.";
        Err(self.fail(span, "yaml-value-too-large", summary, hint, at))
    }
}
