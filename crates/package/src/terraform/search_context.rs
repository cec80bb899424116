//! The environment of a search, which this crate does not read by itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The environment of the user and the machine, as the caller knows it.
#[derive(Clone, Debug)]
pub struct SearchContext {
    /// The variables.
    pub environment: BTreeMap<String, String>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The directory at which relative paths begin.
    pub working_directory: PathBuf,
    /// The directory in which archives are unpacked. Executables are started from there, so no other user may be able to write to it; without
    /// one, archives cannot be used.
    pub cache: Option<PathBuf>,
}

impl SearchContext {
    /// The value of a variable, unless it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.working_directory.join(path)
    }

    /// Replaces `$NAME` and `${NAME}` by their values, as a shell does.
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
