//! The package: raw bytes and an index.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decode::{self, Names};
use crate::description;
use crate::token::{Table, shortened};
use crate::{About, Definition, Descriptions, Entry, Function, Property, Resource, Type};

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The bytes are not a schema.
    #[error("the schema cannot be read: {0}")]
    Unreadable(String),
    /// The expression that shortens module names is not a regular expression.
    #[error("the schema's `meta.moduleFormat` `{format}` is not a regular expression: {reason}")]
    ModuleFormat {
        /// The expression.
        format: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// One entry cannot be read.
    #[error("the schema's entry `{token}` cannot be read: {reason}")]
    Entry {
        /// Its token.
        token: String,
        /// Why it cannot be read.
        reason: String,
    },
}

/// A package schema. Parsing creates an index; entries are decoded on demand, and cached.
pub struct Package {
    text: String,
    name: String,
    version: String,
    download_url: Option<String>,
    about: About,
    format: Option<Regex>,
    provider: Option<Range<usize>>,
    config: Option<Range<usize>>,
    resources: Section<Resource>,
    functions: Section<Function>,
    types: Section<Definition>,
}

/// One kind of entry: the range of each, and the decoded ones.
struct Section<T> {
    ranges: BTreeMap<String, Range<usize>>,
    table: OnceLock<Table>,
    decoded: Mutex<HashMap<String, Arc<T>>>,
}

impl Package {
    /// Reads the outline of a schema.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, SchemaError> {
        let text = String::from_utf8(bytes).map_err(|error| SchemaError::Unreadable(error.to_string()))?;
        let outline: Outline<'_> =
            serde_json::from_str(&text).map_err(|error| SchemaError::Unreadable(error.to_string()))?;
        if outline.name.is_empty() {
            return Err(SchemaError::Unreadable("it has no `name`".to_owned()));
        }
        let format =
            match outline.meta.module_format.as_deref() {
                None | Some("") => None,
                Some(format) => Some(Regex::new(format).map_err(|error| SchemaError::ModuleFormat {
                    format: format.to_owned(),
                    reason: error.to_string(),
                })?),
            };
        let base = text.as_ptr() as usize;
        let range = |raw: &RawValue| {
            let start = raw.get().as_ptr() as usize - base;
            start..start + raw.get().len()
        };
        let section = |entries: HashMap<Cow<'_, str>, &RawValue>| {
            entries.into_iter().map(|(token, raw)| (token.into_owned(), range(raw))).collect()
        };
        let (resources, functions, types) =
            (section(outline.resources), section(outline.functions), section(outline.types));
        let version = outline.version.as_deref().unwrap_or_default();
        Ok(Self {
            name: outline.name.into_owned(),
            version: version.strip_prefix('v').unwrap_or(version).to_owned(),
            download_url: outline.plugin_download_url.as_deref().filter(|url| !url.is_empty()).map(str::to_owned),
            about: description::about([
                outline.display_name,
                outline.description,
                outline.publisher,
                outline.homepage,
                outline.repository,
            ]),
            format,
            provider: outline.provider.map(range),
            config: outline.config.map(range),
            resources: Section::new(resources),
            functions: Section::new(functions),
            types: Section::new(types),
            text,
        })
    }

    /// The package `pulumi`, which the engine has inside.
    pub fn builtin() -> Arc<Self> {
        static BUILTIN: LazyLock<Arc<Package>> = LazyLock::new(|| {
            Arc::new(
                Package::parse(crate::builtin::SCHEMA.as_bytes().to_vec()).unwrap_or_else(|_| Package::empty("pulumi")),
            )
        });
        BUILTIN.clone()
    }

    fn empty(name: &str) -> Self {
        Self {
            text: String::new(),
            name: name.to_owned(),
            version: String::new(),
            download_url: None,
            about: About::default(),
            format: None,
            provider: None,
            config: None,
            resources: Section::new(BTreeMap::new()),
            functions: Section::new(BTreeMap::new()),
            types: Section::new(BTreeMap::new()),
        }
    }

    /// The package's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The package's version, without a leading `v`; empty if the schema has none.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The URL to download the plugin from, if the schema has one.
    pub fn download_url(&self) -> Option<&str> {
        self.download_url.as_deref()
    }

    /// The package's description of itself.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The descriptions of an entry, decoded at each call; empty if there is no such entry.
    pub fn descriptions(&self, entry: Entry<'_>) -> Descriptions {
        self.range(entry).map(|range| description::descriptions(self.slice(range))).unwrap_or_default()
    }

    /// The description of an entry alone, which is much less work.
    pub fn summary(&self, entry: Entry<'_>) -> String {
        self.range(entry).map(|range| description::summary(self.slice(range))).unwrap_or_default()
    }

    fn range(&self, entry: Entry<'_>) -> Option<Range<usize>> {
        match entry {
            Entry::Resource(token) if self.is_provider(token) => self.provider.clone(),
            Entry::Resource(token) => self.resources.ranges.get(token).cloned(),
            Entry::Function(token) => self.functions.ranges.get(token).cloned(),
            Entry::Type(token) => self.types.ranges.get(token).cloned(),
            Entry::Config => self.config.clone(),
        }
    }

    /// The schema as it came.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The full token of a resource type as a user writes it. The provider's own type resolves to itself.
    pub fn resolve_resource(&self, written: &str) -> Option<String> {
        if self.is_provider(written) {
            return Some(written.to_owned());
        }
        self.resources.table(self.format.as_ref()).resolve(written).map(str::to_owned)
    }

    /// The full token of a function as a user writes it.
    pub fn resolve_function(&self, written: &str) -> Option<String> {
        self.functions.table(self.format.as_ref()).resolve(written).map(str::to_owned)
    }

    /// The full token of an object type or enumeration as a user writes it.
    pub fn resolve_type(&self, written: &str) -> Option<String> {
        self.types.table(self.format.as_ref()).resolve(written).map(str::to_owned)
    }

    /// The module of a token as a user writes it; empty for the module `index`.
    pub fn module<'t>(&self, token: &'t str) -> &'t str {
        let module =
            token.split(':').nth(1).map_or("index", |module| shortened(&self.name, module, self.format.as_ref()));
        if module == "index" { "" } else { module }
    }

    /// The shortest way to write a token of three parts that leads back to it.
    pub fn short(&self, token: &str, resolve: impl Fn(&Self, &str) -> Option<String>) -> String {
        let Some((package, rest)) = token.split_once(':') else { return token.to_owned() };
        let name = rest.rsplit(':').next().unwrap_or_default();
        let leads_back = |short: &String| resolve(self, short).as_deref() == Some(token);
        let shorter = [format!("{package}:{name}"), format!("{package}:{}:{name}", self.module(token))];
        shorter.into_iter().find(leads_back).unwrap_or_else(|| token.to_owned())
    }

    /// A resource by its full token; `pulumi:providers:NAME` gives the provider.
    pub fn resource(&self, token: &str) -> Result<Option<Arc<Resource>>, SchemaError> {
        let (range, is_provider) = match self.is_provider(token) {
            true => (self.provider.clone(), true),
            false => (self.resources.ranges.get(token).cloned(), false),
        };
        let Some(range) = range else {
            // A schema without a provider still has one, without settings.
            let bare = is_provider.then(|| Arc::new(Resource { token: token.to_owned(), ..Resource::default() }));
            return Ok(bare);
        };
        self.resources.decoded(token, || {
            let mut resource = decode::resource(self.slice(range), token, &self.names())?;
            if is_provider {
                // Pulumi's binder keeps only strings among a provider's outputs, because the others arrive as JSON in strings.
                resource.properties.retain(|_, property| self.is_text(property));
            }
            Ok(resource)
        })
    }

    /// A function by its full token.
    pub fn function(&self, token: &str) -> Result<Option<Arc<Function>>, SchemaError> {
        let Some(range) = self.functions.ranges.get(token).cloned() else { return Ok(None) };
        self.functions.decoded(token, || decode::function(self.slice(range), token, &self.names()))
    }

    /// An object type or enumeration by its full token.
    pub fn ty(&self, token: &str) -> Result<Option<Arc<Definition>>, SchemaError> {
        let Some(range) = self.types.ranges.get(token).cloned() else { return Ok(None) };
        self.types.decoded(token, || decode::definition(self.slice(range), token, &self.names()))
    }

    /// The paths of every property whose change forces a replacement, nested ones included: `a`, `list[*].b`, `map.*.c`.
    pub fn replace_on_changes(&self, resource: &Resource) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = Vec::new();
        self.replacing(&resource.properties, "", &mut open, &mut found);
        found
    }

    fn replacing(
        &self,
        properties: &BTreeMap<String, Property>,
        prefix: &str,
        open: &mut Vec<String>,
        found: &mut Vec<String>,
    ) {
        for (name, property) in properties {
            let suffix = match property.ty {
                Type::List(_) => "[*]",
                Type::Map(_) => ".*",
                _ => "",
            };
            let path = format!("{prefix}{name}{suffix}");
            if property.replace_on_changes {
                found.push(path);
                continue;
            }
            let mut element = &property.ty;
            while let Type::List(inner) | Type::Map(inner) = element {
                element = inner;
            }
            let Type::Named(reference) = element else { continue };
            // A type inside itself ends here: its paths have no end.
            if reference.external.is_some() || open.contains(&reference.token) {
                continue;
            }
            if let Ok(Some(definition)) = self.ty(&reference.token)
                && let Definition::Object(object) = &*definition
            {
                open.push(reference.token.clone());
                self.replacing(&object.properties, &format!("{path}."), open, found);
                open.pop();
            }
        }
    }

    /// The package's configuration keys.
    pub fn config(&self) -> Result<BTreeMap<String, Property>, SchemaError> {
        let Some(range) = self.config.clone() else { return Ok(BTreeMap::new()) };
        decode::config(self.slice(range), &self.names()).map_err(|error| entry_error("config", &error))
    }

    /// The tokens of every resource type, sorted.
    pub fn resource_tokens(&self) -> impl Iterator<Item = &str> {
        self.resources.ranges.keys().map(String::as_str)
    }

    /// The tokens of every function, sorted.
    pub fn function_tokens(&self) -> impl Iterator<Item = &str> {
        self.functions.ranges.keys().map(String::as_str)
    }

    /// The tokens of every object type and enumeration, sorted.
    pub fn type_tokens(&self) -> impl Iterator<Item = &str> {
        self.types.ranges.keys().map(String::as_str)
    }

    fn is_provider(&self, token: &str) -> bool {
        token.strip_prefix("pulumi:providers:").is_some_and(|name| name == self.name)
    }

    fn is_text(&self, property: &Property) -> bool {
        match &property.ty {
            Type::String => true,
            Type::Named(reference) => match self.ty(&reference.token) {
                Ok(Some(definition)) => {
                    matches!(&*definition, Definition::Enum(values) if values.element == Type::String)
                }
                _ => reference.underlying.as_deref() == Some(&Type::String),
            },
            _ => false,
        }
    }

    fn names(&self) -> Names<'_> {
        Names { name: &self.name, version: &self.version }
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}

impl fmt::Debug for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Package")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("resources", &self.resources.ranges.len())
            .field("functions", &self.functions.ranges.len())
            .field("types", &self.types.ranges.len())
            .finish_non_exhaustive()
    }
}

impl<T> Section<T> {
    fn new(ranges: BTreeMap<String, Range<usize>>) -> Self {
        Self { ranges, table: OnceLock::new(), decoded: Mutex::new(HashMap::new()) }
    }

    fn table(&self, format: Option<&Regex>) -> &Table {
        self.table.get_or_init(|| Table::new(self.ranges.keys().map(String::as_str), format))
    }

    fn decoded(
        &self,
        token: &str,
        decode: impl FnOnce() -> serde_json::Result<T>,
    ) -> Result<Option<Arc<T>>, SchemaError> {
        // The lock is not held while decoding, which may ask for another entry; two threads may then decode the same one.
        let kept = self.decoded.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned();
        if kept.is_some() {
            return Ok(kept);
        }
        let entry = Arc::new(decode().map_err(|error| entry_error(token, &error))?);
        let mut decoded = self.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(decoded.entry(token.to_owned()).or_insert(entry).clone()))
    }
}

fn entry_error(token: &str, error: &serde_json::Error) -> SchemaError {
    SchemaError::Entry { token: token.to_owned(), reason: error.to_string() }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outline<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    version: Option<Cow<'a, str>>,
    #[serde(default)]
    display_name: Option<Cow<'a, str>>,
    #[serde(default)]
    description: Option<Cow<'a, str>>,
    #[serde(default)]
    publisher: Option<Cow<'a, str>>,
    #[serde(default)]
    homepage: Option<Cow<'a, str>>,
    #[serde(default)]
    repository: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "pluginDownloadURL")]
    plugin_download_url: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    meta: Meta<'a>,
    #[serde(borrow, default)]
    provider: Option<&'a RawValue>,
    #[serde(borrow, default)]
    config: Option<&'a RawValue>,
    #[serde(borrow, default)]
    resources: HashMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    functions: HashMap<Cow<'a, str>, &'a RawValue>,
    #[serde(borrow, default)]
    types: HashMap<Cow<'a, str>, &'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Meta<'a> {
    #[serde(borrow)]
    module_format: Option<Cow<'a, str>>,
}

#[cfg(test)]
mod tests {
    use outrigger_value::Value;

    use super::*;
    use crate::{External, Reference, Returns};

    const SCHEMA: &str = r##"{
      "name": "shop", "version": "v1.2.3", "meta": { "moduleFormat": "(.*)(?:/[^/]*)" },
      "config": { "variables": { "region": { "type": "string", "secret": true } } },
      "provider": {
        "inputProperties": { "region": { "type": "string" }, "size": { "type": "number" } },
        "properties": { "region": { "type": "string" }, "size": { "type": "number" }, "kind": { "$ref": "#/types/shop:index:Kind" } }
      },
      "types": {
        "shop:index:Kind": { "type": "string", "enum": [ { "name": "A", "value": "a" }, { "value": "b" } ] },
        "shop:index:Part": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }
      },
      "resources": {
        "shop:index/item:Item": {
          "inputProperties": {
            "parts": { "type": "array", "items": { "$ref": "#/types/shop:index:Part" } },
            "where": { "oneOf": [ { "type": "string" }, { "$ref": "/other/v2.0.0/schema.json#/types/other:a%2Fb:C" } ] },
            "dangling": { "type": "string", "$ref": "#/types/shop:index:Gone" },
            "file": { "$ref": "pulumi.json#/Asset" },
            "tags": { "type": "object" }
          },
          "requiredInputs": ["parts"],
          "properties": { "apiVersion": { "type": "string", "const": "v1" }, "key": { "type": "string", "secret": true, "replaceOnChanges": true } },
          "required": ["key"],
          "aliases": [ { "type": "shop:index:Old" }, {} ], "isComponent": false
        }
      },
      "functions": {
        "shop:index/scalar:scalar": { "inputs": { "properties": { "x": { "type": "string" } }, "required": ["x"] }, "returnType": { "type": "boolean" }, "multiArgumentInputs": ["x"] },
        "shop:index/object:object": { "outputs": { "properties": { "y": { "type": "number" } } } },
        "shop:index/inline:inline": { "returnType": { "type": "object", "properties": { "z": { "type": "number" } } } }
      }
    }"##;

    fn package() -> Package {
        Package::parse(SCHEMA.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn decodes_a_resource_on_demand() {
        let package = package();
        assert_eq!((package.name(), package.version()), ("shop", "1.2.3"));
        let token = package.resolve_resource("shop:Item").unwrap();
        let item = package.resource(&token).unwrap().unwrap();
        assert_eq!(item.aliases, ["shop:index:Old"]);
        assert!(item.inputs["parts"].required && !item.inputs["where"].required);
        let named = |token: &str, external: Option<External>, underlying: Option<Type>| {
            Type::Named(Reference { token: token.to_owned(), external, underlying: underlying.map(Box::new) })
        };
        assert_eq!(item.inputs["parts"].ty, Type::List(Box::new(named("shop:index:Part", None, None))));
        let external = External { package: "other".to_owned(), version: "2.0.0".to_owned() };
        assert_eq!(
            item.inputs["where"].ty,
            Type::Union(vec![Type::String, named("other:a/b:C", Some(external), None)])
        );
        assert_eq!(item.inputs["dangling"].ty, named("shop:index:Gone", None, Some(Type::String)));
        assert_eq!(item.inputs["file"].ty, Type::Asset);
        assert_eq!(item.inputs["tags"].ty, Type::Map(Box::new(Type::String)));
        assert_eq!(item.properties["apiVersion"].constant, Some(Value::from("v1")));
        assert!(item.properties["key"].secret && item.properties["key"].replace_on_changes);
        assert!(Arc::ptr_eq(&item, &package.resource(&token).unwrap().unwrap()));
    }

    #[test]
    fn decodes_functions_types_and_the_provider() {
        let package = package();
        let returns = |written: &str| {
            let token = package.resolve_function(written).unwrap();
            package.function(&token).unwrap().unwrap().returns.clone()
        };
        assert_eq!(returns("shop:scalar"), Returns::Value(Type::Boolean));
        assert!(matches!(returns("shop:object"), Returns::Object(map) if map.contains_key("y")));
        assert!(matches!(returns("shop:inline"), Returns::Object(map) if map.contains_key("z")));
        let kind = package.ty("shop:index:Kind").unwrap().unwrap();
        assert!(
            matches!(&*kind, Definition::Enum(values) if values.values.len() == 2 && values.element == Type::String)
        );
        let provider = package.resource("pulumi:providers:shop").unwrap().unwrap();
        assert_eq!(provider.inputs.keys().collect::<Vec<_>>(), ["region", "size"]);
        assert_eq!(provider.properties.keys().collect::<Vec<_>>(), ["kind", "region"]);
        assert!(package.config().unwrap()["region"].secret);
        assert_eq!(package.resolve_resource("pulumi:providers:other"), None);
    }

    #[test]
    fn tokens_are_shortened_and_entries_described() {
        let package = package();
        let item = "shop:index/item:Item";
        assert_eq!((package.module(item), &*package.short(item, Package::resolve_resource)), ("", "shop:Item"));
        assert_eq!(package.short("shop:gone:X", Package::resolve_resource), "shop:gone:X");
        assert_eq!(package.resolve_type("shop:Kind").as_deref(), Some("shop:index:Kind"));
        let schema = r#"{"name": "p", "publisher": "Us", "description": null,
            "types": {"p:m:T": {"description": "A type.", "properties": {"a": {"description": "An a."}}}}}"#;
        let package = Package::parse(schema.as_bytes().to_vec()).unwrap();
        assert_eq!((&*package.about().publisher, &*package.about().description), ("Us", ""));
        assert_eq!((package.module("p:m:T"), &*package.summary(Entry::Type("p:m:T"))), ("m", "A type."));
        assert_eq!(package.descriptions(Entry::Type("p:m:T")).properties["a"], "An a.");
        assert_eq!(package.descriptions(Entry::Resource("p:m:T")), Descriptions::default());
    }

    #[test]
    fn finds_nested_paths_that_force_a_replacement() {
        let schema = r##"{ "name": "p", "types": {
            "p:index:Inner": { "type": "object", "properties": {
              "x": { "type": "string", "replaceOnChanges": true }, "self": { "$ref": "#/types/p:index:Inner" } } } },
          "resources": { "p:index:R": { "properties": {
            "a": { "type": "string", "replaceOnChanges": true }, "b": { "type": "string" },
            "l": { "type": "array", "items": { "$ref": "#/types/p:index:Inner" } },
            "m": { "type": "object", "additionalProperties": { "$ref": "#/types/p:index:Inner" }, "replaceOnChanges": true } } } } }"##;
        let package = Package::parse(schema.as_bytes().to_vec()).unwrap();
        let resource = package.resource("p:index:R").unwrap().unwrap();
        assert_eq!(package.replace_on_changes(&resource), ["a", "l[*].x", "m.*"]);
    }

    #[test]
    fn broken_schemas_are_errors() {
        for text in
            ["", "[]", "{}", r#"{"name": "x", "meta": {"moduleFormat": "("}}"#, r#"{"name": "x", "resources": 1}"#]
        {
            assert!(Package::parse(text.as_bytes().to_vec()).is_err(), "{text}");
        }
        assert!(Package::parse(vec![0xff]).is_err());
        let package = Package::parse(br#"{"name": "x", "resources": {"x:index:Y": 1}}"#.to_vec()).unwrap();
        let error = package.resource("x:index:Y").unwrap_err().to_string();
        assert!(error.contains("`x:index:Y`"), "{error}");
    }

    #[test]
    fn the_builtin_package_has_its_two_resources() {
        let package = Package::builtin();
        assert_eq!(package.resolve_resource("pulumi:Stash").as_deref(), Some("pulumi:index:Stash"));
        let reference = package.resource("pulumi:pulumi:StackReference").unwrap().unwrap();
        assert_eq!(reference.properties["outputs"].ty, Type::Map(Box::new(Type::Any)));
    }
}
