//! The directory that the providers of a scenario change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Both sides work on the same directory, one after the other, so that every path in a request is the same for both.
pub(crate) struct World {
    root: PathBuf,
}

impl World {
    /// An empty world.
    pub(crate) fn fresh(root: &Path) -> Self {
        if root.exists() {
            fs::remove_dir_all(root).unwrap();
        }
        fs::create_dir_all(root).unwrap();
        Self { root: root.to_owned() }
    }

    /// Where it is.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Writes or removes a file, as another program would.
    pub(crate) fn put(&self, file: &str, content: Option<&str>) {
        let path = self.root.join(file);
        match content {
            Some(content) => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            None => fs::remove_file(path).unwrap(),
        }
    }

    /// The text of a file.
    pub(crate) fn get(&self, file: &str) -> String {
        fs::read_to_string(self.root.join(file)).unwrap_or_else(|error| panic!("`{file}`: {error}"))
    }

    /// Every file with its content.
    pub(crate) fn look(&self) -> Value {
        let mut files = BTreeMap::new();
        visit(&self.root, &mut |path| {
            let name = path.strip_prefix(&self.root).unwrap().display().to_string();
            let bytes = fs::read(path).unwrap();
            let content = serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes)));
            files.insert(name, content);
        });
        json!(files)
    }
}

fn visit(directory: &Path, found: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { visit(&path, found) } else { found(&path) }
    }
}
