//! Secret marks for plugins that do not support secrets: an input that was secret stays secret in the answer.

use crate::{PropertyMap, Value};

/// Marks values that have the name of a secret input. Objects are compared recursively; any other input that contains a secret
/// makes the whole answer of that name secret, because the order of a list may have changed.
pub fn annotate(answer: &mut PropertyMap, inputs: &PropertyMap) {
    for (key, input) in inputs {
        let Some(value) = answer.get_mut(key) else { continue };
        match (value, input) {
            (Value::Map(answer), Value::Map(input)) => annotate(answer, input),
            (Value::Secret(_), _) => {}
            (value, input) if input.contains_secret() => conceal(value),
            _ => {}
        }
    }
}

/// Marks every value of an answer, for a function that received a secret.
pub fn conceal_all(answer: &mut PropertyMap) {
    answer.values_mut().for_each(conceal);
}

fn conceal(value: &mut Value) {
    let plain = std::mem::replace(value, Value::Null);
    *value = Value::secret(plain);
}

/// Whether anything in the properties is secret.
pub fn has_secrets(properties: &PropertyMap) -> bool {
    properties.values().any(Value::contains_secret)
}

/// Kept among the outputs by Pulumi's bridges to Terraform, to restore a state. It is secret as a whole, because it may repeat secrets
/// of other outputs; the rest of it is ordinary words.
pub const REPETITION: &str = "__pulumi_raw_state_delta";

/// Calls `each` for every text inside a secret.
pub fn secret_texts<'a>(properties: &'a PropertyMap, each: &mut dyn FnMut(&'a str)) {
    secret_leaves(properties, &mut |leaf| {
        if let Value::String(text) = leaf {
            each(text);
        }
    });
}

/// Calls `each` for every text, number and boolean inside a secret.
pub fn secret_leaves<'a>(properties: &'a PropertyMap, each: &mut dyn FnMut(&'a Value)) {
    let own = properties.iter().filter(|(name, _)| *name != REPETITION);
    own.for_each(|(_, value)| leaves(value, false, each));
}

fn leaves<'a>(value: &'a Value, secret: bool, each: &mut dyn FnMut(&'a Value)) {
    match value {
        Value::Secret(inner) => leaves(inner, true, each),
        Value::Output(output) => {
            if let Some(inner) = &output.value {
                leaves(inner, secret || output.secret, each);
            }
        }
        Value::List(items) => items.iter().for_each(|item| leaves(item, secret, each)),
        Value::Map(members) => members.values().for_each(|member| leaves(member, secret, each)),
        leaf if secret => each(leaf),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, Value)]) -> PropertyMap {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn texts_inside_secrets_are_found() {
        let inner = Value::List(vec!["a".into(), Value::Map(map(&[("x", "b".into())]))]);
        let repeated = Value::Map(map(&[("raw", Value::secret("string".into()))]));
        let properties = map(&[("plain", "c".into()), ("hidden", Value::secret(inner)), (REPETITION, repeated)]);
        let mut found = Vec::new();
        secret_texts(&properties, &mut |text| found.push(text.to_owned()));
        assert_eq!(found, ["a", "b"]);
    }

    #[test]
    fn marks_return_where_they_were() {
        let inputs = map(&[
            ("plain", "a".into()),
            ("password", Value::secret("b".into())),
            ("nested", Value::Map(map(&[("x", Value::secret("c".into())), ("y", "d".into())]))),
            ("list", Value::List(vec!["e".into(), Value::secret("f".into())])),
            ("gone", Value::secret("g".into())),
        ]);
        let mut answer = map(&[
            ("plain", "a".into()),
            ("password", "b".into()),
            ("nested", Value::Map(map(&[("x", "c".into()), ("y", "d".into())]))),
            ("list", Value::List(vec!["f".into(), "e".into()])),
            ("new", "h".into()),
        ]);
        annotate(&mut answer, &inputs);
        let expected = map(&[
            ("plain", "a".into()),
            ("password", Value::secret("b".into())),
            ("nested", Value::Map(map(&[("x", Value::secret("c".into())), ("y", "d".into())]))),
            ("list", Value::secret(Value::List(vec!["f".into(), "e".into()]))),
            ("new", "h".into()),
        ]);
        assert_eq!(answer, expected);
    }
}
