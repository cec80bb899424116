//! Values.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{Number, Type, same_set};

/// The attributes of an object, or the elements of a map.
pub type Attributes = BTreeMap<Arc<str>, Value>;

/// A value; its type is known from elsewhere.
#[derive(Clone)]
pub enum Value {
    /// Null, of any type.
    Null,
    /// Not known yet, perhaps with some facts that are.
    Unknown(Option<Box<Refinement>>),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, in Unicode's composed form.
    String(Arc<str>),
    /// A list or a tuple.
    List(Vec<Value>),
    /// A set, in the order in which it came.
    Set(Vec<Value>),
    /// A map or an object.
    Map(Attributes),
    /// A value where the type is `dynamic`, with its own type.
    Dynamic(Box<(Type, Value)>),
}

/// The known facts about an unknown value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refinement {
    /// Whether it can be null: `Some(false)` means that it is not.
    pub null: Option<bool>,
    /// The start of the string.
    pub prefix: Option<String>,
    /// The smallest number, and whether it is included.
    pub lower: Option<Bound>,
    /// The largest number, and whether it is included.
    pub upper: Option<Bound>,
    /// The smallest number of elements.
    pub min_length: Option<i64>,
    /// The largest number of elements.
    pub max_length: Option<i64>,
}

/// A bound of a number, and whether the number may be equal to it.
pub type Bound = (Number, bool);

impl Refinement {
    /// Whether a value that has become known matches what was known about it. Anything matches a value that is still unknown.
    pub fn admits(&self, value: &Value) -> bool {
        let beyond = |bound: &Option<Bound>, number: &Number, side: Ordering| {
            bound.as_ref().is_some_and(|(bound, included)| match number.to_f64().total_cmp(&bound.to_f64()) {
                Ordering::Equal => !included && number == bound,
                other => other == side,
            })
        };
        let counted = |length: usize| {
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            self.min_length.is_none_or(|least| length >= least) && self.max_length.is_none_or(|most| length <= most)
        };
        match value {
            Value::Null => self.null != Some(false),
            _ if self.null == Some(true) => value.is_unknown(),
            Value::String(text) => self.prefix.as_deref().is_none_or(|prefix| text.starts_with(prefix)),
            Value::Number(number) => {
                !beyond(&self.lower, number, Ordering::Less) && !beyond(&self.upper, number, Ordering::Greater)
            }
            Value::List(items) | Value::Set(items) => counted(items.len()),
            Value::Map(items) => counted(items.len()),
            Value::Dynamic(inner) => self.admits(&inner.1),
            Value::Unknown(_) | Value::Bool(_) => true,
        }
    }
}

impl Value {
    /// A value about which nothing is known.
    pub const UNKNOWN: Value = Value::Unknown(None);

    /// A string; Terraform compares strings in their composed form.
    pub fn string(text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        if text.is_ascii() || is_nfc(text) {
            Self::String(Arc::from(text))
        } else {
            Self::String(text.nfc().collect::<String>().into())
        }
    }

    /// A value where the type is `dynamic`. One whose own type is `dynamic` is returned as it is.
    pub fn dynamic(ty: Type, value: Value) -> Self {
        if ty == Type::Dynamic { value } else { Self::Dynamic(Box::new((ty, value))) }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Dynamic(inner) => inner.1.is_null(),
            _ => false,
        }
    }

    /// Whether the whole value is unknown.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown(_) => true,
            Self::Dynamic(inner) => inner.1.is_unknown(),
            _ => false,
        }
    }

    /// Whether nothing inside is unknown.
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Self::Unknown(_) => false,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => true,
            Self::List(items) | Self::Set(items) => items.iter().all(Self::is_wholly_known),
            Self::Map(items) => items.values().all(Self::is_wholly_known),
            Self::Dynamic(inner) => inner.1.is_wholly_known(),
        }
    }

    /// An attribute of an object or element of a map.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Map(items) => items.get(name),
            Self::Dynamic(inner) => inner.1.get(name),
            _ => None,
        }
    }

    /// The elements of a list, tuple or set; none for anything else.
    pub fn elements(&self) -> &[Value] {
        match self {
            Self::List(items) | Self::Set(items) => items,
            Self::Dynamic(inner) => inner.1.elements(),
            _ => &[],
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Dynamic(inner) => inner.1.as_str(),
            _ => None,
        }
    }

    /// The same value with everything unknown replaced by null.
    #[must_use]
    pub fn unknown_as_null(self) -> Self {
        match self {
            Self::Unknown(_) => Self::Null,
            Self::List(items) => Self::List(items.into_iter().map(Self::unknown_as_null).collect()),
            Self::Set(items) => Self::Set(items.into_iter().map(Self::unknown_as_null).collect()),
            Self::Map(items) => Self::Map(items.into_iter().map(|(k, v)| (k, v.unknown_as_null())).collect()),
            Self::Dynamic(inner) => Self::Dynamic(Box::new((inner.0, inner.1.unknown_as_null()))),
            known => known,
        }
    }

    /// The kind of the value, for messages. Never its content: that may be secret.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Unknown(_) => "an unknown value",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map or object",
            Self::Dynamic(inner) => inner.1.kind(),
        }
    }
}

/// Equal values; sets in any order. Two unknown values are equal here, regardless of known facts: this compares what was written, not what it
/// will become.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Unknown(_), Self::Unknown(_)) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Set(a), Self::Set(b)) => same_set(a, b),
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Dynamic(a), Self::Dynamic(b)) => a == b,
            _ => false,
        }
    }
}

/// Shows only the shape: a provider's values are often secret, and only the schema shows which.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(items) | Self::Set(items) => f.debug_list().entries(items).finish(),
            Self::Map(items) => f.debug_map().entries(items).finish(),
            other => f.write_str(other.kind()),
        }
    }
}
