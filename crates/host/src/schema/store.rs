//! Files of the schema cache. Each is first written under another name, then put in place, and contains a digest of its
//! contents: a reader gets a whole schema or none.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use outrigger_provider::PluginDescriptor;
use sha2::{Digest, Sha256};

/// The start of every file; the number changes with the format.
const HEADER: &[u8] = b"outrigger-schema 1 ";

/// How many schemas are kept. The oldest are removed first.
const KEPT: usize = 100;

/// Identifies a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// The key of a package, given the digest of its executable. `None` if the schema depends on more than the key covers.
    ///
    /// The name is part of it, because one executable may answer differently under several names.
    pub(crate) fn new(digest: &str, descriptor: &PluginDescriptor) -> Option<Self> {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        part(digest.as_bytes());
        part(descriptor.name.as_bytes());
        if let Some(parameterization) = &descriptor.parameterization {
            if names_a_file(&parameterization.value) {
                return None;
            }
            part(parameterization.name.as_bytes());
            part(parameterization.version.as_bytes());
            part(&parameterization.value);
        }
        Some(Self(hex::encode(hash.finalize())))
    }

    fn file(&self, cache: &Path) -> PathBuf {
        cache.join("schemas").join(&self.0).with_extension("schema")
    }
}

/// A cached schema. A damaged one counts as missing.
pub(crate) fn read(cache: &Path, key: &Key) -> Option<Vec<u8>> {
    let mut bytes = fs::read(key.file(cache)).ok()?;
    let digest = bytes.get(HEADER.len()..HEADER.len() + 64)?;
    let body = bytes.strip_prefix(HEADER)?.get(64..)?.strip_prefix(b"\n")?;
    if digest != hex::encode(Sha256::digest(body)).as_bytes() {
        return None;
    }
    let start = bytes.len() - body.len();
    bytes.drain(..start);
    Some(bytes)
}

/// Caches a schema.
pub(crate) fn write(cache: &Path, key: &Key, schema: &[u8]) -> io::Result<()> {
    let digest = hex::encode(Sha256::digest(schema));
    let file = key.file(cache);
    replace(&file, &[HEADER, digest.as_bytes(), b"\n", schema])?;
    file.parent().map_or(Ok(()), prune)
}

/// Puts a file in place in one step. It is not flushed to disk: after a power failure the digest shows the damage, and nothing is lost.
pub(super) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().suffix(".part").tempfile_in(directory)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.persist(path)?;
    Ok(())
}

fn prune(directory: &Path) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(directory)?
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(KEPT);
    for (_, path) in files.into_iter().take(surplus) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Whether a parameter names a file of this machine, as the dynamic Terraform bridge's does for a local provider: that file
/// may change while the parameter stays the same.
fn names_a_file(parameter: &[u8]) -> bool {
    fn walk(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => Path::new(text).is_absolute() || text.starts_with('.'),
            serde_json::Value::Array(items) => items.iter().any(walk),
            serde_json::Value::Object(entries) => entries.values().any(walk),
            _ => false,
        }
    }
    serde_json::from_slice(parameter).is_ok_and(|value| walk(&value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outrigger_provider::Parameterization;

    fn key(name: &str, value: Option<&str>) -> Option<Key> {
        let mut descriptor = PluginDescriptor::named(name, None);
        descriptor.parameterization = value.map(|value| Parameterization {
            name: "p".into(),
            version: "1.0.0".into(),
            value: value.as_bytes().to_vec(),
        });
        Key::new("d", &descriptor)
    }

    #[test]
    fn keys_differ_with_everything_that_matters() {
        let keys =
            [key("a", None), key("b", None), key("a", Some("")), key("a", Some("x")), key("a", Some(r#"{"u":"v"}"#))];
        for (index, one) in keys.iter().enumerate() {
            assert!(one.is_some());
            assert!(keys.iter().skip(index + 1).all(|other| other != one));
        }
        assert_eq!(key("a", Some(r#"{"local":{"path":"/opt/provider"}}"#)), None);
        assert_eq!(key("a", Some(r#"{"local":{"path":"./provider"}}"#)), None);
    }

    #[test]
    fn damage_is_absence() {
        let root = tempfile::tempdir().unwrap();
        let key = key("a", None).unwrap();
        assert_eq!(read(root.path(), &key), None);
        write(root.path(), &key, b"{\"name\":\"a\"}").unwrap();
        assert_eq!(read(root.path(), &key).unwrap(), b"{\"name\":\"a\"}");
        let whole = fs::read(key.file(root.path())).unwrap();
        for cut in 0..whole.len() {
            fs::write(key.file(root.path()), &whole[..cut]).unwrap();
            assert_eq!(read(root.path(), &key), None, "cut at {cut}");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(key.file(root.path()), &damaged).unwrap();
            assert_eq!(read(root.path(), &key), None, "changed at {place}");
        }
    }

    #[test]
    fn only_so_many_are_kept() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..KEPT + 3 {
            write(root.path(), &key(&format!("p{number}"), None).unwrap(), b"{}").unwrap();
        }
        assert_eq!(fs::read_dir(root.path().join("schemas")).unwrap().count(), KEPT);
    }
}
