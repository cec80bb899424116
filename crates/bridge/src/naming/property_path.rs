//! Paths in Pulumi's names.

use outrigger_terraform::cty::{Path, Step};
use outrigger_value::PathStep;

use crate::naming::object_names::{Object, Shape};

/// The property at a provider's path, as messages write it; `None` if the path does not begin at an attribute.
pub(crate) fn text(object: &Object, path: &Path) -> Option<String> {
    let mut steps = path.0.iter();
    let Some(Step::Attribute(first)) = steps.next() else { return None };
    let field = object.of_terraform(first);
    let mut text = field.map_or_else(|| crate::naming::case::camel(first), |field| field.name.to_string());
    let mut shape = field.map(|field| &field.shape);
    for step in steps {
        match step {
            Step::Attribute(name) => {
                let field = shape.and_then(Shape::object).and_then(|object| object.of_terraform(name));
                push(&mut text, field.map_or(&**name, |field| &*field.name));
                shape = field.map(|field| &field.shape);
            }
            // Pulumi sees the only element in place of the collection.
            Step::Index(_) | Step::Key(_) if matches!(shape, Some(Shape::One { .. })) => {}
            Step::Index(index) => {
                text.push_str(&format!("[{index}]"));
                shape = shape.and_then(Shape::element);
            }
            Step::Key(key) => {
                push(&mut text, key);
                shape = shape.and_then(Shape::element);
            }
        }
    }
    Some(text)
}

/// The top-level property of a provider's path.
pub(crate) fn top<'a>(object: &'a Object, path: &Path) -> Option<&'a str> {
    let Some(Step::Attribute(first)) = path.0.first() else { return None };
    object.of_terraform(first).map(|field| &*field.name)
}

/// The property at a provider's path. A path into a set ends at the set: its elements have no positions.
pub(crate) fn path(object: &Object, path: &Path) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let mut object = Some(object);
    let mut shape: Option<&Shape> = None;
    for step in &path.0 {
        match step {
            Step::Attribute(name) => {
                let field = object?.of_terraform(name)?;
                steps.push(PathStep::Key(field.name.to_string()));
                shape = Some(&field.shape);
            }
            Step::Index(_) | Step::Key(_) if matches!(shape, Some(Shape::One { .. })) => {}
            Step::Index(_) if matches!(shape, Some(Shape::Set(_))) => break,
            Step::Index(index) => {
                steps.push(PathStep::Index(usize::try_from(*index).ok()?));
                shape = shape.and_then(Shape::element);
            }
            Step::Key(key) => {
                steps.push(PathStep::Key(key.clone()));
                shape = shape.and_then(Shape::element);
            }
        }
        object = shape.and_then(Shape::object).map(|object| &**object);
    }
    (!steps.is_empty()).then_some(steps)
}

/// The provider's description of the property at a path. Indexes and keys in the path are skipped.
pub(crate) fn description<'a>(object: &'a Object, path: &Path) -> &'a str {
    let mut object = Some(object);
    let mut description = "";
    for step in &path.0 {
        let Step::Attribute(name) = step else { continue };
        let Some(field) = object.and_then(|object| object.of_terraform(name)) else { return "" };
        description = &field.description;
        object = field.shape.object().map(|object| &**object);
    }
    description
}

fn push(text: &mut String, name: &str) {
    let plain = name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter == '_' || letter == '-' || letter.is_ascii_alphanumeric());
    if plain { text.push_str(&format!(".{name}")) } else { text.push_str(&format!("[{name:?}]")) }
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::cty::Type;
    use outrigger_terraform::schema::{Attribute, Block, Description, Nesting};

    use super::*;
    use crate::test_support::{attribute, nested};

    fn object() -> Object {
        let said = Description { text: "Where it listens.".to_owned(), markdown: false };
        let port = || vec![Attribute { description: said.clone(), ..attribute("listen_port", Type::Number, "o") }];
        let attributes = vec![attribute("extra_tag", Type::map(Type::list(Type::String)), "o")];
        let blocks = vec![nested("web_site", Nesting::List, 1, port()), nested("rule", Nesting::List, 0, port())];
        Object::of_block(&Block { attributes, blocks, ..Block::default() })
    }

    fn path(steps: &[&str]) -> Path {
        let step = |step: &&str| match step.split_once(':') {
            Some(("key", key)) => Step::Key(key.to_owned()),
            Some((_, index)) => Step::Index(index.parse().unwrap()),
            None => Step::Attribute((*step).into()),
        };
        Path(steps.iter().map(step).collect())
    }

    #[test]
    fn paths_are_told_in_pulumis_words() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (&["web_site", "at:0", "listen_port"], Some("webSite.listenPort")),
            (&["rule", "at:2", "listen_port"], Some("rules[2].listenPort")),
            (&["extra_tag", "key:a-b", "at:1"], Some("extraTag.a-b[1]")),
            (&["extra_tag", "key:a b"], Some("extraTag[\"a b\"]")),
            (&["un_known"], Some("unKnown")),
            (&["rule", "at:0", "un_known", "at:1"], Some("rules[0].un_known[1]")),
            (&["un_known", "at:0", "listen_port"], Some("unKnown[0].listen_port")),
            (&["at:0"], None),
            (&[], None),
        ];
        for (steps, expected) in cases {
            assert_eq!(text(&object(), &path(steps)).as_deref(), expected, "{steps:?}");
        }
    }

    #[test]
    fn the_top_and_what_is_said_of_it() {
        let object = object();
        let port = path(&["rule", "at:0", "listen_port"]);
        assert_eq!(top(&object, &port), Some("rules"));
        assert_eq!(description(&object, &port), "Where it listens.");
        assert_eq!(description(&object, &path(&["rule", "un_known"])), "");
        assert_eq!((top(&object, &path(&["key:rule"])), top(&object, &path(&["un_known"]))), (None, None));
    }
}
