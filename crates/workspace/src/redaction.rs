//! Keeps secrets out of all output.
//!
//! Values carry their secrecy in their type, but strings do not: a plugin's error may quote the password that it was given. So every secret string
//! that a run uses is remembered, and hidden wherever it appears in a message.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use outrigger_diagnostic::Diagnostic;
use outrigger_value::{PropertyMap, Value, secrecy};

/// Shorter texts are not searched for: hiding every `1` makes a message useless and hides nothing.
const SHORTEST: usize = 3;

/// The text shown in place of a secret.
pub const HIDDEN: &str = "[secret]";

/// Remembers secret texts. They live in memory only, and are never shown.
#[derive(Default)]
pub struct Redaction {
    texts: Mutex<BTreeSet<String>>,
}

impl Redaction {
    /// Remembers a text.
    pub fn learn(&self, text: &str) {
        if text.len() < SHORTEST {
            return;
        }
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if !texts.contains(text) {
            texts.insert(text.to_owned());
        }
    }

    /// Remembers every secret string in a property map.
    pub fn learn_properties(&self, properties: &PropertyMap) {
        secrecy::secret_leaves(properties, &mut |leaf| match leaf {
            Value::String(text) => {
                self.learn(text);
                // A plugin may quote one line of a key, or the string as JSON.
                for line in text.lines().filter(|line| line.len() > 15) {
                    self.learn(line);
                }
                let quoted = serde_json::Value::from(text.as_str()).to_string();
                self.learn(quoted.trim_matches('"'));
            }
            Value::Number(number) => self.learn(&number.to_string()),
            _ => {}
        });
    }

    /// The text without secrets.
    pub fn hide(&self, text: &str) -> String {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<&String> = texts.iter().filter(|secret| text.contains(secret.as_str())).collect();
        // The longest first: a secret may be a part of another.
        found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        found.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }

    /// The diagnostic without secrets.
    pub fn hide_in(&self, diagnostic: &Diagnostic) -> Diagnostic {
        let all = |texts: &[String]| texts.iter().map(|text| self.hide(text)).collect();
        Diagnostic {
            summary: self.hide(&diagnostic.summary),
            detail: diagnostic.detail.as_deref().map(|detail| self.hide(detail)),
            hints: all(&diagnostic.hints),
            notes: all(&diagnostic.notes),
            ..diagnostic.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_is_hidden() {
        let redaction = Redaction::default();
        redaction.learn("ab");
        redaction.learn_properties(&PropertyMap::from([
            ("plain".to_owned(), "visible".into()),
            (
                "secret".to_owned(),
                Value::secret(Value::List(vec!["canary".into(), "canary-2".into(), "a\"b\nc".into()])),
            ),
        ]));
        assert_eq!(redaction.hide("canary-2 and canary, ab, visible"), "[secret] and [secret], ab, visible");
        assert_eq!(redaction.hide(r#"{"x":"a\"b\nc"}"#), r#"{"x":"[secret]"}"#);
        let diagnostic = Diagnostic::error("x", "canary").detail("canary").hint("Use canary.").note("canary");
        assert!(!format!("{:?}", redaction.hide_in(&diagnostic)).contains("canary"));
    }
}
