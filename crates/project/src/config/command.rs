//! The results of `config get` and `config`.

use std::fmt;

use outrigger_diagnostic::Diagnostic;
use outrigger_secrets::Crypter;

use super::effective::{decrypt, plain};
use super::json::{self, Writer};
use super::{ConfigKey, ConfigPath, ConfigText, Item, apply};
use crate::project::Project;
use crate::stack_config::StackConfig;

/// One value, as `config get` shows it.
#[derive(Clone)]
pub struct GetOutput {
    value: ConfigText,
    object: Option<Item>,
}

/// One line of `config`.
#[derive(Clone)]
pub struct ListedValue {
    /// The key.
    pub key: ConfigKey,
    /// The key as shown: without the project's namespace.
    pub shown_key: String,
    /// The text; secrets are `[secret]` unless requested.
    pub text: String,
    /// Whether anything in it is secret.
    pub secret: bool,
    /// Whether the text may be shown in JSON: it is not secret, or secrets were requested.
    open: bool,
    object: Option<Item>,
}

/// The value of a key or of a part of it, from the project if the stack has none.
/// Secrets are decrypted.
pub fn get(
    project: &Project,
    stack: &StackConfig,
    name: &str,
    path: &ConfigPath,
    crypter: &dyn Crypter,
) -> Result<GetOutput, Diagnostic> {
    stack.check_environment()?;
    let (merged, _) = apply(project, stack)?;
    let Some(item) = merged.items.get(&path.key).and_then(|item| item.get(&path.steps)) else {
        let shown = if path.steps.is_empty() { path.key.pretty(&project.name) } else { path.to_string() };
        return Err(Diagnostic::error(
            "config-not-found",
            format!("stack `{name}` has no configuration value `{shown}`"),
        )
        .hint(format!("Run `outrigger config set {shown} VALUE`, or `outrigger config` to list the values.")));
    };
    let value = decrypt(item, crypter)?;
    let object = match is_object(item, path.steps.is_empty()) {
        true => Some(doubles(plain(item, &|ciphertext| crypter.decrypt(ciphertext))?)),
        false => None,
    };
    Ok(GetOutput { value, object })
}

/// Hides secrets.
impl fmt::Debug for GetOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// Hides secrets.
impl fmt::Debug for ListedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, if self.secret { "[secret]" } else { &self.text })
    }
}

impl GetOutput {
    /// The text that `config get` prints on one line.
    pub fn text(&self) -> &str {
        &self.value.text
    }

    /// Whether anything in it is secret.
    pub fn secret(&self) -> bool {
        self.value.secret
    }

    /// The output of `config get --json`.
    pub fn json(&self) -> String {
        let mut writer = Writer { out: String::new(), indented: true, html: true };
        entry(&mut writer, Some(&self.value.text), self.object.as_ref(), self.value.secret, 0);
        writer.out
    }
}

/// All values, sorted by namespace and name. With `show_secrets` secrets are decrypted.
pub fn list(
    project: &Project,
    stack: &StackConfig,
    show_secrets: bool,
    crypter: &dyn Crypter,
) -> Result<Vec<ListedValue>, Diagnostic> {
    stack.check_environment()?;
    let (merged, _) = apply(project, stack)?;
    let open = |ciphertext: &str| match show_secrets {
        true => crypter.decrypt(ciphertext),
        false => Ok("[secret]".to_owned()),
    };
    let mut listed = Vec::new();
    for (key, item) in &merged.items {
        let plain = plain(item, &open)?;
        let text = to_text(&plain);
        let secret = item.is_secret();
        let object = is_object(item, true).then(|| doubles(plain));
        let (key, shown_key, open) = (key.clone(), key.pretty(&project.name), show_secrets || !secret);
        listed.push(ListedValue { key, shown_key, text, secret, open, object });
    }
    Ok(listed)
}

impl ListedValue {
    /// The output of `config --json`: an object of all values.
    pub fn json(listed: &[ListedValue]) -> String {
        // There keys are sorted as whole texts, not by namespace first.
        let mut sorted: Vec<(String, &ListedValue)> =
            listed.iter().map(|value| (value.key.to_string(), value)).collect();
        sorted.sort_by(|one, other| one.0.cmp(&other.0));
        let mut writer = Writer { out: String::new(), indented: true, html: false };
        writer.parts(['{', '}'], sorted, 0, |writer, (key, value), level| {
            writer.key(&key);
            let (text, object) = if value.open { (Some(&*value.text), value.object.as_ref()) } else { (None, None) };
            entry(writer, text, object, value.secret, level);
        });
        writer.out
    }
}

/// Whether a value about to be stored in clear has a name that suggests a secret and is not a mere switch.
pub fn looks_like_secret(key: &ConfigKey, value: &str) -> bool {
    const WORDS: [&str; 4] = ["pass", "pwd", "secret", "token"];
    const SHORT: usize = 8;
    let name = key.name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word)) && value.chars().count() >= SHORT
}

/// The text of a value without ciphertexts.
fn to_text(item: &Item) -> String {
    match item {
        Item::String(text) => text.clone(),
        other => json::compact(other),
    }
}

/// `{"value": …, "objectValue": …, "secret": …}`; absent parts and a null object are left out.
fn entry(writer: &mut Writer, text: Option<&str>, object: Option<&Item>, secret: bool, level: usize) {
    let text = text.map(|text| Item::String(text.to_owned()));
    let parts = [
        ("value", text.as_ref()),
        ("objectValue", object.filter(|object| **object != Item::Null)),
        ("secret", Some(&Item::Bool(secret))),
    ];
    let present = parts.into_iter().filter_map(|(key, item)| Some((key, item?)));
    writer.parts(['{', '}'], present, level, |writer, (key, item), level| writer.entry(key, item, level));
}

/// A number as a whole value, not text, can only be a default of the project; the peer treats it as an object.
fn is_object(item: &Item, whole: bool) -> bool {
    item.is_object() || (whole && matches!(item, Item::Float(_) | Item::UInt(_)))
}

/// The peer reads the numbers of an object as doubles before showing them.
fn doubles(item: Item) -> Item {
    match item {
        Item::Int(value) => Item::Float(value as f64),
        Item::UInt(value) => Item::Float(value as f64),
        Item::List(items) => Item::List(items.into_iter().map(doubles).collect()),
        Item::Map(map) => Item::Map(map.into_iter().map(|(key, item)| (key, doubles(item))).collect()),
        other => other,
    }
}
