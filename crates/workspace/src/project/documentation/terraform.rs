//! Terraform's names for the parts of a bridged package, from the mapping that every bridge provides: Pulumi's, for its own packages, and ours.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use outrigger_bridge::{case, inflect};
use outrigger_schema::{Definition, Package, Property, Type};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Terraform's schema has no deeper objects.
const DEEPEST: usize = 64;

/// Terraform's names. The mapping stays text; entries are decoded when they are looked up.
pub(super) struct Names {
    text: String,
    /// By Terraform's names.
    resources: HashMap<String, Known>,
    data_sources: HashMap<String, Known>,
}

/// The full token, and where the mapping has Terraform's schema and the names that follow no rule.
struct Known {
    token: String,
    schema: Range<usize>,
    fields: Range<usize>,
}

/// The names of properties in Terraform: those of the entry itself, and those of object types by token.
#[derive(Default)]
pub(super) struct PropertyNames {
    pub(super) own: BTreeMap<String, String>,
    pub(super) types: HashMap<String, BTreeMap<String, String>>,
    /// The attribute or block that a type came from, if its name differs.
    pub(super) type_names: HashMap<String, String>,
}

impl Names {
    /// Reads a mapping; `None` if it is none.
    pub(super) fn parse(mapping: Vec<u8>) -> Option<Self> {
        let text = String::from_utf8(mapping).ok()?;
        let outline: Outline<'_> = serde_json::from_str(&text).ok()?;
        let base = text.as_ptr() as usize;
        let range = |raw: Option<&&RawValue>| {
            let start = raw.map(|raw| raw.get().as_ptr() as usize - base).unwrap_or_default();
            start..start + raw.map(|raw| raw.get().len()).unwrap_or_default()
        };
        let known = |entries: HashMap<Cow<'_, str>, Entry<'_>>, schemas: HashMap<Cow<'_, str>, &RawValue>| {
            let named = entries.into_iter().filter_map(|(name, entry)| {
                let (schema, fields) = (range(schemas.get(&name)), range(entry.fields.as_ref()));
                Some((name.into_owned(), Known { token: entry.tok?.into_owned(), schema, fields }))
            });
            named.collect::<HashMap<_, _>>()
        };
        let resources = known(outline.resources, outline.provider.resources);
        let data_sources = known(outline.data_sources, outline.provider.data_sources);
        (!resources.is_empty() || !data_sources.is_empty()).then_some(Self { resources, data_sources, text })
    }

    /// The full token of the resource with a Terraform name.
    pub(super) fn resource(&self, terraform: &str) -> Option<&str> {
        self.resources.get(terraform).map(|known| known.token.as_str())
    }

    /// The full token of the function for a data source.
    pub(super) fn data_source(&self, terraform: &str) -> Option<&str> {
        self.data_sources.get(terraform).map(|known| known.token.as_str())
    }

    /// Every name, for suggestions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.resources.keys().chain(self.data_sources.keys()).map(String::as_str)
    }

    /// The Terraform name of a resource or a function by its full token.
    pub(super) fn of_token(&self, token: &str) -> Option<&str> {
        Some(self.entry(token)?.0)
    }

    fn entry(&self, token: &str) -> Option<(&str, &Known)> {
        let mut entries = self.resources.iter().chain(&self.data_sources);
        entries.find(|(_, known)| known.token == token).map(|(name, known)| (name.as_str(), known))
    }

    /// The names of the properties below a resource or a function.
    pub(super) fn properties(
        &self,
        package: &Package,
        token: &str,
        sides: &[&BTreeMap<String, Property>],
    ) -> PropertyNames {
        let mut names = PropertyNames::default();
        let Some((_, known)) = self.entry(token) else { return names };
        let object = |range: &Range<usize>| -> Map<String, Value> {
            self.text.get(range.clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
        };
        let (schema, fields) = (object(&known.schema), object(&known.fields));
        for properties in sides {
            let own = names.object(package, &schema, &fields, properties, 0);
            names.own.extend(own);
        }
        names
    }
}

impl PropertyNames {
    /// The names of one object's properties; those of the objects below it are recorded.
    fn object(
        &mut self,
        package: &Package,
        schema: &Map<String, Value>,
        fields: &Map<String, Value>,
        properties: &BTreeMap<String, Property>,
        depth: usize,
    ) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for (terraform, attribute) in schema {
            let field = fields.get(terraform);
            let renamed = field.and_then(|field| field.get("name")?.as_str()).filter(|name| !name.is_empty());
            let camel = case::camel(terraform);
            // Whether a list is plural depends on how many elements it may have: the name that exists in the package counts.
            let candidates = [renamed.map(str::to_owned), Some(inflect::plural(&camel)), Some(camel)];
            let Some((name, property)) =
                candidates.into_iter().flatten().find_map(|name| properties.get_key_value(&name))
            else {
                continue;
            };
            if name != terraform {
                found.insert(name.clone(), terraform.clone());
            }
            let Some((token, object)) = object_type(package, &property.ty) else { continue };
            let (Some(inner), false) = (resource(attribute, 0), depth > DEEPEST || self.types.contains_key(&token))
            else {
                continue;
            };
            // Recorded before its members, for types that contain themselves.
            self.types.insert(token.clone(), BTreeMap::new());
            self.type_names.insert(token.clone(), terraform.clone());
            let below = field
                .and_then(|field| Some(field.get("elem")?.get("fields")?.as_object()?.clone()))
                .unwrap_or_default();
            let names = self.object(package, inner, &below, &object.properties, depth + 1);
            self.types.insert(token, names);
        }
        found
    }
}

/// The object type inside a type.
fn object_type(package: &Package, ty: &Type) -> Option<(String, outrigger_schema::ObjectType)> {
    match ty {
        Type::List(inner) | Type::Map(inner) => object_type(package, inner),
        Type::Union(branches) => branches.iter().find_map(|branch| object_type(package, branch)),
        Type::Named(reference) if reference.external.is_none() => match &*package.ty(&reference.token).ok()?? {
            Definition::Object(object) => Some((reference.token.clone(), object.clone())),
            Definition::Enum(_) => None,
        },
        _ => None,
    }
}

/// The attributes of the object inside an attribute.
fn resource(attribute: &Value, depth: usize) -> Option<&Map<String, Value>> {
    let element = attribute.get("element")?;
    match element.get("resource") {
        Some(inner) => inner.as_object(),
        None => element.get("schema").filter(|_| depth < DEEPEST).and_then(|schema| resource(schema, depth + 1)),
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Outline<'a> {
    #[serde(borrow)]
    provider: Provider<'a>,
    #[serde(borrow)]
    resources: HashMap<Cow<'a, str>, Entry<'a>>,
    #[serde(borrow)]
    data_sources: HashMap<Cow<'a, str>, Entry<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Provider<'a> {
    #[serde(borrow)]
    resources: HashMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow)]
    data_sources: HashMap<Cow<'a, str>, &'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry<'a> {
    tok: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fields: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_schema_that_the_mapping_has() {
        let schema = r##"{"name": "shop", "types": {"shop:index/Rule:Rule": {"type": "object", "properties": {
            "maxAge": {"type": "string"}, "again": {"$ref": "#/types/shop:index/Rule:Rule"}}}},
            "resources": {"shop:index/item:Item": {"inputProperties": {
                "corsRules": {"type": "array", "items": {"$ref": "#/types/shop:index/Rule:Rule"}}, "urnName": {"type": "string"}, "size": {"type": "string"}}}}}"##;
        let mapping = r#"{"provider": {"resources": {"shop_item": {"size": {"type": 4}, "urn": {"type": 4}, "cors_rule": {"type": 5, "element": {"resource": {
                "max_age": {"type": 4}, "again": {"type": 5, "element": {"schema": {"type": 6, "element": {"resource": {}}}}}}}}}}},
            "resources": {"shop_item": {"tok": "shop:index/item:Item", "fields": {"urn": {"name": "urnName"}}}}}"#;
        let package = Package::parse(schema.as_bytes().to_vec()).unwrap();
        let names = Names::parse(mapping.as_bytes().to_vec()).unwrap();
        assert_eq!(names.resource("shop_item"), Some("shop:index/item:Item"));
        let item = package.resource("shop:index/item:Item").unwrap().unwrap();
        let found = names.properties(&package, &item.token, &[&item.inputs]);
        let own: Vec<_> = found.own.iter().map(|(name, terraform)| (&**name, &**terraform)).collect();
        assert_eq!(own, [("corsRules", "cors_rule"), ("urnName", "urn")]);
        assert_eq!(found.types["shop:index/Rule:Rule"]["maxAge"], "max_age");
        for none in ["", "[]", "{}", "7"] {
            assert!(Names::parse(none.as_bytes().to_vec()).is_none(), "{none}");
        }
    }
}
