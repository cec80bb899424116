//! Edits of a stack's file.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_syntax::Object;

use super::StackConfig;
use super::edit::Editor;
use super::render::Form;
use crate::config::{ConfigKey, ConfigPath, Item, ItemError, Step};

/// A new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// Text in clear. Inside a structured value `true`, `false` and whole numbers get their types.
    Plain(String),
    /// The ciphertext of a secret text.
    Secure(String),
}

impl StackConfig {
    /// The file's text with a value set.
    pub fn set(&self, path: &ConfigPath, value: NewValue) -> Result<String, Diagnostic> {
        let item = match value {
            NewValue::Plain(text) if path.steps.is_empty() => Item::String(text),
            NewValue::Plain(text) => Item::coerced(&text),
            NewValue::Secure(ciphertext) => Item::Secure(ciphertext),
        };
        self.put(path, item)
    }

    /// The file's text with a value of any form set.
    pub fn put(&self, path: &ConfigPath, item: Item) -> Result<String, Diagnostic> {
        let old = self.entries().get(&path.key);
        let mut new = old.map_or(Item::Null, |entry| entry.item.clone());
        new.set(&path.steps, item, true).map_err(|reason| refused(path, reason))?;
        let mut expected = self.items();
        expected.insert(path.key.clone(), new.clone());

        let written = self.written(&path.key);
        let way = way(&written, &path.steps);
        let tree = Item::Map([("config".to_owned(), Item::Map([(written.clone(), new)].into()))].into());
        let editor = self.editor();
        let whole = way.get(..2).unwrap_or(&way);
        let attempts = [
            editor.set(&way, &tree, false),
            editor.set(&way, &tree, true),
            // If the small edit is impossible, the whole value can still be rewritten.
            editor.set(whole, &tree, false),
            editor.set(whole, &tree, true),
        ];
        self.first_that_means(attempts, &expected, self.settings())
    }

    /// The file's text with a value or a part of one removed. A missing value is no error.
    pub fn remove(&self, path: &ConfigPath) -> Result<String, Diagnostic> {
        let Some(entry) = self.entries().get(&path.key) else { return Ok(self.source().to_string()) };
        if entry.item.get(&path.steps).is_none() {
            return Ok(self.source().to_string());
        }
        let mut expected = self.items();
        let written = self.written(&path.key);
        let way = way(&written, &path.steps);
        let editor = self.editor();
        if path.steps.is_empty() {
            expected.remove(&path.key);
            let config = || self.document.root.as_object()?.get("config")?.as_object();
            // Removing the last value also removes the block.
            let last = config().is_some_and(|config| config.len() == 1);
            let attempts = [editor.remove(if last { way.get(..1).unwrap_or(&way) } else { &way }), editor.remove(&way)];
            return self.first_that_means(attempts, &expected, self.settings());
        }
        let mut new = entry.item.clone();
        new.remove(&path.steps).map_err(|reason| refused(path, reason))?;
        expected.insert(path.key.clone(), new.clone());
        let tree = Item::Map([("config".to_owned(), Item::Map([(written, new)].into()))].into());
        let attempts = [editor.remove(&way), editor.set(way.get(..2).unwrap_or(&way), &tree, false)];
        self.first_that_means(attempts, &expected, self.settings())
    }

    /// The file's text with a new passphrase salt.
    pub fn set_encryption_salt(&self, salt: &str) -> Result<String, Diagnostic> {
        const KEY: &str = "encryptionsalt";
        let mut settings = self.settings().clone();
        settings.insert(KEY, salt.to_owned());
        let tree = Item::Map([(KEY.to_owned(), Item::String(salt.to_owned()))].into());
        let way = [Step::Key(KEY.to_owned())];
        let editor = self.editor();
        // Settings precede the values, as the peer writes them.
        let attempts = [editor.set(&way, &tree, true), editor.set(&way, &tree, false)];
        self.first_that_means(attempts, &self.items(), &settings)
    }

    /// The file's text with another salt, and every secret as `change` makes it of its ciphertext.
    pub fn reencrypted(
        &self,
        salt: &str,
        change: &dyn Fn(&str) -> Result<String, Diagnostic>,
    ) -> Result<String, Diagnostic> {
        let read = |text: String| {
            // The changed file can be read: otherwise the change would have been refused.
            Self::parse(self.file(), Some(text.as_bytes()), &self.project)
                .map_err(|mut findings| findings.swap_remove(0))
        };
        let mut file = read(self.set_encryption_salt(salt)?)?;
        for (key, entry) in self.entries().iter().filter(|(_, entry)| entry.item.is_secret()) {
            let item = entry.item.with_secrets(&|ciphertext| change(ciphertext).map(Item::Secure))?;
            file = read(file.put(&ConfigPath { key: key.clone(), steps: Vec::new() }, item)?)?;
        }
        Ok(file.source().to_string())
    }

    fn editor(&self) -> Editor<'_> {
        let json = self.file().ends_with(".json");
        Editor::new(&self.document, if json { Form::Json } else { Form::Block })
    }

    fn items(&self) -> BTreeMap<ConfigKey, Item> {
        self.entries().iter().map(|(key, entry)| (key.clone(), entry.item.clone())).collect()
    }

    /// The key as it is, or will be, in the file.
    fn written(&self, key: &ConfigKey) -> String {
        self.entries().get(key).map_or_else(|| key.to_string(), |entry| entry.written.to_string())
    }

    /// The first text that, parsed again, has exactly these values and settings, with everything else unchanged.
    fn first_that_means(
        &self,
        attempts: impl IntoIterator<Item = Option<String>>,
        items: &BTreeMap<ConfigKey, Item>,
        settings: &BTreeMap<&'static str, String>,
    ) -> Result<String, Diagnostic> {
        let means = |text: &String| {
            StackConfig::parse(self.file(), Some(text.as_bytes()), &self.project).is_ok_and(|read| {
                read.items() == *items && read.settings() == settings && read.others() == self.others()
            })
        };
        attempts.into_iter().flatten().find(means).ok_or_else(|| {
            Diagnostic::error("stack-config-edit", format!("`{}` cannot be edited automatically", self.file()))
                .detail("No small edit has the intended effect: other values may share this one through an anchor (`&name`), or it is written in an unusual way.")
                .hint("Change the value in an editor.")
        })
    }

    /// Everything else in the file.
    fn others(&self) -> BTreeMap<String, Item> {
        let ours = |key: &str| key == "config" || self.settings().contains_key(key);
        let entries = self.document.root.as_object().into_iter().flat_map(Object::iter);
        entries
            .filter(|entry| !ours(&entry.key.text) && !entry.value.is_null())
            .map(|entry| (entry.key.text.to_string(), Item::from_node(&self.document, &entry.value)))
            .collect()
    }
}

/// The path from the root of the file to the value.
fn way(written: &str, steps: &[Step]) -> Vec<Step> {
    let mut way = vec![Step::Key("config".to_owned()), Step::Key(written.to_owned())];
    way.extend_from_slice(steps);
    way
}

fn refused(path: &ConfigPath, reason: ItemError) -> Diagnostic {
    Diagnostic::error("config-path", format!("`{path}` cannot be changed"))
        .detail(format!("{reason}."))
        .hint(format!("Check the value with `outrigger config get {}`.", path.key))
}
