//! Properties that a resource does not have. Pulumi's bridge drops them silently.

use outrigger_provider::CheckFailure;
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value, nearest};

use crate::naming::object_names::{Object, Shape};
use crate::values::delta;

/// A failure for each property, at every level, that a resource of this type does not have.
pub(crate) fn properties(token: &str, object: &Object, inputs: &PropertyMap) -> Vec<CheckFailure> {
    let mut search = Search { token, path: Vec::new(), failures: Vec::new() };
    search.object(object, inputs);
    search.failures
}

struct Search<'a> {
    token: &'a str,
    path: Vec<PathStep>,
    failures: Vec<CheckFailure>,
}

impl Search<'_> {
    fn object(&mut self, object: &Object, properties: &PropertyMap) {
        for (name, value) in properties.iter().filter(|(name, _)| !delta::is_bookkeeping(name)) {
            self.path.push(PathStep::Key(name.clone()));
            match object.field(name) {
                Some(field) => self.shaped(&field.shape, value),
                None => self.add(object, name),
            }
            self.path.pop();
        }
    }

    fn shaped(&mut self, shape: &Shape, value: &Value) {
        match (shape, value.bare()) {
            (Shape::Object(object) | Shape::One { object, .. }, Value::Map(properties)) => {
                self.object(object, properties);
            }
            (Shape::List(element) | Shape::Set(element), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(PathStep::Index(index));
                    self.shaped(element, item);
                    self.path.pop();
                }
            }
            (Shape::Map(element), Value::Map(items)) => {
                for (key, item) in items {
                    self.path.push(PathStep::Key(key.clone()));
                    self.shaped(element, item);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, object: &Object, name: &str) {
        let near = nearest::closest(name, object.fields().iter().map(|field| &*field.name));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let whose = match self.path.as_slice() {
            [_] => format!("`{}` has", self.token),
            [outer @ .., _] => format!("`{}` of `{}` has", PropertyPath(outer.to_vec()), self.token),
            [] => return,
        };
        let property = PropertyPath(self.path.clone()).to_string();
        self.failures.push(CheckFailure::new(property, format!("{whose} no such property{hint}")));
    }
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Block, Nesting};

    use super::*;
    use crate::test_support::{attribute, nested};

    #[test]
    fn what_is_not_there_is_told_at_every_level() {
        let rule = vec![attribute("port", Type::Number, "o")];
        let object = Object::of_block(&Block {
            attributes: vec![attribute("name", Type::String, "o"), attribute("labels", Type::map(Type::String), "o")],
            blocks: vec![nested("rule", Nesting::List, 0, rule)],
            ..Block::default()
        });
        let map = |items: &[(&str, Value)]| -> PropertyMap {
            items.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
        };
        let rules = Value::List(vec![Value::secret(Value::Map(map(&[("prt", Value::Number(1.0))])))]);
        let labels = Value::Map(map(&[("anything", Value::from("x"))]));
        let inputs =
            map(&[("nam", Value::from("x")), ("rules", rules), ("labels", labels), ("__defaults", Value::Null)]);
        let told: Vec<(String, String)> =
            properties("a:B", &object, &inputs).into_iter().map(|failure| (failure.property, failure.reason)).collect();
        let expected = [
            ("nam", "`a:B` has no such property; did you mean `name`?"),
            ("rules[0].prt", "`rules[0]` of `a:B` has no such property; did you mean `port`?"),
        ];
        assert_eq!(told, expected.map(|(property, reason)| (property.to_owned(), reason.to_owned())));
    }
}
