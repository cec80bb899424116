//! Assets and archives: their hashes, computed from files, and their contents, restored after a plugin received only the hashes.

mod hash;
mod members;
mod restore;
mod tar;

use std::path::Path;

use outrigger_diagnostic::Diagnostic;
use outrigger_value::{ArchiveSource, PropertyMap, Value};

pub(crate) use restore::restore;

/// Fills in the missing hashes of all assets and archives in the properties. It reads files; relative paths begin at `base`, the program's
/// directory. The hashes equal Pulumi's, so that either program can take over a state file.
pub fn hash_assets(properties: &mut PropertyMap, base: &Path) -> Result<(), Diagnostic> {
    properties.values_mut().try_for_each(|value| visit(value, base))
}

/// Whether [`hash_assets`] would have to read anything. Cheap, so that a caller may keep file access off its hot path.
pub fn lacks_hashes(properties: &PropertyMap) -> bool {
    properties.values().any(|value| {
        value.any(&|value| match value {
            Value::Asset(asset) => asset.hash.is_empty(),
            Value::Archive(archive) => archive.hash.is_empty(),
            _ => false,
        })
    })
}

fn visit(value: &mut Value, base: &Path) -> Result<(), Diagnostic> {
    match value {
        Value::Asset(asset) if asset.hash.is_empty() => {
            asset.hash = hash::asset(asset, base)?;
            Ok(())
        }
        Value::Archive(archive) if archive.hash.is_empty() => {
            // The members have hashes of their own in the state and on the wire.
            if let ArchiveSource::Assets(members) = &mut archive.source {
                members.values_mut().try_for_each(|member| visit(member, base))?;
            }
            archive.hash = hash::archive(archive, base)?;
            Ok(())
        }
        Value::List(items) => items.iter_mut().try_for_each(|item| visit(item, base)),
        Value::Map(map) => map.values_mut().try_for_each(|item| visit(item, base)),
        Value::Secret(inner) => visit(inner, base),
        Value::Output(output) => output.value.as_mut().map_or(Ok(()), |inner| visit(inner, base)),
        _ => Ok(()),
    }
}
