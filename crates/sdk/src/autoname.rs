//! Names for resources without a name in the program.

use outrigger_provider::{Autonaming, AutonamingMode, ResourceIdentity};
use outrigger_value::{PropertyMap, Value};

use crate::check::random_digits;
use crate::shape::ObjectShape;

/// The number of random digits after the resource's name, as in Pulumi's own providers.
const DIGITS: usize = 7;

/// Fills in the inputs that are marked as `autoname` and missing. A resource keeps its name; a replacement is checked without the old inputs, and so
/// gets another one, because both exist for a while.
pub(crate) fn fill(
    shape: &ObjectShape,
    resource: &ResourceIdentity,
    olds: Option<&PropertyMap>,
    news: &mut PropertyMap,
    seed: &[u8; 32],
    autonaming: Option<&Autonaming>,
) {
    for property in shape.properties.iter().filter(|property| property.autoname) {
        if news.get(property.name).is_some_and(|value| *value.bare() != Value::Null) {
            continue;
        }
        let kept = olds.and_then(|olds| olds.get(property.name)).cloned();
        let name = kept.or_else(|| match autonaming {
            None => Some(format!("{}-{}", resource.name(), random_digits(seed, DIGITS)).into()),
            // Then it is required, and the check reports it as missing.
            Some(Autonaming { mode: AutonamingMode::Disable, .. }) => None,
            Some(Autonaming { proposed, .. }) => Some(proposed.clone().into()),
        });
        if let Some(name) = name {
            news.insert(property.name.to_owned(), name);
        }
    }
}

#[cfg(test)]
mod tests {
    use outrigger_value::Urn;

    use super::*;
    use crate::shape::PropertyShape;

    #[test]
    fn the_engine_has_the_last_word_on_new_names() {
        let shape = ObjectShape {
            name: "Args",
            token: None,
            description: "",
            deprecated: None,
            properties: vec![
                PropertyShape::of::<String>("name", "").autoname(),
                PropertyShape::of::<String>("text", ""),
            ],
        };
        let resource = ResourceIdentity::new(Urn::new("test", "test", None, "a:index:A", "logs"));
        let name = |olds: Option<&PropertyMap>, news: &PropertyMap, autonaming: Option<(&str, AutonamingMode)>| {
            let autonaming = autonaming.map(|(proposed, mode)| Autonaming { proposed: proposed.to_owned(), mode });
            let mut news = news.clone();
            fill(&shape, &resource, olds, &mut news, &[0x1f; 32], autonaming.as_ref());
            assert!(!news.contains_key("text"));
            news.remove("name")
        };
        let none = PropertyMap::new();
        let named = |name: &str| PropertyMap::from([("name".to_owned(), Value::from(name))]);
        let disabled = Some(("", AutonamingMode::Disable));
        assert_eq!(name(None, &none, None), Some("logs-1f1f1f1".into()));
        assert_eq!(name(None, &none, Some(("dev-logs", AutonamingMode::Propose))), Some("dev-logs".into()));
        assert_eq!(name(None, &none, Some(("dev-logs", AutonamingMode::Enforce))), Some("dev-logs".into()));
        assert_eq!(name(None, &none, disabled), None);
        assert_eq!(name(Some(&named("old")), &none, disabled), Some("old".into()));
        assert_eq!(name(Some(&named("old")), &named("new"), None), Some("new".into()));
        let unknown = PropertyMap::from([("name".to_owned(), Value::Unknown)]);
        assert_eq!(name(Some(&named("old")), &unknown, None), Some(Value::Unknown));
    }
}
