//! Code that the targets share: a small package and the way from bytes to a checked program; values of Terraform with their types; a resource.

pub mod cty;
pub mod resource;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_provider::{CallContext, Plugin, PluginDescriptor, Plugins};
use outrigger_schema::Package;
use outrigger_value::Value;
use outrigger_project::packages::Packages;
use outrigger_yaml::program::Program;
use outrigger_syntax::{Document, Kind, Node};
use outrigger_yaml::{Settings, YamlProgram};

/// A schema with every kind of type, some of them recursive.
const SCHEMA: &str = r##"{
  "name": "simple", "version": "2.0.0", "meta": { "moduleFormat": "(.*)(?:/[^/]*)" },
  "types": {
    "simple:index:Color": { "type": "string", "enum": [ { "value": "red" }, { "value": "blue" } ] },
    "simple:index:Tree": { "type": "object", "required": ["name"], "properties": {
      "name": { "type": "string" }, "left": { "$ref": "#/types/simple:index:Tree" },
      "children": { "type": "array", "items": { "$ref": "#/types/simple:index:Tree" } } } }
  },
  "resources": { "simple:index:Resource": {
    "inputProperties": {
      "value": { "type": "boolean" }, "text": { "type": "string", "secret": true }, "number": { "type": "integer" },
      "color": { "$ref": "#/types/simple:index:Color" }, "tree": { "$ref": "#/types/simple:index:Tree" },
      "either": { "oneOf": [ { "type": "string" }, { "type": "array", "items": { "type": "number" } }, { "$ref": "#/types/simple:index:Tree" } ] },
      "map": { "type": "object", "additionalProperties": { "type": "string" } }, "any": { "$ref": "pulumi.json#/Any" },
      "file": { "$ref": "pulumi.json#/Archive" }, "other": { "$ref": "#/resources/simple:index:Resource" } },
    "requiredInputs": ["value"],
    "properties": { "value": { "type": "boolean" }, "tree": { "$ref": "#/types/simple:index:Tree" },
      "list": { "type": "array", "items": { "type": "string" } }, "other": { "$ref": "#/resources/simple:index:Resource" } } } },
  "functions": { "simple:index:call": { "inputs": { "properties": { "value": { "type": "string" } } },
    "outputs": { "properties": { "result": { "type": "string" } } } } }
}"##;

struct OnePackage;

#[async_trait]
impl Plugins for OnePackage {
    async fn load(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        Err(Diagnostic::error("none", format!("{} is not started here", descriptor.name)))
    }

    async fn schema(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic> {
        static PACKAGE: OnceLock<Option<Arc<Package>>> = OnceLock::new();
        let package = PACKAGE.get_or_init(|| Package::parse(SCHEMA.as_bytes().to_vec()).ok().map(Arc::new));
        match package {
            // The seeds name many packages; one schema serves all with the same prefix.
            Some(package) if descriptor.package().starts_with("simple") => Ok(package.clone()),
            _ => Err(Diagnostic::error("none", format!("there is no {}", descriptor.name)).hint("install it")),
        }
    }

    async fn release(&self, _: Arc<dyn Plugin>) {}
}

/// Checks a program.
pub fn check(document: Document) {
    let config = BTreeMap::from([
        ("programs:word".to_owned(), Value::from("x")),
        ("programs:size".to_owned(), Value::Number(5.0)),
        ("programs:hidden".to_owned(), Value::secret(Value::Unknown)),
        ("programs:given".to_owned(), Value::Unknown),
    ]);
    let settings = Settings {
        project: "programs".to_owned(),
        stack: "test".to_owned(),
        organization: String::new(),
        root_directory: PathBuf::from("/nowhere"),
        program_directory: PathBuf::from("/nowhere"),
        type_mismatch: Severity::Error,
    };
    let parsed = Program::parse(&document);
    let program = YamlProgram::new(document, parsed, &config, Packages::default(), Arc::new(OnePackage), settings);
    for finding in futures::executor::block_on(program.check()) {
        assert!(!finding.is_error() || !finding.hints.is_empty(), "without a next step: {finding}");
    }
}

/// Every span is one of the text, and every place can be shown.
pub fn check_spans(document: &Document, node: &Node) {
    assert!(document.source().get(node.span.range()).is_some(), "{:?}", node.span);
    document.place(node.span);
    match &node.kind {
        Kind::List(list) => list.items.iter().for_each(|item| check_spans(document, item)),
        Kind::Object(object) => object.iter().for_each(|entry| {
            assert!(document.source().get(entry.key.span.range()).is_some());
            check_spans(document, &entry.value);
        }),
        _ => {}
    }
}
