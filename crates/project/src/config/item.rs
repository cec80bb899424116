//! A configuration value as stored in a stack's file.

use std::collections::BTreeMap;
use std::fmt;

use outrigger_syntax::scalar::{self, Scalar};
use outrigger_syntax::{Document, Kind, Node};

use super::Step;
use super::json;

/// Setting an index may not make a list longer than this.
const MAX_NEW_INDEX: usize = 10_000;

/// A value of the `config` block. Secrets are still encrypted.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above the range of [`Item::Int`]; only at the top, never inside a value.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    String(String),
    /// The ciphertext of a secret text.
    Secure(String),
    /// A list.
    List(Vec<Item>),
    /// A map.
    Map(BTreeMap<String, Item>),
}

/// Why a part of a value cannot be set or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemError {
    /// The path needs a map where there is something else.
    ExpectedMap,
    /// The path needs a list where there is something else.
    ExpectedList,
    /// The index is past the end of the list.
    IndexOutOfRange,
    /// The result would be a map with the single key `secure`, which means a secret.
    SecureReserved,
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ItemError::ExpectedMap => "the path names a key, but the value there is not a map",
            ItemError::ExpectedList => "the path names an index, but the value there is not a list",
            ItemError::IndexOutOfRange => "the index is past the end of the list",
            ItemError::SecureReserved => "a map with the single key `secure` stands for a secret",
        })
    }
}

impl std::error::Error for ItemError {}

impl Item {
    /// The value of a node, at any depth of a configuration value.
    pub(crate) fn from_node(document: &Document, node: &Node) -> Item {
        match &node.kind {
            Kind::Null => Item::Null,
            Kind::Bool(value) => Item::Bool(*value),
            Kind::Number(value) => number(document, node, *value),
            Kind::String(text) => {
                let plain = text.style == outrigger_syntax::Style::Plain && document.text(node.span) == &*text.value;
                match scalar::timestamp(&text.value).filter(|_| plain) {
                    Some(printed) => Item::String(printed),
                    None => Item::String(text.value.to_string()),
                }
            }
            Kind::List(list) => {
                Item::List(list.items.iter().map(|item| Item::from_node(document, item).inside()).collect())
            }
            Kind::Object(object) => {
                if let [entry] = &*object.entries
                    && let ("secure", Some(ciphertext)) = (&*entry.key.text, entry.value.as_str())
                {
                    return Item::Secure(ciphertext.to_owned());
                }
                let entry = |entry: &outrigger_syntax::Entry| {
                    (entry.key.text.to_string(), Item::from_node(document, &entry.value).inside())
                };
                Item::Map(object.iter().map(entry).collect())
            }
        }
    }

    /// The value as a part of another: there the peer parses numbers from JSON into signed 64-bit integers or doubles.
    fn inside(self) -> Item {
        match self {
            Item::UInt(value) => Item::Float(value as f64),
            other => other,
        }
    }

    /// The value as a whole entry of the `config` block: there the peer keeps scalars as text.
    #[must_use]
    pub(crate) fn into_entry(self) -> Item {
        match self {
            Item::Null => Item::String(String::new()),
            scalar @ (Item::Bool(_) | Item::Int(_) | Item::UInt(_) | Item::Float(_)) => {
                Item::String(json::compact(&scalar))
            }
            other => other,
        }
    }

    /// Whether anything inside is secret.
    pub fn is_secret(&self) -> bool {
        match self {
            Item::Secure(_) => true,
            Item::List(items) => items.iter().any(Item::is_secret),
            Item::Map(map) => map.values().any(Item::is_secret),
            _ => false,
        }
    }

    /// The value with another in place of each secret, which `change` makes of its ciphertext.
    pub fn with_secrets<E>(&self, change: &dyn Fn(&str) -> Result<Item, E>) -> Result<Item, E> {
        Ok(match self {
            Item::Secure(ciphertext) => change(ciphertext)?,
            Item::List(items) => {
                Item::List(items.iter().map(|item| item.with_secrets(change)).collect::<Result<_, _>>()?)
            }
            Item::Map(map) => {
                let changed = map.iter().map(|(key, item)| Ok((key.clone(), item.with_secrets(change)?)));
                Item::Map(changed.collect::<Result<_, E>>()?)
            }
            other => other.clone(),
        })
    }

    /// Whether this has parts: the peer calls it an object, and its text is JSON.
    pub fn is_object(&self) -> bool {
        matches!(self, Item::Null | Item::List(_) | Item::Map(_))
    }

    /// The meaning of text inside a structured value: `true`, `false` and whole numbers get their types.
    /// Text that begins with `0` stays text, so that `0123` loses nothing.
    #[must_use]
    pub(crate) fn coerced(text: &str) -> Item {
        match text {
            "true" => return Item::Bool(true),
            "false" => return Item::Bool(false),
            _ => {}
        }
        if text.len() > 1 && text.starts_with('0') {
            return Item::String(text.to_owned());
        }
        if let Ok(value) = text.parse() {
            return Item::Int(value);
        }
        match text.parse::<u64>() {
            Ok(value) if !text.starts_with('+') => Item::UInt(value).inside(),
            _ => Item::String(text.to_owned()),
        }
    }

    /// The part at the end of the steps.
    pub fn get(&self, steps: &[Step]) -> Option<&Item> {
        let Some((step, rest)) = steps.split_first() else { return Some(self) };
        match (self, step) {
            (Item::Map(map), Step::Key(key)) => map.get(key)?.get(rest),
            (Item::List(items), Step::Index(index)) => items.get(*index)?.get(rest),
            _ => None,
        }
    }

    /// Sets the part at the end of the steps, creating missing maps and lists on the way.
    /// A scalar as the whole value (`top`) is replaced; a scalar deeper inside is an error.
    pub(crate) fn set(&mut self, steps: &[Step], new: Item, top: bool) -> Result<(), ItemError> {
        let Some((step, rest)) = steps.split_first() else {
            *self = new;
            return Ok(());
        };
        match self {
            Item::List(_) | Item::Map(_) => {}
            Item::Null => *self = container(step)?,
            _ if top => *self = container(step)?,
            _ => {
                return Err(match step {
                    Step::Key(_) => ItemError::ExpectedMap,
                    Step::Index(_) => ItemError::ExpectedList,
                });
            }
        }
        match (self, step) {
            (Item::List(items), Step::Index(index)) => {
                if *index == items.len() {
                    items.push(Item::Null);
                }
                items.get_mut(*index).ok_or(ItemError::IndexOutOfRange)?.set(rest, new, false)
            }
            (Item::Map(map), Step::Key(key)) => {
                if rest.is_empty() && map.is_empty() && key == "secure" && matches!(new, Item::String(_)) {
                    return Err(ItemError::SecureReserved);
                }
                map.entry(key.clone()).or_insert(Item::Null).set(rest, new, false)
            }
            (Item::List(_), Step::Key(_)) => Err(ItemError::ExpectedMap),
            _ => Err(ItemError::ExpectedList),
        }
    }

    /// Removes the part at the end of the steps; a missing part is no error.
    pub(crate) fn remove(&mut self, steps: &[Step]) -> Result<(), ItemError> {
        let Some((step, rest)) = steps.split_first() else { return Ok(()) };
        match (self, step) {
            (Item::List(items), Step::Index(index)) if *index < items.len() => {
                if rest.is_empty() {
                    items.remove(*index);
                    return Ok(());
                }
                items.get_mut(*index).map_or(Ok(()), |item| item.remove(rest))
            }
            (Item::Map(map), Step::Key(key)) => {
                if !rest.is_empty() {
                    return map.get_mut(key).map_or(Ok(()), |item| item.remove(rest));
                }
                let leaves_secure = map.len() == 2
                    && map.contains_key(key)
                    && key != "secure"
                    && matches!(map.get("secure"), Some(Item::String(_)));
                if leaves_secure {
                    return Err(ItemError::SecureReserved);
                }
                map.remove(key);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn container(step: &Step) -> Result<Item, ItemError> {
    match step {
        Step::Key(_) => Ok(Item::Map(BTreeMap::new())),
        // The peer fills the elements before the index with nulls.
        Step::Index(index) if *index <= MAX_NEW_INDEX => Ok(Item::List(vec![Item::Null; index + 1])),
        Step::Index(_) => Err(ItemError::IndexOutOfRange),
    }
}

/// A number with all its digits. One without a fraction is whole, because the peer keeps the value as JSON text.
fn number(document: &Document, node: &Node, value: f64) -> Item {
    let text = document.text(node.span);
    // A tag precedes the number, and quotes surround it, only if someone wrote `!!int "5"`.
    let bare = text.rsplit(char::is_whitespace).next().unwrap_or(text).trim_matches(['"', '\'']);
    match scalar::resolve(bare) {
        Scalar::Int(value) => Item::Int(value),
        Scalar::UInt(value) => Item::UInt(value),
        _ => format!("{value}").parse().map_or(Item::Float(value), Item::Int),
    }
}

#[cfg(test)]
mod tests {
    use outrigger_syntax::Keys;

    use super::*;
    use crate::config::ConfigPath;

    fn item(yaml: &str) -> Item {
        let document = Document::parse_with("t.yaml", yaml, Keys::Scalar).unwrap();
        Item::from_node(&document, &document.root)
    }

    fn steps(path: &str) -> Vec<Step> {
        ConfigPath::parse(&format!("x{path}"), "p", true).unwrap().steps
    }

    #[test]
    fn from_yaml() {
        assert_eq!(
            json::compact(&item(
                "{a: 1, b: 1.0, c: 1.5, d: 0x10, 8080: w, e: 2024-01-02, f: '2024-01-02', g: !!int \"7\"}"
            )),
            r#"{"8080":"w","a":1,"b":1,"c":1.5,"d":16,"e":"2024-01-02 00:00:00 +0000 UTC","f":"2024-01-02","g":7}"#
        );
        assert_eq!(item("{secure: abc}"), Item::Secure("abc".into()));
        assert!(matches!(item("{secure: 5}"), Item::Map(_)));
        assert!(item("[1, {x: {secure: a}}]").is_secret());
        assert_eq!(item("1.50").into_entry(), Item::String("1.5".into()));
        assert_eq!(item("~").into_entry(), Item::String(String::new()));
    }

    #[test]
    fn setting_and_removing() {
        let mut value = Item::String("x".into());
        value.set(&steps(".a[2].b"), Item::Int(1), true).unwrap();
        assert_eq!(json::compact(&value), r#"{"a":[null,null,{"b":1}]}"#);
        value.set(&steps(".a[3]"), Item::Bool(true), true).unwrap();
        assert_eq!(value.set(&steps(".a[9]"), Item::Null, true), Err(ItemError::IndexOutOfRange));
        assert_eq!(value.set(&steps(".a.x"), Item::Null, true), Err(ItemError::ExpectedMap));
        assert_eq!(value.set(&steps(".a[3].x"), Item::Null, true), Err(ItemError::ExpectedMap));
        assert_eq!(value.set(&steps(".n.secure"), Item::String("s".into()), true), Err(ItemError::SecureReserved));
        value.remove(&steps(".a[0]")).unwrap();
        value.remove(&steps(".a[1].b")).unwrap();
        value.remove(&steps(".no.such")).unwrap();
        assert_eq!(value.get(&steps(".a[1]")), Some(&Item::Map(BTreeMap::new())));
        let mut two = item("{secure: a, other: b}");
        assert_eq!(two.remove(&steps(".other")), Err(ItemError::SecureReserved));
        let mut list = Item::Null;
        assert_eq!(list.set(&steps("[99999999999]"), Item::Null, true), Err(ItemError::IndexOutOfRange));
    }

    #[test]
    fn coercion() {
        assert_eq!(Item::coerced("true"), Item::Bool(true));
        assert_eq!(Item::coerced("0"), Item::Int(0));
        assert_eq!(Item::coerced("-5"), Item::Int(-5));
        assert_eq!(Item::coerced("18446744073709551615"), Item::Float(18_446_744_073_709_551_615.0));
        for text in ["007", "1.5", "True", "", "1e3"] {
            assert_eq!(Item::coerced(text), Item::String(text.into()));
        }
    }
}
