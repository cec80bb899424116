//! Converts Terraform's values to Pulumi's properties.

use outrigger_terraform::cty::{Number, Value as Cty};
use outrigger_value::{PropertyMap, Value};

use crate::naming::object_names::{Object, Shape};

/// A value that does not fit its shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{at}` holds {found}, which does not fit its schema")]
pub struct Unfit {
    /// Its path, in Terraform's names.
    pub at: String,
    /// A description of the value.
    pub found: String,
}

/// An object's properties. Nulls are left out; sensitive values are secret.
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
        (Shape::Number, Cty::Number(number)) => double(number),
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
        (Shape::Any, value) => natural(value),
        (_, value) => Err(unfit(value)),
    }
}

/// A value that brings its own type. Names of attributes are left as they are.
pub(crate) fn natural(value: &Cty) -> Result<Value, Unfit> {
    Ok(match value {
        Cty::Null => Value::Null,
        Cty::Unknown(_) => Value::Unknown,
        Cty::Bool(value) => Value::Bool(*value),
        Cty::Number(number) => double(number)?,
        Cty::String(text) => Value::String(text.to_string()),
        Cty::List(items) | Cty::Set(items) => Value::List(items.iter().map(natural).collect::<Result<_, _>>()?),
        Cty::Map(items) => {
            let items = items.iter().map(|(key, item)| Ok((key.to_string(), natural(item)?)));
            Value::Map(items.collect::<Result<_, _>>()?)
        }
        Cty::Dynamic(inner) => natural(&inner.1)?,
    })
}

/// A number as Pulumi has it. One beyond the range of doubles could not be stored, so it is an error.
fn double(number: &Number) -> Result<Value, Unfit> {
    let double = number.to_f64();
    let too_large = || Unfit { at: String::new(), found: "a number that is too large".to_owned() };
    double.is_finite().then_some(Value::Number(double)).ok_or_else(too_large)
}

fn unfit(value: &Cty) -> Unfit {
    Unfit { at: String::new(), found: value.kind().to_owned() }
}

fn within(mut unfit: Unfit, name: &str) -> Unfit {
    unfit.at = if unfit.at.is_empty() { name.to_owned() } else { format!("{name}.{}", unfit.at) };
    unfit
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};
    use proptest::prelude::*;

    use super::*;
    use crate::test_support::{any_block, any_state, attribute, map, nested};
    use crate::values::encode;

    /// The value without distinctions that outputs do not have: a collection of one that is null, or whose only element is null, is empty.
    fn plain(object: &Object, value: &Cty) -> Cty {
        let Cty::Map(items) = value else { return value.clone() };
        let items = items.iter().map(|(name, item)| {
            let shape = object.of_terraform(name).map(|field| &field.shape);
            (name.clone(), shape.map_or_else(|| item.clone(), |shape| plain_value(shape, item)))
        });
        Cty::Map(items.collect())
    }

    fn plain_value(shape: &Shape, value: &Cty) -> Cty {
        match (shape, value) {
            (Shape::One { collection, .. }, Cty::Null) => match collection {
                crate::naming::object_names::Collection::List => Cty::List(Vec::new()),
                crate::naming::object_names::Collection::Set => Cty::Set(Vec::new()),
            },
            (Shape::One { object, .. }, Cty::List(items)) => {
                Cty::List(items.iter().filter(|item| !item.is_null()).map(|item| plain(object, item)).collect())
            }
            (Shape::One { object, .. }, Cty::Set(items)) => {
                Cty::Set(items.iter().filter(|item| !item.is_null()).map(|item| plain(object, item)).collect())
            }
            (Shape::Object(object), value) => plain(object, value),
            (Shape::List(element), Cty::List(items)) => {
                Cty::List(items.iter().map(|item| plain_value(element, item)).collect())
            }
            (Shape::Set(element), Cty::Set(items)) => {
                Cty::Set(items.iter().map(|item| plain_value(element, item)).collect())
            }
            (Shape::Map(element), Cty::Map(items)) => {
                Cty::Map(items.iter().map(|(key, item)| (key.clone(), plain_value(element, item))).collect())
            }
            (_, value) => value.clone(),
        }
    }

    proptest! {
        #[test]
        fn there_and_back((block, state) in any_block().prop_flat_map(|block| {
            let state = any_state(&block);
            (Just(block), state)
        })) {
            let object = Object::of_block(&block);
            let properties = super::object(&object, &state).unwrap();
            let back = encode::object(&object, &properties).unwrap();
            prop_assert_eq!(&back, &plain(&object, &state));
            prop_assert_eq!(super::object(&object, &back).unwrap(), properties);
        }
    }

    #[test]
    fn what_is_unknown_or_secret_stays_so() {
        let attributes = vec![attribute("key", Type::String, "os"), attribute("zone", Type::set(Type::String), "o")];
        let blocks = vec![nested("site", Nesting::List, 1, vec![attribute("port", Type::Number, "o")])];
        let object = Object::of_block(&Block { attributes, blocks, ..Block::default() });
        let state = map([
            ("key", Cty::string("k")),
            ("zone", Cty::Set(vec![Cty::UNKNOWN])),
            ("site", Cty::List(vec![map([("port", Cty::UNKNOWN)])])),
        ]);
        let properties = super::object(&object, &state).unwrap();
        let site = PropertyMap::from([("port".to_owned(), Value::Unknown)]);
        let expected = PropertyMap::from([
            ("key".to_owned(), Value::secret(Value::from("k"))),
            ("zones".to_owned(), Value::List(vec![Value::Unknown])),
            ("site".to_owned(), Value::Map(site)),
        ]);
        assert_eq!(properties, expected);
        assert!(encode::object(&object, &properties).unwrap() == state);
        let unknown = map([("site", Cty::List(vec![Cty::UNKNOWN]))]);
        let properties = super::object(&object, &unknown).unwrap();
        assert_eq!(properties, PropertyMap::from([("site".to_owned(), Value::Unknown)]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let blocks = vec![nested("site", Nesting::List, 1, vec![attribute("port", Type::Number, "o")])];
        let object = Object::of_block(&Block { blocks, ..Block::default() });
        let error = |value: Cty| super::object(&object, &map([("site", value)])).unwrap_err().to_string();
        let site = |port: Cty| Cty::List(vec![map([("port", port)])]);
        assert_eq!(error(site(Cty::string("x"))), "`site.port` holds a string, which does not fit its schema");
        let two = Cty::List(vec![map([]), map([])]);
        assert_eq!(error(two), "`site` holds 2 objects where one is allowed, which does not fit its schema");
        let large = || Cty::Number("1e400".parse().unwrap());
        assert_eq!(error(site(large())), "`site.port` holds a number that is too large, which does not fit its schema");
        assert!(natural(&Cty::List(vec![large()])).is_err());
    }
}
