//! Types of values, and the JSON that names them in schemas and dynamic values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

/// How deeply types and their values may be nested: deeper ones would overflow the stack of a thread.
pub const DEPTH_LIMIT: usize = 128;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A string.
    String,
    /// A number of any size.
    Number,
    /// True or false.
    Bool,
    /// Any type: the value names its own.
    Dynamic,
    /// Elements of one type, in order.
    List(Arc<Type>),
    /// Distinct elements of one type, in no order.
    Set(Arc<Type>),
    /// Elements of one type by name.
    Map(Arc<Type>),
    /// A fixed number of elements, each with its own type.
    Tuple(Arc<[Type]>),
    /// Named attributes, each with its own type.
    Object(Arc<ObjectType>),
}

/// The attributes of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectType {
    /// Every attribute: a value has them all.
    pub attributes: BTreeMap<Arc<str>, Type>,
    /// The attributes that an author may leave out. Values have them anyway.
    pub optional: BTreeSet<Arc<str>>,
}

/// JSON that is not a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type")]
pub struct NotAType(pub String);

impl Type {
    /// An object of these attributes.
    pub fn object(attributes: impl IntoIterator<Item = (Arc<str>, Type)>) -> Self {
        let attributes = attributes.into_iter().collect();
        Self::Object(Arc::new(ObjectType { attributes, optional: BTreeSet::new() }))
    }

    /// A list of elements of a type.
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    /// A set of elements of a type.
    pub fn set(element: Type) -> Self {
        Self::Set(Arc::new(element))
    }

    /// A map of elements of a type.
    pub fn map(element: Type) -> Self {
        Self::Map(Arc::new(element))
    }

    /// Reads the JSON of a type.
    pub fn from_json(json: &[u8]) -> Result<Self, NotAType> {
        // Nearly every attribute is one of these.
        match json {
            br#""string""# => return Ok(Self::String),
            br#""number""# => return Ok(Self::Number),
            br#""bool""# => return Ok(Self::Bool),
            _ => {}
        }
        let parsed: Json = serde_json::from_slice(json).map_err(|_| not_a_type(&String::from_utf8_lossy(json)))?;
        read(&parsed).ok_or_else(|| not_a_type(&String::from_utf8_lossy(json)))
    }

    /// The JSON of this type, with attributes in order, as every other implementation writes it.
    pub fn to_json(&self) -> String {
        write(self).to_string()
    }

    /// Whether a value of this type may contain a value of any type.
    pub fn holds_dynamic(&self) -> bool {
        match self {
            Self::Dynamic => true,
            Self::String | Self::Number | Self::Bool => false,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.holds_dynamic(),
            Self::Tuple(elements) => elements.iter().any(Self::holds_dynamic),
            Self::Object(object) => object.attributes.values().any(Self::holds_dynamic),
        }
    }

    /// Its name for people.
    pub fn friendly(&self) -> String {
        match self {
            Self::String => "string".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Dynamic => "any type".to_owned(),
            Self::List(element) => format!("list of {}", element.friendly()),
            Self::Set(element) => format!("set of {}", element.friendly()),
            Self::Map(element) => format!("map of {}", element.friendly()),
            Self::Tuple(_) => "tuple".to_owned(),
            Self::Object(_) => "object".to_owned(),
        }
    }
}

fn not_a_type(text: &str) -> NotAType {
    NotAType(text.chars().take(200).collect())
}

/// `serde_json` itself stops at 128 levels, so this cannot recurse too deeply.
fn read(json: &Json) -> Option<Type> {
    match json {
        Json::String(name) => match name.as_str() {
            "string" => Some(Type::String),
            "number" => Some(Type::Number),
            "bool" => Some(Type::Bool),
            "dynamic" => Some(Type::Dynamic),
            _ => None,
        },
        Json::Array(parts) => match (parts.first()?.as_str()?, parts.get(1)?, parts.get(2)) {
            ("list", element, None) => Some(Type::list(read(element)?)),
            ("set", element, None) => Some(Type::set(read(element)?)),
            ("map", element, None) => Some(Type::map(read(element)?)),
            ("tuple", Json::Array(elements), None) => {
                Some(Type::Tuple(elements.iter().map(read).collect::<Option<Vec<_>>>()?.into()))
            }
            ("object", Json::Object(attributes), optional) => {
                let optional = match optional {
                    Some(names) => {
                        names.as_array()?.iter().map(|name| name.as_str().map(Arc::from)).collect::<Option<_>>()?
                    }
                    None => BTreeSet::new(),
                };
                let attributes = attributes
                    .iter()
                    .map(|(name, ty)| Some((Arc::from(name.as_str()), read(ty)?)))
                    .collect::<Option<_>>()?;
                Some(Type::Object(Arc::new(ObjectType { attributes, optional })))
            }
            _ => None,
        },
        _ => None,
    }
}

fn write(ty: &Type) -> Json {
    match ty {
        Type::String => Json::from("string"),
        Type::Number => Json::from("number"),
        Type::Bool => Json::from("bool"),
        Type::Dynamic => Json::from("dynamic"),
        Type::List(element) => Json::from(vec![Json::from("list"), write(element)]),
        Type::Set(element) => Json::from(vec![Json::from("set"), write(element)]),
        Type::Map(element) => Json::from(vec![Json::from("map"), write(element)]),
        Type::Tuple(elements) => {
            Json::from(vec![Json::from("tuple"), Json::Array(elements.iter().map(write).collect())])
        }
        Type::Object(object) => {
            let attributes = object.attributes.iter().map(|(name, ty)| (name.to_string(), write(ty))).collect();
            let mut parts = vec![Json::from("object"), Json::Object(attributes)];
            if !object.optional.is_empty() {
                parts.push(object.optional.iter().map(|name| Json::from(name.as_ref())).collect());
            }
            Json::Array(parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written() {
        for text in [
            r#""string""#,
            r#""dynamic""#,
            r#"["list","number"]"#,
            r#"["set",["map","bool"]]"#,
            r#"["tuple",["string",["list","dynamic"]]]"#,
            r#"["object",{"a":"string","b":["set","number"]}]"#,
            r#"["object",{"a":"string","b":"bool"},["b"]]"#,
            r#"["object",{}]"#,
        ] {
            assert_eq!(Type::from_json(text.as_bytes()).unwrap().to_json(), text);
        }
    }

    #[test]
    fn what_is_no_type_is_refused() {
        for text in
            ["", "null", r#""text""#, r#"["list"]"#, r#"["list","a","b"]"#, r#"["object",[]]"#, r#"["capsule","x"]"#]
        {
            assert!(Type::from_json(text.as_bytes()).is_err(), "{text}");
        }
        let deep = "[\"list\",".repeat(100_000);
        assert!(Type::from_json(deep.as_bytes()).is_err());
    }
}
