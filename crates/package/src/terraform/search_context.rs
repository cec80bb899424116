//! What a search depends on and this crate does not read by itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the caller knows about the user and the machine.
#[derive(Clone, Debug)]
pub struct SearchContext {
    /// The variables.
    pub environment: BTreeMap<String, String>,
    /// The user's directory.
    pub home: Option<PathBuf>,
    /// What relative paths begin at.
    pub working_directory: PathBuf,
    /// Where archives are unpacked. Executables are started from there, so nobody else may be able to write to it; without one,
    /// archives cannot be used.
    pub cache: Option<PathBuf>,
}

impl SearchContext {
    /// A variable that has a value.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.working_directory.join(path)
    }

    /// Puts the values of `$NAME` and `${NAME}` in, as a shell does.
    pub(crate) fn expand(&self, text: &str) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            expanded.push_str(before);
            let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let (name, after) = braced.unwrap_or_else(|| {
                let end = after.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
                after.split_at(end.unwrap_or(after.len()))
            });
            expanded.push_str(self.variable(name).unwrap_or_default());
            rest = after;
        }
        expanded + rest
    }

    #[cfg(test)]
    pub(crate) fn empty(directory: &Path) -> Self {
        Self {
            environment: BTreeMap::new(),
            home: None,
            working_directory: directory.to_owned(),
            cache: Some(directory.join("cache")),
        }
    }
}
