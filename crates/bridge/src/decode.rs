//! Terraform's values become Pulumi's properties.

use outrigger_terraform::cty::Value as Cty;
use outrigger_value::{PropertyMap, Value};

use crate::names::{Object, Shape};

/// A value that is not of its shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{at}` holds {found}, which does not fit its schema")]
pub(crate) struct Unfit {
    /// Where, in Terraform's words.
    pub at: String,
    /// What is there.
    pub found: String,
}

/// An object's properties. What is null is left out; what is sensitive is secret.
pub(crate) fn object(object: &Object, value: &Cty) -> Result<PropertyMap, Unfit> {
    let Cty::Map(items) = value else { return Err(unfit(value)) };
    let mut properties = PropertyMap::new();
    for field in object.fields() {
        let Some(item) = items.get(&field.terraform) else { continue };
        let property = shaped(&field.shape, item).map_err(|unfit| within(unfit, &field.terraform))?;
        match property {
            Value::Null => {}
            Value::Unknown => drop(properties.insert(field.name.to_string(), Value::Unknown)),
            property if field.is_secret() => drop(properties.insert(field.name.to_string(), Value::secret(property))),
            property => drop(properties.insert(field.name.to_string(), property)),
        }
    }
    Ok(properties)
}

/// A value of a shape.
pub(crate) fn shaped(shape: &Shape, value: &Cty) -> Result<Value, Unfit> {
    match (shape, value) {
        (_, Cty::Null) => Ok(Value::Null),
        (_, Cty::Unknown(_)) => Ok(Value::Unknown),
        (Shape::One { object: inner, .. }, Cty::List(items) | Cty::Set(items)) => match items.as_slice() {
            [] => Ok(Value::Null),
            [Cty::Null] => Ok(Value::Null),
            [Cty::Unknown(_)] => Ok(Value::Unknown),
            [item] => object(inner, item).map(Value::Map),
            more => Err(Unfit { at: String::new(), found: format!("{} objects where one is allowed", more.len()) }),
        },
        (Shape::String, Cty::String(text)) => Ok(Value::String(text.to_string())),
        (Shape::Number, Cty::Number(number)) => Ok(Value::Number(number.to_f64())),
        (Shape::Bool, Cty::Bool(value)) => Ok(Value::Bool(*value)),
        (Shape::List(element), Cty::List(items)) | (Shape::Set(element), Cty::Set(items)) => {
            items.iter().map(|item| shaped(element, item)).collect::<Result<_, _>>().map(Value::List)
        }
        (Shape::Map(element), Cty::Map(items)) => {
            let items = items.iter().map(|(key, item)| {
                let item = shaped(element, item).map_err(|unfit| within(unfit, key))?;
                Ok((key.to_string(), item))
            });
            items.collect::<Result<_, _>>().map(Value::Map)
        }
        (Shape::Object(inner), value @ Cty::Map(_)) => object(inner, value).map(Value::Map),
        (Shape::Tuple(shapes), Cty::List(items)) if shapes.len() == items.len() => {
            let items = shapes.iter().zip(items).enumerate();
            let items = items.map(|(place, (shape, item))| Ok((format!("t{place}"), shaped(shape, item)?)));
            items.collect::<Result<_, _>>().map(Value::Map)
        }
        (Shape::Any, value) => Ok(natural(value)),
        (_, value) => Err(unfit(value)),
    }
}

/// A value that says itself what it is. Names of attributes are left as they are.
pub(crate) fn natural(value: &Cty) -> Value {
    match value {
        Cty::Null => Value::Null,
        Cty::Unknown(_) => Value::Unknown,
        Cty::Bool(value) => Value::Bool(*value),
        Cty::Number(number) => Value::Number(number.to_f64()),
        Cty::String(text) => Value::String(text.to_string()),
        Cty::List(items) | Cty::Set(items) => Value::List(items.iter().map(natural).collect()),
        Cty::Map(items) => Value::Map(items.iter().map(|(key, item)| (key.to_string(), natural(item))).collect()),
        Cty::Dynamic(inner) => natural(&inner.1),
    }
}

fn unfit(value: &Cty) -> Unfit {
    Unfit { at: String::new(), found: value.kind().to_owned() }
}

fn within(mut unfit: Unfit, name: &str) -> Unfit {
    unfit.at = if unfit.at.is_empty() { name.to_owned() } else { format!("{name}.{}", unfit.at) };
    unfit
}
