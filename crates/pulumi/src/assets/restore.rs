//! Restores contents that a plugin did not receive, and so could not send back.

use std::collections::HashMap;

use outrigger_value::{Archive, ArchiveSource, Asset, AssetSource, PropertyMap, Value};

/// Gives assets and archives that came back with only a hash the contents of the original with that hash.
pub(crate) fn restore(answer: &mut PropertyMap, originals: &PropertyMap) {
    let mut known = Known::default();
    originals.values().for_each(|value| known.collect(value));
    if !known.assets.is_empty() || !known.archives.is_empty() {
        answer.values_mut().for_each(|value| known.restore(value));
    }
}

#[derive(Default)]
struct Known<'a> {
    assets: HashMap<&'a str, &'a Asset>,
    archives: HashMap<&'a str, &'a Archive>,
}

impl<'a> Known<'a> {
    fn collect(&mut self, value: &'a Value) {
        match value {
            Value::Asset(asset) => {
                self.assets.insert(&asset.hash, asset);
            }
            Value::Archive(archive) => {
                self.archives.insert(&archive.hash, archive);
            }
            Value::List(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Map(map) => map.values().for_each(|item| self.collect(item)),
            Value::Secret(inner) => self.collect(inner),
            _ => {}
        }
    }

    fn restore(&self, value: &mut Value) {
        match value {
            Value::Asset(asset) if asset.source == AssetSource::Elided => {
                if let Some(original) = self.assets.get(asset.hash.as_str()) {
                    asset.source = original.source.clone();
                }
            }
            Value::Archive(archive) if archive.source == ArchiveSource::Elided => {
                if let Some(original) = self.archives.get(archive.hash.as_str()) {
                    archive.source = original.source.clone();
                }
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.restore(item)),
            Value::Map(map) => map.values_mut().for_each(|item| self.restore(item)),
            Value::Secret(inner) => self.restore(inner),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_return_by_hash() {
        let asset = |hash: &str, source| Value::from(Asset { hash: hash.to_owned(), source });
        let originals =
            PropertyMap::from([("a".to_owned(), Value::secret(asset("1", AssetSource::Text("contents".to_owned()))))]);
        let mut answer = PropertyMap::from([
            ("b".to_owned(), Value::List(vec![asset("1", AssetSource::Elided)])),
            ("c".to_owned(), asset("2", AssetSource::Elided)),
        ]);
        restore(&mut answer, &originals);
        let expected = Value::List(vec![asset("1", AssetSource::Text("contents".to_owned()))]);
        assert_eq!(answer["b"], expected);
        assert_eq!(answer["c"], asset("2", AssetSource::Elided));
    }
}
