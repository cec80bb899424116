//! The resource options of a component, by the names that Pulumi's protocol gives them.

use outrigger_value::{PropertyMap, Value};

use crate::encoding::{Encoding, encode_value};
use crate::generated::pulumirpc::alias::spec::Parent;
use crate::generated::pulumirpc::alias::{Alias as AliasKind, Spec};
use crate::generated::pulumirpc::construct_request::CustomTimeouts;
use crate::generated::pulumirpc::{Alias, ConstructRequest};

/// Puts options into a request. An option that is not known, or has the wrong type, is refused by name.
pub(crate) fn fill(request: &mut ConstructRequest, options: PropertyMap) -> Result<(), String> {
    for (name, value) in options {
        let wrong = format!("the component's option `{name}` is a {}, which does not fit", value.kind());
        let fits = match name.as_str() {
            "protect" => boolean(&value).map(|value| request.protect = Some(value)),
            "deleteBeforeReplace" => boolean(&value).map(|value| request.delete_before_replace = Some(value)),
            "retainOnDelete" => boolean(&value).map(|value| request.retain_on_delete = Some(value)),
            "additionalSecretOutputs" => texts(&value).map(|value| request.additional_secret_outputs = value),
            "ignoreChanges" => texts(&value).map(|value| request.ignore_changes = value),
            "replaceOnChanges" => texts(&value).map(|value| request.replace_on_changes = value),
            "replaceWith" => texts(&value).map(|value| request.replace_with = value),
            "deletedWith" => text(&value).map(|value| request.deleted_with = value),
            "customTimeouts" => timeouts(&value).map(|value| request.custom_timeouts = Some(value)),
            "aliases" => aliases(&value).map(|value| request.aliases = value),
            "replacementTrigger" => {
                let how = Encoding { unknowns: true, secrets: true, resources: true, outputs: true, elide: false };
                request.replacement_trigger = encode_value(&name, value, how).map_err(|error| error.to_string())?;
                Some(())
            }
            "organization" => text(&value).map(|value| request.organization = value),
            "config" => config(&value).map(|value| request.config = value),
            "configSecretKeys" => texts(&value).map(|value| request.config_secret_keys = value),
            _ => return Err(format!("the component's option `{name}` is not known")),
        };
        fits.ok_or(wrong)?;
    }
    Ok(())
}

fn boolean(value: &Value) -> Option<bool> {
    match value.bare() {
        Value::Bool(value) => Some(*value),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    value.bare().as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value.bare() {
        Value::List(items) => items.iter().map(text).collect(),
        _ => None,
    }
}

fn config(value: &Value) -> Option<std::collections::HashMap<String, String>> {
    value.bare().as_map()?.iter().map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

fn timeouts(value: &Value) -> Option<CustomTimeouts> {
    let mut timeouts = CustomTimeouts::default();
    for (name, value) in value.bare().as_map()? {
        let limit = text(value)?;
        match name.as_str() {
            "create" => timeouts.create = limit,
            "update" => timeouts.update = limit,
            "delete" => timeouts.delete = limit,
            "read" => timeouts.read = limit,
            _ => return None,
        }
    }
    Some(timeouts)
}

fn aliases(value: &Value) -> Option<Vec<Alias>> {
    let Value::List(items) = value.bare() else { return None };
    items.iter().map(alias).collect()
}

/// A URN, or an object with the parts that differ.
fn alias(value: &Value) -> Option<Alias> {
    if let Some(urn) = value.bare().as_str() {
        return Some(Alias { alias: Some(AliasKind::Urn(urn.to_owned())) });
    }
    let mut spec = Spec::default();
    for (name, value) in value.bare().as_map()? {
        match name.as_str() {
            "name" => spec.name = text(value)?,
            "type" => spec.r#type = text(value)?,
            "stack" => spec.stack = text(value)?,
            "project" => spec.project = text(value)?,
            "parentUrn" => spec.parent = Some(Parent::ParentUrn(text(value)?)),
            "noParent" => spec.parent = Some(Parent::NoParent(boolean(value)?)),
            _ => return None,
        }
    }
    Some(Alias { alias: Some(AliasKind::Spec(spec)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let mut request = ConstructRequest::default();
        let options = PropertyMap::from([
            ("protect".to_owned(), Value::Bool(true)),
            ("aliases".to_owned(), Value::List(vec!["urn:pulumi:a::b::c::d".into()])),
        ]);
        fill(&mut request, options).unwrap();
        assert_eq!((request.protect, request.aliases.len()), (Some(true), 1));
        let unknown = fill(&mut request, PropertyMap::from([("protext".to_owned(), Value::Null)])).unwrap_err();
        assert!(unknown.contains("`protext` is not known"), "{unknown}");
        let wrong = fill(&mut request, PropertyMap::from([("protect".to_owned(), "yes".into())])).unwrap_err();
        assert!(wrong.contains("`protect` is a string"), "{wrong}");
    }
}
