//! Packages and plugins in the project file.

use std::collections::BTreeMap;

use outrigger_syntax::{Node, Object, Span};

use super::reader::Reader;

/// A package that `install` installs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageSpec {
    /// A name, a URL or a local path.
    pub source: String,
    /// A version or a commit.
    pub version: Option<String>,
    /// The parameters of a parameterised package.
    pub parameters: Vec<String>,
    /// The download URL of the plugin.
    pub download_url: Option<String>,
    /// Base64 digests by platform.
    pub checksums: BTreeMap<String, String>,
    /// Its place.
    pub span: Span,
}

/// A plugin used from a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginOverride {
    /// The plugin's name.
    pub name: String,
    /// The directory, relative to the project file.
    pub path: String,
    /// The version that it replaces; `None` means any.
    pub version: Option<String>,
    /// Its place.
    pub span: Span,
}

impl PackageSpec {
    pub(super) fn read_all<'a>(reader: &mut Reader<'a>, root: &'a Object) -> BTreeMap<String, PackageSpec> {
        let Some(node) = root.get("packages") else { return BTreeMap::new() };
        let Some(object) = node.as_object() else {
            reader.wrong_kind("packages", node, "an object");
            return BTreeMap::new();
        };
        object
            .iter()
            .filter_map(|entry| {
                let spec = PackageSpec::read(reader, &entry.key.text, &entry.value)?;
                Some((entry.key.text.to_string(), spec))
            })
            .collect()
    }

    fn read<'a>(reader: &mut Reader<'a>, name: &str, node: &'a Node) -> Option<PackageSpec> {
        if let Some(text) = node.as_str() {
            let (source, version) = match text.split_once('@') {
                Some((source, version)) => (source, Some(version.to_owned())),
                None => (text, None),
            };
            return Some(PackageSpec { version, ..PackageSpec::new(source.to_owned(), node.span) });
        }
        let Some(object) = node.as_object() else {
            reader.wrong_kind(name, node, "a string or an object with `source`");
            return None;
        };
        let known = ["source", "version", "parameters", "pluginDownloadURL", "checksums"];
        reader.only_keys(object, name, &known);
        let text = |reader: &mut Reader<'a>, key: &str| reader.string(object, key).map(|(text, _)| text);
        if object.get("source").is_none() {
            reader.fail(
                "project-package",
                &format!("the package `{name}` has no `source`"),
                node.span,
                "Add `source:`.",
            );
        }
        let mut spec = PackageSpec::new(text(reader, "source")?, node.span);
        spec.version = text(reader, "version");
        spec.download_url = text(reader, "pluginDownloadURL");
        spec.parameters = texts(reader, object, "parameters");
        for entry in reader.optional_object(object, "checksums").into_iter().flatten() {
            match entry.value.as_str() {
                Some(digest) => _ = spec.checksums.insert(entry.key.text.to_string(), digest.to_owned()),
                None => reader.wrong_kind(&entry.key.text, &entry.value, "a string"),
            }
        }
        Some(spec)
    }

    /// A package that is in no file yet.
    pub fn of(source: String, version: Option<String>, parameters: Vec<String>) -> Self {
        Self { version, parameters, ..Self::new(source, Span::default()) }
    }

    fn new(source: String, span: Span) -> Self {
        Self { source, version: None, parameters: Vec::new(), download_url: None, checksums: BTreeMap::new(), span }
    }
}

impl PluginOverride {
    /// Those of resource providers. Those of policy packs and language hosts are only validated.
    pub(super) fn read_all<'a>(reader: &mut Reader<'a>, root: &'a Object) -> Vec<Self> {
        let Some(node) = root.get("plugins") else { return Vec::new() };
        let Some(object) = node.as_object() else {
            reader.wrong_kind("plugins", node, "an object");
            return Vec::new();
        };
        let [providers, _, _] = ["providers", "analyzers", "languages"].map(|key| overrides(reader, object, key));
        providers
    }
}

fn overrides<'a>(reader: &mut Reader<'a>, plugins: &'a Object, key: &str) -> Vec<PluginOverride> {
    let Some(node) = plugins.get(key) else { return Vec::new() };
    let Some(items) = node.as_list() else {
        reader.wrong_kind(key, node, "a list");
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        let Some(object) = item.as_object() else {
            reader.wrong_kind(key, item, "an object with `name` and `path`");
            continue;
        };
        reader.only_keys(object, key, &["name", "path", "version"]);
        for required in ["name", "path"] {
            if object.get(required).is_none() {
                let summary = format!("an entry of `{key}` has no `{required}`");
                reader.fail("project-plugin", &summary, item.span, &format!("Add `{required}:`."));
            }
        }
        let mut text = |key: &str| reader.string(object, key).map(|(text, _)| text);
        if let (Some(name), Some(path), version) = (text("name"), text("path"), text("version")) {
            found.push(PluginOverride { name, path, version, span: item.span });
        }
    }
    found
}

fn texts<'a>(reader: &mut Reader<'a>, object: &'a Object, key: &str) -> Vec<String> {
    let Some(node) = object.get(key) else { return Vec::new() };
    let Some(items) = node.as_list() else {
        reader.wrong_kind(key, node, "a list of strings");
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        match item.as_str() {
            Some(text) => found.push(text.to_owned()),
            None => reader.wrong_kind(key, item, "a string"),
        }
    }
    found
}
