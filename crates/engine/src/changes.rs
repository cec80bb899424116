//! How resource options affect inputs and a provider's diff.

use outrigger_provider::{Diff, DiffKind, PropertyDiff, Verdict};
use outrigger_state::Resource;
use outrigger_value::{PathStep, PropertyMap, PropertyPath, Value, secrecy};

/// Stands for the init errors of a resource in `replaceOnChanges`.
const INIT_ERROR: &str = "#initerror";

/// The inputs with every ignored path set back to its old value, and the paths that could not be followed.
pub(crate) fn ignore(mut inputs: PropertyMap, old: &PropertyMap, paths: &[String]) -> (PropertyMap, Vec<String>) {
    let unreachable = paths
        .iter()
        .filter(|text| text.parse::<PropertyPath>().is_ok_and(|path| !path.copy(old, &mut inputs)))
        .cloned()
        .collect();
    (inputs, unreachable)
}

/// Turns changes at `replaceOnChanges` paths into replacements, and returns the resulting verdict.
pub(crate) fn force_replacements(diff: &mut Diff, verdict: Verdict, paths: &[String], init_errors: bool) -> Verdict {
    if verdict == Verdict::Same && !init_errors {
        return Verdict::Same;
    }
    let patterns: Vec<PropertyPath> = paths.iter().filter_map(|text| text.parse().ok()).collect();
    if let Some(detailed) = &mut diff.detailed {
        for (path, change) in detailed.iter_mut() {
            let Ok(path) = path.parse::<PropertyPath>() else { continue };
            if patterns.iter().any(|pattern| pattern.contains(&path)) {
                change.kind = change.kind.as_replace();
            }
        }
    }
    for key in &diff.changed_keys {
        let path = PropertyPath(vec![PathStep::Key(key.clone())]);
        if !diff.replace_keys.contains(key) && patterns.iter().any(|pattern| pattern.contains(&path)) {
            diff.replace_keys.push(key.clone());
        }
    }
    let init_error = PropertyPath(vec![PathStep::Key(INIT_ERROR.to_owned())]);
    if init_errors && patterns.iter().any(|pattern| pattern.contains(&init_error)) {
        diff.replace_keys.push(INIT_ERROR.to_owned());
        if let Some(detailed) = &mut diff.detailed {
            detailed.insert(INIT_ERROR.to_owned(), PropertyDiff { kind: DiffKind::UpdateReplace, input: false });
        }
    }
    let replaces = !diff.replace_keys.is_empty()
        || diff.detailed.as_ref().is_some_and(|detailed| detailed.values().any(|change| change.kind.replaces()));
    match verdict {
        _ if replaces => Verdict::Replace,
        // Nothing changed, but the resource is not ready: an update lets the provider continue waiting for it.
        Verdict::Same => Verdict::Update,
        other => other,
    }
}

/// Whether a changed replacement trigger asks for a replacement. An unknown trigger counts as changed, a missing one as unchanged.
pub(crate) fn triggered(old: Option<&Value>, new: Option<&Value>) -> bool {
    let bare = |value: Option<&Value>| value.map_or(Value::Null, Value::unwrap_secrets);
    let (old, new) = (bare(old), bare(new));
    if old.contains_unknown() || new.contains_unknown() {
        return true;
    }
    old != Value::Null && new != Value::Null && old != new
}

/// Prepares an entry for the state: an output is secret if the options name it or the input of the same name is secret, and a provider's
/// messages about a half-made resource must not quote a secret.
pub(crate) fn seal(resource: &mut Resource) {
    let Resource { inputs, outputs, additional_secret_outputs: additional, init_errors, .. } = resource;
    for (key, value) in outputs.iter_mut() {
        // An id is never secret.
        let named = key != "id" && additional.iter().any(|name| name == key);
        if (named || matches!(inputs.get(key), Some(Value::Secret(_)))) && !matches!(value, Value::Secret(_)) {
            *value = Value::secret(std::mem::replace(value, Value::Null));
        }
    }
    if !init_errors.is_empty() {
        let mut texts = Vec::new();
        for properties in [&*inputs, &*outputs] {
            secrecy::secret_texts(properties, &mut |text| texts.push(text));
        }
        texts.retain(|text| !text.is_empty());
        // The longest first: a secret may be part of another.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for error in init_errors {
            for text in &texts {
                *error = error.replace(text, "[secret]");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn detailed(path: &str) -> Diff {
        Diff {
            changed: Some(true),
            detailed: Some(BTreeMap::from([(path.to_owned(), PropertyDiff { kind: DiffKind::Update, input: true })])),
            ..Diff::default()
        }
    }

    #[test]
    fn a_change_below_a_path_forces_a_replacement() {
        let paths = vec!["tags[*]".to_owned()];
        assert_eq!(force_replacements(&mut detailed("tags.owner"), Verdict::Update, &paths, false), Verdict::Replace);
        assert_eq!(force_replacements(&mut detailed("size"), Verdict::Update, &paths, false), Verdict::Update);
    }

    #[test]
    fn init_errors_ask_for_an_update_or_a_replacement() {
        let mut none = Diff { changed: Some(false), ..Diff::default() };
        assert_eq!(force_replacements(&mut none, Verdict::Same, &[], true), Verdict::Update);
        assert_eq!(force_replacements(&mut none, Verdict::Same, &[INIT_ERROR.to_owned()], true), Verdict::Replace);
        assert_eq!(
            force_replacements(&mut Diff::default(), Verdict::Same, &[INIT_ERROR.to_owned()], false),
            Verdict::Same
        );
    }

    #[test]
    fn a_half_made_resource_does_not_quote_a_secret() {
        let urn = outrigger_value::Urn::new("dev", "shop", None, "a:b:C", "x");
        let mut resource = Resource {
            inputs: PropertyMap::from([("password".to_owned(), Value::secret("hunter2".into()))]),
            outputs: PropertyMap::from([("password".to_owned(), "hunter2".into())]),
            init_errors: vec!["login with hunter2 failed".to_owned()],
            ..Resource::new(urn, true)
        };
        seal(&mut resource);
        assert_eq!(resource.init_errors, ["login with [secret] failed"]);
        assert_eq!(resource.outputs.get("password"), Some(&Value::secret("hunter2".into())));
    }

    #[test]
    fn triggers_compare_by_value() {
        let (a, b) = (Value::from("a"), Value::secret("a".into()));
        assert!(!triggered(Some(&a), Some(&b)));
        assert!(triggered(Some(&a), Some(&"b".into())));
        assert!(!triggered(None, Some(&a)));
        assert!(triggered(None, Some(&Value::Unknown)));
    }
}
