//! Converts Pulumi's properties to Terraform's values.

use std::fmt;
use std::sync::Arc;

use outrigger_terraform::cty::{Number, Type, Value as Cty};
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value};

use crate::naming::object_names::{Collection, Object, Shape};

/// A property that does not fit its attribute, and its path. The value itself is left out: it may be secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The path, from the outside in.
    pub path: PropertyPath,
    /// Why it does not fit.
    pub reason: String,
}

impl Misfit {
    /// A top-level property that does not fit.
    pub(crate) fn of(key: &str, reason: impl Into<String>) -> Self {
        Self { path: PropertyPath(vec![PathStep::Key(key.to_owned())]), reason: reason.into() }
    }

    fn new(reason: impl Into<String>) -> Self {
        Self { path: PropertyPath(Vec::new()), reason: reason.into() }
    }

    fn needs(what: &str, value: &Value) -> Self {
        Self::new(format!("{what} is needed, and this is {}", article(value.kind())))
    }

    fn within(mut self, step: PathStep) -> Self {
        self.path.0.insert(0, step);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.0.is_empty() { f.write_str(&self.reason) } else { write!(f, "{}: {}", self.path, self.reason) }
    }
}

/// The value of an object's properties. A property that is not given is null, and a collection limited to one object is empty.
pub(crate) fn object(object: &Object, properties: &PropertyMap) -> Result<Cty, Misfit> {
    let fields = object.fields().iter().map(|field| {
        let value = properties.get(&*field.name).unwrap_or(&Value::Null);
        let value =
            shaped(&field.shape, value).map_err(|misfit| misfit.within(PathStep::Key(field.name.to_string())))?;
        Ok((Arc::clone(&field.terraform), value))
    });
    fields.collect::<Result<_, _>>().map(Cty::Map)
}

/// A value of a shape.
pub(crate) fn shaped(shape: &Shape, value: &Value) -> Result<Cty, Misfit> {
    let value = value.bare();
    if let Shape::One { object: inner, collection } = shape {
        let items = match value {
            Value::Null => Vec::new(),
            Value::Unknown => vec![Cty::UNKNOWN],
            Value::Map(properties) => vec![object(inner, properties)?],
            other => return Err(Misfit::needs("an object", other)),
        };
        return Ok(match collection {
            Collection::List => Cty::List(items),
            Collection::Set => Cty::Set(items),
        });
    }
    match (shape, value) {
        (_, Value::Null) => Ok(Cty::Null),
        (_, Value::Unknown) => Ok(Cty::UNKNOWN),
        (Shape::Any, value) => dynamic(value),
        (Shape::String, Value::String(text)) => Ok(Cty::string(text)),
        // As in Pulumi's bridge, a program may write a number or a boolean for a string.
        (Shape::String, Value::Bool(value)) => Ok(Cty::string(value.to_string())),
        (Shape::String, Value::Number(value)) => Ok(Cty::string(value.to_string())),
        (Shape::Number, Value::Number(value)) if !value.is_nan() => Ok(Cty::Number(Number::from(*value))),
        // An empty string is null; any other string is parsed as a number.
        (Shape::Number, Value::String(text)) if text.is_empty() => Ok(Cty::Null),
        (Shape::Number, Value::String(text)) => {
            number(text).map(Cty::Number).ok_or_else(|| Misfit::needs("a number", value))
        }
        (Shape::Bool, Value::Bool(value)) => Ok(Cty::Bool(*value)),
        (Shape::List(element), Value::List(items)) => elements(element, items).map(Cty::List),
        (Shape::Set(element), Value::List(items)) => elements(element, items).map(Cty::Set),
        (Shape::Map(element), Value::Map(items)) => {
            let items = items.iter().map(|(key, item)| {
                let item = shaped(element, item).map_err(|misfit| misfit.within(PathStep::Key(key.clone())))?;
                Ok((Arc::from(key.as_str()), item))
            });
            items.collect::<Result<_, _>>().map(Cty::Map)
        }
        (Shape::Object(inner), Value::Map(properties)) => object(inner, properties),
        (Shape::Tuple(shapes), Value::Map(items)) if items.len() == shapes.len() => {
            let items = shapes.iter().enumerate().map(|(position, shape)| {
                let key = format!("t{position}");
                let item = items.get(&key).unwrap_or(&Value::Null);
                shaped(shape, item).map_err(|misfit| misfit.within(PathStep::Key(key)))
            });
            items.collect::<Result<_, _>>().map(Cty::List)
        }
        (shape, value) => Err(Misfit::needs(wanted(shape), value)),
    }
}

fn elements(element: &Shape, items: &[Value]) -> Result<Vec<Cty>, Misfit> {
    let items = items.iter().enumerate();
    items.map(|(index, item)| shaped(element, item).map_err(|misfit| misfit.within(PathStep::Index(index)))).collect()
}

/// As the original parses it: an integer of 64 bits, or the nearest double.
fn number(text: &str) -> Option<Number> {
    match text.parse::<i64>() {
        Ok(integer) => Some(Number::from(integer)),
        Err(_) => text.parse::<f64>().ok().filter(|number| !number.is_nan()).map(Number::from),
    }
}

/// A value that determines its own type.
fn dynamic(value: &Value) -> Result<Cty, Misfit> {
    let (ty, value) = typed(value)?;
    Ok(match value {
        Cty::Null | Cty::Unknown(_) => value,
        value => Cty::Dynamic(Box::new((ty, value))),
    })
}

fn typed(value: &Value) -> Result<(Type, Cty), Misfit> {
    match value.bare() {
        Value::Null => Ok((Type::Dynamic, Cty::Null)),
        Value::Unknown => Ok((Type::object([]), Cty::UNKNOWN)),
        Value::Bool(value) => Ok((Type::Bool, Cty::Bool(*value))),
        Value::Number(value) if !value.is_nan() => Ok((Type::Number, Cty::Number(Number::from(*value)))),
        Value::String(text) => Ok((Type::String, Cty::string(text))),
        Value::List(items) => {
            let items = items
                .iter()
                .enumerate()
                .map(|(index, item)| typed(item).map_err(|misfit| misfit.within(PathStep::Index(index))));
            let items: Vec<(Type, Cty)> = items.collect::<Result<_, _>>()?;
            let first = items.first().map_or(Type::Dynamic, |(ty, _)| ty.clone());
            let (types, values): (Vec<Type>, Vec<Cty>) = items.into_iter().unzip();
            // A list has elements of one type; mixed types make a tuple.
            let ty = if types.iter().all(|ty| *ty == first) { Type::list(first) } else { Type::Tuple(types.into()) };
            Ok((ty, Cty::List(values)))
        }
        Value::Map(items) => {
            let mut types = Vec::with_capacity(items.len());
            let mut values = outrigger_terraform::cty::Attributes::new();
            for (key, item) in items {
                let (ty, value) = typed(item).map_err(|misfit| misfit.within(PathStep::Key(key.clone())))?;
                let key: Arc<str> = Arc::from(key.as_str());
                types.push((Arc::clone(&key), ty));
                values.insert(key, value);
            }
            Ok((Type::object(types), Cty::Map(values)))
        }
        other => Err(Misfit::new(format!("{} cannot be used where the type is dynamic", article(other.kind())))),
    }
}

fn wanted(shape: &Shape) -> &'static str {
    match shape {
        Shape::String => "a string",
        Shape::Number => "a number",
        Shape::Bool => "a boolean",
        Shape::Any => "a value",
        Shape::Tuple(_) => "an object with one property for each place of the tuple",
        Shape::List(_) | Shape::Set(_) => "a list",
        Shape::Map(_) | Shape::Object(_) | Shape::One { .. } => "an object",
    }
}

fn article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        _ if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}
