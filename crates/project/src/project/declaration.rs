//! The `config` block of the project file.

use std::collections::BTreeMap;
use std::fmt;

use outrigger_syntax::{Node, Object, Span};

use super::reader::Reader;
use crate::config::Item;

/// One declared configuration value.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigDeclaration {
    /// The declared type; stack values of the project's own keys are checked against it.
    pub ty: Option<ConfigType>,
    /// The value if the stack has none.
    pub given: Option<Given>,
    /// Whether the stack's value must be encrypted.
    pub secret: bool,
    /// The project's description of it.
    pub description: Option<String>,
    /// The key's place.
    pub span: Span,
}

/// A value from the project file, by `default` or `value`; both work the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The value.
    pub item: Item,
    /// Its place.
    pub span: Span,
}

/// A type of configuration values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigType {
    /// Text.
    String,
    /// A whole number, or text that is one.
    Integer,
    /// True or false, or those words as text.
    Boolean,
    /// A map.
    Object,
    /// A list with elements of this type.
    Array(Box<ConfigType>),
}

const TYPES: [&str; 5] = ["string", "integer", "boolean", "array", "object"];

impl fmt::Display for ConfigType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigType::String => f.write_str("string"),
            ConfigType::Integer => f.write_str("integer"),
            ConfigType::Boolean => f.write_str("boolean"),
            ConfigType::Object => f.write_str("object"),
            ConfigType::Array(items) => write!(f, "array<{items}>"),
        }
    }
}

impl ConfigType {
    /// Whether a decrypted value has this type.
    pub(crate) fn accepts(&self, item: &Item) -> bool {
        match (self, item) {
            (ConfigType::String, Item::String(_)) => true,
            (ConfigType::Integer, Item::Int(_) | Item::UInt(_)) => true,
            (ConfigType::Integer, Item::Float(value)) => value.fract() == 0.0,
            (ConfigType::Integer, Item::String(text)) => text.parse::<i64>().is_ok(),
            (ConfigType::Boolean, Item::Bool(_)) => true,
            (ConfigType::Boolean, Item::String(text)) => text == "true" || text == "false",
            (ConfigType::Object, Item::Map(_)) => true,
            (ConfigType::Array(ty), Item::List(items)) => items.iter().all(|item| ty.accepts(item)),
            _ => false,
        }
    }
}

impl ConfigDeclaration {
    pub(super) fn read_all<'a>(
        reader: &mut Reader<'a>,
        root: &'a Object,
        project: &str,
    ) -> BTreeMap<String, ConfigDeclaration> {
        let Some(node) = root.get("config") else { return BTreeMap::new() };
        // Text is the old form of `stackConfigDir`.
        if node.is_null() || node.as_str().is_some() {
            return BTreeMap::new();
        }
        let Some(object) = node.as_object() else {
            reader.wrong_kind("config", node, "an object");
            return BTreeMap::new();
        };
        let mut declarations = BTreeMap::new();
        for entry in object {
            let key = &*entry.key.text;
            let own = !key.contains(':') || key.strip_prefix(project).is_some_and(|rest| rest.starts_with(':'));
            if let Some(declaration) = read(reader, key, own, entry.key.span, &entry.value) {
                declarations.insert(key.to_owned(), declaration);
            }
        }
        declarations
    }
}

fn read<'a>(reader: &mut Reader<'a>, key: &str, own: bool, span: Span, node: &'a Node) -> Option<ConfigDeclaration> {
    let Some(object) = node.as_object() else { return shorthand(reader, key, span, node) };
    reader.only_keys(object, key, &["type", "items", "description", "default", "value", "secret"]);
    let description = reader.string(object, "description").map(|(text, _)| text);
    let secret = match object.get("secret") {
        None => false,
        Some(node) => node.as_bool().unwrap_or_else(|| {
            reader.wrong_kind("secret", node, "true or false");
            false
        }),
    };
    let ty = ty(reader, key, object);
    let document = reader.document();
    let given = |name: &str| {
        let node = object.get(name).filter(|node| !node.is_null())?;
        Some(Given { item: Item::from_node(document, node), span: node.span })
    };
    let (default, value) = (given("default"), given("value"));
    if default.is_some() && value.is_some() {
        let summary = format!("`{key}` has both `default` and `value`");
        reader.fail("project-config-default-and-value", &summary, span, "Keep one of the two.");
    }
    if own {
        check_default(reader, key, ty.as_ref(), default.as_ref());
    } else {
        check_foreign(reader, key, object, span, default.as_ref(), value.as_ref());
    }
    Some(ConfigDeclaration { ty, given: default.or(value), secret, description, span })
}

/// `key: value`: a default for the project's own key, a value for another's. Both work the same.
fn shorthand(reader: &mut Reader<'_>, key: &str, span: Span, node: &Node) -> Option<ConfigDeclaration> {
    let item = Item::from_node(reader.document(), node);
    let fits = match &item {
        Item::String(_) | Item::Bool(_) | Item::List(_) => true,
        // The peer's schema requires a whole number, and `1.0` is one.
        Item::Int(_) | Item::UInt(_) => true,
        Item::Null | Item::Float(_) | Item::Secure(_) | Item::Map(_) => false,
    };
    if !fits {
        reader.wrong_kind(
            key,
            node,
            "a string, a whole number, a boolean, a list or an object with `type` or `default`",
        );
        return None;
    }
    let given = Some(Given { item, span: node.span });
    Some(ConfigDeclaration { ty: None, given, secret: false, description: None, span })
}

fn check_default(reader: &mut Reader<'_>, key: &str, ty: Option<&ConfigType>, default: Option<&Given>) {
    if let (Some(ty), Some(default)) = (ty, default)
        && !ty.accepts(&default.item)
    {
        let summary = format!("the default of `{key}` is not of the type `{ty}`");
        reader.fail("project-config-default", &summary, default.span, "Change the default or the type.");
    }
}

fn check_foreign(
    reader: &mut Reader<'_>,
    key: &str,
    object: &Object,
    span: Span,
    default: Option<&Given>,
    value: Option<&Given>,
) {
    if let Some(entry) = object.entry("type") {
        let summary = format!("`{key}` is not one of the project's keys and cannot have a type");
        reader.fail("project-config-foreign", &summary, entry.key.span, "Remove `type`.");
    }
    if let Some(default) = default {
        let summary = format!("`{key}` is not one of the project's keys and cannot have a default");
        reader.fail("project-config-foreign", &summary, default.span, "Write `value` instead of `default`.");
    } else if value.is_none() {
        let summary = format!("`{key}` is not one of the project's keys and must have a value");
        reader.fail("project-config-foreign", &summary, span, "Add `value:`.");
    }
}

fn ty<'a>(reader: &mut Reader<'a>, key: &str, object: &'a Object) -> Option<ConfigType> {
    let Some(node) = object.get("type") else {
        // `items` alone means nothing, but must be valid.
        if let Some(items) = object.get("items") {
            item_type(reader, key, items);
        }
        return None;
    };
    let items = object.get("items").and_then(|items| item_type(reader, key, items));
    match node.as_str() {
        Some("string") => Some(ConfigType::String),
        Some("integer") => Some(ConfigType::Integer),
        Some("boolean") => Some(ConfigType::Boolean),
        Some("object") => Some(ConfigType::Object),
        Some("array") if object.get("items").is_none() => {
            let summary = format!("`{key}` is an array, but its element type is missing");
            reader.fail("project-config-items", &summary, node.span, "Add `items: {type: string}`.");
            None
        }
        Some("array") => items.map(|items| ConfigType::Array(Box::new(items))),
        Some(other) => {
            unknown_type(reader, other, node.span);
            None
        }
        None => {
            reader.wrong_kind("type", node, "a string");
            None
        }
    }
}

fn item_type<'a>(reader: &mut Reader<'a>, key: &str, node: &'a Node) -> Option<ConfigType> {
    let Some(object) = node.as_object() else {
        reader.wrong_kind("items", node, "an object with `type`");
        return None;
    };
    if object.get("type").is_none() {
        reader.fail("project-config-items", "`items` has no `type`", node.span, "Add `type: string`.");
        return None;
    }
    ty(reader, key, object)
}

fn unknown_type(reader: &mut Reader<'_>, name: &str, span: Span) {
    let hint = match outrigger_value::nearest::closest(name, TYPES) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => format!("It can be {}.", TYPES.join(", ")),
    };
    reader.fail("project-config-type", &format!("`{name}` is not a type of configuration values"), span, &hint);
}
