//! The documentation texts. They are decoded separately, because no run needs them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

/// A package's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name for readers; empty if there is none, as with all that follow.
    pub display_name: String,
    /// Its purpose.
    pub description: String,
    /// Its publisher.
    pub publisher: String,
    /// Its page.
    pub homepage: String,
    /// Where its code is.
    pub repository: String,
}

/// An entry of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A resource by its full token; `pulumi:providers:NAME` is the provider.
    Resource(&'a str),
    /// A function by its full token.
    Function(&'a str),
    /// An object type or enumeration by its full token.
    Type(&'a str),
    /// The package's configuration keys.
    Config,
}

/// The descriptions of an entry and of its properties, in Markdown. Those without one are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    /// That of the entry itself.
    pub own: String,
    /// Those of a resource's inputs or a function's arguments.
    pub inputs: BTreeMap<String, String>,
    /// Those of a resource's outputs, a function's results, an object's properties or the configuration keys.
    pub properties: BTreeMap<String, String>,
    /// Those of an enumeration's values, in their order.
    pub values: Vec<String>,
    /// The functions that are methods of a resource: the full token by the method's name.
    pub methods: BTreeMap<String, String>,
}

/// Reads all descriptions of an entry. A malformed one has none.
pub(crate) fn descriptions(json: &str) -> Descriptions {
    let spec: Spec = serde_json::from_str(json).unwrap_or_default();
    let inputs = spec.inputs.map(|object| object.properties).unwrap_or_default();
    let results = spec.outputs.or(spec.return_type).map(|object| object.properties).unwrap_or_default();
    Descriptions {
        own: spec.description.unwrap_or_default(),
        inputs: texts([spec.input_properties, inputs]),
        properties: texts([spec.properties, results, spec.variables]),
        values: spec.values.into_iter().map(|value| value.description.unwrap_or_default()).collect(),
        methods: spec.methods,
    }
}

/// Reads the description of an entry and passes over all the rest.
pub(crate) fn summary(json: &str) -> String {
    let own: Described = serde_json::from_str(json).unwrap_or_default();
    own.description.unwrap_or_default()
}

fn texts<const N: usize>(sources: [BTreeMap<String, Described>; N]) -> BTreeMap<String, String> {
    let entries = sources.into_iter().flatten();
    entries.filter_map(|(name, entry)| Some((name, entry.description.filter(|text| !text.is_empty())?))).collect()
}

/// The texts at the top of a schema.
pub(crate) fn about(texts: [Option<Cow<'_, str>>; 5]) -> About {
    let [display_name, description, publisher, homepage, repository] =
        texts.map(|text| text.map(Cow::into_owned).unwrap_or_default());
    About { display_name, description, publisher, homepage, repository }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    description: Option<String>,
    input_properties: BTreeMap<String, Described>,
    properties: BTreeMap<String, Described>,
    inputs: Option<Object>,
    outputs: Option<Object>,
    return_type: Option<Object>,
    variables: BTreeMap<String, Described>,
    methods: BTreeMap<String, String>,
    #[serde(rename = "enum")]
    values: Vec<Described>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Object {
    properties: BTreeMap<String, Described>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Described {
    description: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_wherever_an_entry_has_them() {
        let resource = r#"{"description": "A shelf.", "inputProperties": {"a": {"type": "string", "description": "In."}, "b": {}},
            "properties": {"a": {"description": "Out."}}, "methods": {"clear": "x:index:Shelf/clear"}}"#;
        let found = descriptions(resource);
        assert_eq!((&*found.own, &*found.inputs["a"], &*found.properties["a"]), ("A shelf.", "In.", "Out."));
        assert_eq!((found.inputs.len(), &*found.methods["clear"]), (1, "x:index:Shelf/clear"));
        let function = r#"{"inputs": {"properties": {"a": {"description": "In."}}}, "outputs": {"properties": {"b": {"description": "Out."}}}}"#;
        let found = descriptions(function);
        assert_eq!((&*found.inputs["a"], &*found.properties["b"]), ("In.", "Out."));
        let found = descriptions(r#"{"enum": [{"value": 1, "description": "One."}, {"value": 2}]}"#);
        assert_eq!(found.values, ["One.", ""]);
        assert_eq!(summary(resource), "A shelf.");
        for broken in ["1", "", r#"{"description": 7}"#] {
            assert_eq!((descriptions(broken), summary(broken)), (Descriptions::default(), String::new()));
        }
    }
}
