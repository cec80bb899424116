//! Inputs for a resource that is known only by its schema: plausible values for its required properties.

use std::cell::Cell;

use outrigger_schema::{Definition, Package, Property, Resource, Type};
use outrigger_value::{Asset, AssetSource, PropertyMap, Value};

/// Nesting of required objects beyond which nothing is invented.
const DEEPEST: usize = 8;

/// A number that most limits allow.
const NUMBER: f64 = 8.0;

/// Strings for properties with such a name.
const TEXTS: [(&str, &str); 7] = [
    ("url", "http://127.0.0.1:9/"),
    ("uri", "http://127.0.0.1:9/"),
    ("email", "test@example.com"),
    ("cidr", "10.0.0.0/16"),
    ("json", "{}"),
    ("algorithm", "RSA"),
    ("pem", ""),
];

/// Invents inputs.
pub(super) struct Inventor<'a> {
    pub(super) package: &'a Package,
    /// A part of every string.
    pub(super) suffix: &'a str,
    /// How many strings there are.
    pub(super) texts: Cell<usize>,
}

impl Inventor<'_> {
    /// The required inputs of a resource. An error names one that cannot be invented.
    pub(super) fn inputs(&self, resource: &Resource) -> Result<PropertyMap, String> {
        self.required(resource.inputs.iter(), 0)
    }

    /// Another value of the same kind, to change one input.
    pub(super) fn another(&self, name: &str, property: &Property, value: Option<&Value>) -> Option<Value> {
        match (value.map(Value::bare), &property.ty) {
            (Some(Value::Bool(value)), _) => Some(Value::Bool(!value)),
            (Some(Value::Number(value)), _) => Some(Value::Number(value + 1.0)),
            (Some(Value::String(text)), Type::String) => Some(Value::String(format!("{text}-changed"))),
            (value, Type::Named(reference)) if reference.external.is_none() => {
                let Ok(Some(definition)) = self.package.ty(&reference.token) else { return None };
                let Definition::Enum(choices) = &*definition else { return None };
                choices.values.iter().map(|choice| &choice.value).find(|choice| Some(*choice) != value).cloned()
            }
            (None, Type::Boolean) => Some(Value::Bool(true)),
            (None, Type::String | Type::Number | Type::Integer | Type::Map(_)) => self.value(name, &property.ty, 0),
            _ => None,
        }
    }

    fn required<'p>(
        &self,
        properties: impl Iterator<Item = (&'p String, &'p Property)>,
        depth: usize,
    ) -> Result<PropertyMap, String> {
        let required = properties.filter(|(_, property)| property.required);
        required
            .map(|(name, property)| {
                let fixed = property.constant.clone().or_else(|| property.default.clone());
                let value = fixed.or_else(|| self.value(name, &property.ty, depth)).ok_or_else(|| name.clone())?;
                Ok((name.clone(), if property.secret { Value::secret(value) } else { value }))
            })
            .collect()
    }

    fn value(&self, name: &str, ty: &Type, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        Some(match ty {
            Type::String | Type::Any => self.text(name).into(),
            Type::Number | Type::Integer => Value::Number(NUMBER),
            // A resource with such a switch on may not be deletable: `protected`, `deletionProtection`.
            Type::Boolean => Value::Bool(false),
            Type::Json => "{}".into(),
            Type::Asset => {
                let source = AssetSource::Text(self.text(name));
                Value::Asset(Box::new(Asset { hash: String::new(), source }))
            }
            Type::List(element) => Value::List(vec![self.value(name, element, depth + 1)?]),
            Type::Map(element) => {
                Value::Map(PropertyMap::from([("key".to_owned(), self.value(name, element, depth + 1)?)]))
            }
            Type::Union(branches) => branches.iter().find_map(|branch| self.value(name, branch, depth + 1))?,
            Type::Named(reference) => match (self.package.ty(&reference.token), &reference.external) {
                (Ok(Some(definition)), None) => match &*definition {
                    Definition::Enum(choices) => choices.values.first()?.value.clone(),
                    Definition::Object(object) => Value::Map(self.required(object.properties.iter(), depth + 1).ok()?),
                },
                _ => self.value(name, reference.underlying.as_deref()?, depth + 1)?,
            },
            Type::Archive | Type::Resource(_) => return None,
        })
    }

    /// A different text for each property, so that a secret one can be searched for.
    fn text(&self, name: &str) -> String {
        let lower = name.to_lowercase();
        match TEXTS.iter().find(|(part, _)| lower.ends_with(part)) {
            Some((_, text)) => (*text).to_owned(),
            None => {
                let count = self.texts.replace(self.texts.get() + 1);
                format!("{lower}-{}-{count}", self.suffix)
            }
        }
    }
}
