//! Config entries that only the program's file declares: in `Main.yaml`, under `configuration`, in a compiler's output.
//!
//! The project file's declarations were merged into the config before the program is read, and are not considered here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::ProgramError;
use outrigger_syntax::Document;
use outrigger_value::Value;

use super::value::Evaluated;
use super::{At, Run};
use crate::expression::Kind;
use crate::program::{ConfigEntry, Program};

/// The type of an entry. The program's file has more names for types than the project file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum EntryType {
    String,
    Number,
    Integer,
    Boolean,
    Object,
    List(Box<EntryType>),
}

/// The entries that have no value in the config, in file order.
pub(super) fn pending<'p>(
    program: &'p Program,
    own: &'p str,
    config: &'p BTreeMap<String, Value>,
) -> impl Iterator<Item = (&'p str, &'p ConfigEntry)> {
    let named = move |entry: &'p ConfigEntry| (entry.key.text.strip_prefix(own).unwrap_or(&entry.key.text), entry);
    program.config.iter().map(named).filter(|(key, _)| !config.contains_key(*key))
}

/// Copies values stored under another name, and finds errors in the entries that have none.
pub(super) fn complete(
    document: &Document,
    program: &Program,
    own: &str,
    config: &mut BTreeMap<String, Value>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut found = Vec::new();
    let mut report = |span, code, summary: String, hint: String| {
        findings.push(Diagnostic::error(code, summary).at(document.place(span)).hint(hint));
    };
    for (key, entry) in pending(program, own, config) {
        let ty = match entry.ty.as_ref().map(|ty| (ty, EntryType::parse(&ty.text))) {
            Some((written, None)) => {
                let summary = format!("unexpected configuration type '{}'", written.text);
                let hint = "Write string, number, integer, boolean, object, or List<…> of one of them.".to_owned();
                report(written.span, "yaml-config-type", summary, hint);
                continue;
            }
            Some((_, ty)) => ty,
            None if entry.default.is_none() => {
                let summary = "unable to infer type: either 'default' or 'type' is required".to_owned();
                report(entry.key.span, "yaml-config-type", summary, "Add `type: string`.".to_owned());
                continue;
            }
            None => None,
        };
        if let Some(value) = entry.name.as_ref().and_then(|name| config.get(&*name.text)) {
            // The original text is gone here, so only a value that fits the type is certain to be meant.
            let plain = value.bare();
            let fits = ty.as_ref().is_none_or(|ty| ty.accepts(&Evaluated::from_value(plain)));
            if !fits && !matches!(plain, Value::Unknown) {
                let summary = format!("the config value of '{key}' is not of the type that is declared");
                report(entry.key.span, "yaml-config-type", summary, "Change the value or the type.".to_owned());
                continue;
            }
            found.push((key.to_owned(), marked(entry, value.clone())));
            continue;
        }
        let Some(default) = &entry.default else {
            let summary = format!("missing required configuration variable '{key}'");
            let hint = format!("Set it with `outrigger config set {key} VALUE`, or give it a default.");
            report(entry.key.span, "yaml-missing-config", summary, hint);
            continue;
        };
        let value = match &default.kind {
            Kind::Null => Some(Evaluated::Null),
            Kind::Bool(value) => Some(Evaluated::Bool(*value)),
            Kind::Number(value) => Some(Evaluated::Number(*value)),
            Kind::String(text) => Some(Evaluated::String(text.to_string())),
            // The rest is checked after evaluation.
            _ => None,
        };
        if let Some(Err(reason)) = value.map(|value| fits(&value, ty.as_ref())) {
            report(default.span, "yaml-config-type", reason, "Change the default or the type.".to_owned());
        }
    }
    config.extend(found);
}

fn marked(entry: &ConfigEntry, value: Value) -> Value {
    if matches!(entry.secret, Some((true, _))) { Value::secret(value) } else { value }
}

impl<'a> Run<'a> {
    /// Evaluates the defaults in file order; each may read the config and the defaults before it.
    pub(super) async fn declared(&mut self) -> Result<(), ProgramError> {
        let source = self.source;
        let mut complete = Ok(());
        for (key, entry) in pending(&source.program, &source.own, &source.config) {
            let Some(default) = &entry.default else { continue };
            let at = At { position: 0, provider: None };
            let ty = entry.ty.as_ref().and_then(|ty| EntryType::parse(&ty.text));
            let value = match self.evaluate(default, at).await {
                Ok(value) => fits(&value, ty.as_ref()).map(|()| whole(value, ty.as_ref())).map_err(|reason| {
                    self.fail(default.span, "yaml-config-type", reason, "Change the default or the type.", at)
                }),
                Err(poisoned) => Err(poisoned),
            };
            match value {
                Ok(value) => {
                    let secret = matches!(entry.secret, Some((true, _)));
                    let value = if secret { value.into_secret() } else { value };
                    self.config.insert(key, Arc::new(value));
                }
                Err(_) => complete = Err(ProgramError),
            }
        }
        complete
    }
}

/// Integers are printed differently from other numbers.
fn whole(value: Evaluated, ty: Option<&EntryType>) -> Evaluated {
    match (value, ty) {
        (Evaluated::Number(number), Some(EntryType::Integer)) => Evaluated::Integer(number as i64),
        (value, _) => value,
    }
}

/// Whether a default is a valid config value, and of the declared type.
fn fits(value: &Evaluated, wanted: Option<&EntryType>) -> Result<(), String> {
    let actual = EntryType::of(value)?;
    match wanted {
        Some(wanted) if !wanted.accepts(value) => {
            Err(format!("type mismatch: default value of type {actual} but type {wanted} was specified"))
        }
        _ => Ok(()),
    }
}

impl EntryType {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(inner) = text.strip_prefix("list<").and_then(|rest| rest.strip_suffix('>')) {
            return Self::parse(inner).map(|inner| Self::List(Box::new(inner)));
        }
        Some(match text.as_str() {
            "string" => Self::String,
            "number" => Self::Number,
            "int" | "integer" => Self::Integer,
            "bool" | "boolean" => Self::Boolean,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn of(value: &Evaluated) -> Result<Self, String> {
        Ok(match value {
            Evaluated::String(_) => Self::String,
            Evaluated::Number(_) => Self::Number,
            Evaluated::Integer(_) => Self::Integer,
            Evaluated::Bool(_) => Self::Boolean,
            Evaluated::Map(_) => Self::Object,
            Evaluated::List(items) => {
                let mut types = items.iter().map(Self::of);
                let first =
                    types.next().ok_or("the default is an empty list, so the type of its elements is not known")??;
                for ty in types {
                    let ty = ty?;
                    if ty != first {
                        return Err(format!("heterogeneous typed lists are not allowed: found types {first} and {ty}"));
                    }
                }
                Self::List(Box::new(first))
            }
            other => return Err(format!("{} cannot be a config value", other.word())),
        })
    }

    fn accepts(&self, value: &Evaluated) -> bool {
        match (self, value) {
            (Self::String, Evaluated::String(_))
            | (Self::Number, Evaluated::Number(_))
            | (Self::Boolean, Evaluated::Bool(_))
            | (Self::Object, Evaluated::Map(_)) => true,
            (Self::Integer, Evaluated::Integer(_)) => true,
            (Self::Integer, Evaluated::Number(value)) => value.fract() == 0.0,
            (Self::List(inner), Evaluated::List(items)) => items.iter().all(|item| inner.accepts(item)),
            _ => false,
        }
    }
}

impl fmt::Display for EntryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Number => f.write_str("number"),
            Self::Integer => f.write_str("integer"),
            Self::Boolean => f.write_str("boolean"),
            Self::Object => f.write_str("object"),
            Self::List(inner) => write!(f, "List<{inner}>"),
        }
    }
}
