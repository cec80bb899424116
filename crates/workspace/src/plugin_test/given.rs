//! Inputs that the user gives: a YAML file of types, each with a list of property maps.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_syntax::{Document, Kind, Node};
use outrigger_value::{PropertyMap, Value};

/// As in a YAML program.
const SECRET: &str = "fn::secret";

/// Reads inputs: for each type the properties to create a resource with, and those to update it with, if any.
pub fn inputs(file: &str, text: &str) -> Result<BTreeMap<String, Vec<PropertyMap>>, Vec<Diagnostic>> {
    let document = Document::parse(file, text)?;
    let wrong = |node: &Node, what: String| {
        Diagnostic::error("plugin-test-inputs", "the inputs of a test cannot be read")
            .detail(what)
            .at(document.place(node.span))
            .hint("Write each type with a list of one or two objects: the inputs to create with, and to update with.")
    };
    let types = match &document.root.kind {
        Kind::Null => return Ok(BTreeMap::new()),
        Kind::Object(types) => types,
        _ => {
            return Err(vec![wrong(&document.root, format!("The file contains {}, not types.", document.root.word()))]);
        }
    };
    let mut inputs = BTreeMap::new();
    let mut mistakes = Vec::new();
    for entry in types {
        let maps = entry.value.as_list().filter(|list| matches!(list.len(), 1 | 2));
        let maps = maps.and_then(|list| list.iter().map(object).collect::<Option<Vec<_>>>());
        match maps {
            Some(maps) => drop(inputs.insert(entry.key.text.to_string(), maps)),
            None => mistakes.push(wrong(&entry.value, format!("`{}` needs a list of inputs.", entry.key.text))),
        }
    }
    if mistakes.is_empty() { Ok(inputs) } else { Err(mistakes) }
}

fn object(node: &Node) -> Option<PropertyMap> {
    Some(node.as_object()?.iter().map(|entry| (entry.key.text.to_string(), value(&entry.value))).collect())
}

fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Number(value) => Value::Number(*value),
        Kind::String(text) => Value::String(text.value.to_string()),
        Kind::List(list) => Value::List(list.items.iter().map(value).collect()),
        Kind::Object(object) => match (object.len(), object.get(SECRET)) {
            (1, Some(secret)) => Value::secret(value(secret)),
            _ => Value::Map(object.iter().map(|entry| (entry.key.text.to_string(), value(&entry.value))).collect()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_with_secrets_and_mistakes_have_places() {
        let read = inputs("i.yaml", "a:B:\n- {x: 1, s: {fn::secret: k}, l: [true, null]}\n- {}\n").unwrap();
        let first = &read["a:B"][0];
        assert_eq!((&first["x"], read["a:B"].len()), (&Value::Number(1.0), 2));
        assert_eq!(first["s"], Value::secret("k".into()));
        assert_eq!(first["l"], Value::List(vec![Value::Bool(true), Value::Null]));
        assert!(inputs("i.yaml", "").unwrap().is_empty());
        for (text, line) in [("a:B: {x: 1}\n", 1), ("c:D: [{}]\na:B: [1]\n", 2), ("a:B: [{}, {}, {}]\n", 1), ("- x", 1)]
        {
            let mistakes = inputs("i.yaml", text).unwrap_err();
            assert_eq!(mistakes[0].code, "plugin-test-inputs", "{text}");
            assert!(mistakes[0].place.as_ref().unwrap().to_string().starts_with(&format!("i.yaml:{line}:")), "{text}");
        }
    }
}
