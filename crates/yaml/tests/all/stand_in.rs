//! An engine and a package that only record the calls they receive.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_project::packages::Packages;
use outrigger_provider::{
    CallContext, CallResponse, Goal, InvokeGoal, MethodGoal, Monitor, Plugin, PluginDescriptor, Plugins, Program as _,
    ProgramError, ReadGoal, RegisterError, Registered, RunInfo,
};
use outrigger_schema::Package;
use outrigger_syntax::Document;
use outrigger_value::{PropertyDependencies, PropertyMap, ResourceReference, Urn, Value};
use outrigger_yaml::program::Program;
use outrigger_yaml::{Settings, YamlProgram};

const SCHEMA: &str = r##"{
  "name": "test", "version": "1.0.0", "meta": { "moduleFormat": "(.*)(?:/[^/]*)" },
  "provider": { "inputProperties": { "token": { "type": "string", "secret": true } } },
  "types": {
    "test:index:Color": { "type": "string", "enum": [ { "value": "red" }, { "value": "blue" } ] },
    "test:index:Part": { "type": "object", "required": ["size"],
      "properties": { "size": { "type": "integer" }, "label": { "type": "string" } } }
  },
  "resources": {
    "test:index/thing:Thing": {
      "inputProperties": {
        "text": { "type": "string" }, "number": { "type": "number" }, "flag": { "type": "boolean" },
        "password": { "type": "string", "secret": true }, "color": { "$ref": "#/types/test:index:Color" },
        "part": { "$ref": "#/types/test:index:Part" },
        "parts": { "type": "array", "items": { "$ref": "#/types/test:index:Part" } },
        "tags": { "type": "object" }, "any": { "$ref": "pulumi.json#/Any" }, "file": { "$ref": "pulumi.json#/Asset" },
        "other": { "$ref": "#/resources/test:index~1thing:Thing" }
      },
      "properties": {
        "text": { "type": "string" }, "number": { "type": "number" }, "any": { "$ref": "pulumi.json#/Any" },
        "tags": { "type": "object" }, "list": { "type": "array", "items": { "type": "string" } },
        "key": { "type": "string", "secret": true, "replaceOnChanges": true },
        "friend": { "$ref": "#/resources/test:index%2Fthing:Thing" },
        "missing": { "$ref": "pulumi.json#/Any" }
      },
      "required": ["text"], "aliases": [ { "type": "test:index:OldThing" } ]
    },
    "test:index:Strict": { "inputProperties": { "must": { "type": "string" } }, "requiredInputs": ["must"],
      "properties": { "kind": { "type": "string", "const": "Strict" } } },
    "test:index:Component": { "isComponent": true, "inputProperties": { "text": { "type": "string" }, "any": { "$ref": "pulumi.json#/Any" } } }
  },
  "functions": {
    "test:index/echo:echo": { "inputs": { "properties": { "text": { "type": "string" } } },
      "outputs": { "properties": { "text": { "type": "string" }, "length": { "type": "number" } } } },
    "test:index/scalar:scalar": { "inputs": { "properties": { "text": { "type": "string" } } },
      "returnType": { "type": "string" } }
  }
}"##;

struct OnePackage;

#[async_trait]
impl Plugins for OnePackage {
    async fn load(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<dyn Plugin>, Diagnostic> {
        Err(Diagnostic::error("test", format!("{} is not started here", descriptor.name)))
    }

    async fn schema(&self, _: &CallContext, descriptor: &PluginDescriptor) -> Result<Arc<Package>, Diagnostic> {
        match descriptor.package() {
            "test" => Ok(Arc::new(Package::parse(SCHEMA.as_bytes().to_vec()).unwrap())),
            other => {
                Err(Diagnostic::error("plugin-missing", format!("there is no plugin for `{other}`"))
                    .hint("Install it."))
            }
        }
    }
}

/// The registrations of a program.
#[derive(Default)]
pub(crate) struct Records {
    /// Whether the root stack was registered.
    pub(crate) root: bool,
    pub(crate) goals: Vec<Goal>,
    pub(crate) reads: Vec<ReadGoal>,
    pub(crate) invokes: Vec<InvokeGoal>,
    pub(crate) reports: Vec<Diagnostic>,
    pub(crate) outputs: Option<PropertyMap>,
}

/// An engine that creates everything, except resources named `broken`.
pub(crate) struct StandIn {
    stack: Urn,
    run: RunInfo,
    records: Mutex<Records>,
}

/// A run of a program.
pub(crate) struct Done {
    pub(crate) result: Result<(), ProgramError>,
    pub(crate) records: Records,
}

impl Done {
    pub(crate) fn goal(&self, name: &str) -> &Goal {
        self.records
            .goals
            .iter()
            .find(|goal| goal.name == name)
            .unwrap_or_else(|| panic!("no {name}: {:?}", self.reports()))
    }

    pub(crate) fn input(&self, name: &str, property: &str) -> &Value {
        self.goal(name).inputs.get(property).unwrap_or_else(|| panic!("no {property} on {name}"))
    }

    pub(crate) fn output(&self, name: &str) -> Option<&Value> {
        self.records.outputs.as_ref().expect("outputs were registered").get(name)
    }

    /// The errors as `line:column code`, and the warnings likewise after `~`.
    pub(crate) fn reports(&self) -> Vec<String> {
        shown(&self.records.reports)
    }
}

pub(crate) fn shown(diagnostics: &[Diagnostic]) -> Vec<String> {
    let one = |diagnostic: &Diagnostic| {
        assert!(!diagnostic.is_error() || !diagnostic.hints.is_empty(), "without a next step: {diagnostic}");
        let mark = if diagnostic.is_error() { "" } else { "~" };
        let place =
            diagnostic.place.as_ref().map_or("?".to_owned(), |at| format!("{}:{}", at.start.line, at.start.column));
        format!("{mark}{place} {}", diagnostic.code)
    };
    diagnostics.iter().map(one).collect()
}

pub(crate) fn urn(ty: &str, name: &str) -> Urn {
    Urn::new("dev", "shop", None, ty, name)
}

pub(crate) fn thing(name: &str) -> Urn {
    urn("test:index/thing:Thing", name)
}

pub(crate) fn program(
    text: &str,
    config: &[(&str, Value)],
    directory: PathBuf,
) -> Result<YamlProgram, Vec<Diagnostic>> {
    let document = Document::parse("Pulumi.yaml", text)?;
    let config: BTreeMap<String, Value> =
        config.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let settings = Settings {
        project: "shop".to_owned(),
        stack: "dev".to_owned(),
        organization: String::new(),
        root_directory: directory.clone(),
        program_directory: directory,
        type_mismatch: Severity::Error,
    };
    let mut packages = Packages::default();
    packages.insert(PluginDescriptor::named("test", Some("1.0.0".to_owned())));
    let parsed = Program::parse(&document);
    Ok(YamlProgram::new(document, parsed, &config, packages, Arc::new(OnePackage), settings))
}

pub(crate) fn run_with(text: &str, config: &[(&str, Value)], preview: bool) -> Done {
    let program = program(text, config, PathBuf::from("/project")).unwrap_or_else(|errors| panic!("{errors:#?}"));
    run_program(&program, preview)
}

pub(crate) fn run_program(program: &YamlProgram, preview: bool) -> Done {
    let run = RunInfo { preview, ..RunInfo::default() };
    let monitor = StandIn { stack: urn("pulumi:pulumi:Stack", "shop-dev"), run, records: Mutex::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result = runtime.block_on(program.run(&monitor));
    Done { result, records: monitor.records.into_inner().unwrap() }
}

pub(crate) fn run(text: &str) -> Done {
    run_with(text, &[], false)
}

pub(crate) fn preview(text: &str) -> Done {
    run_with(text, &[], true)
}

#[async_trait]
impl Monitor for StandIn {
    fn stack(&self) -> &Urn {
        &self.stack
    }

    fn run(&self) -> &RunInfo {
        &self.run
    }

    async fn register(&self, goal: Goal) -> Result<Registered, RegisterError> {
        if goal.parent.is_none() && goal.ty == self.stack.ty() {
            let mut records = self.records.lock().unwrap();
            assert!(!records.root && records.reports.is_empty(), "the stack is registered once, before anything else");
            records.root = true;
            let (urn, outputs) = (self.stack.clone(), PropertyMap::new());
            return Ok(Registered { urn, id: None, outputs, output_dependencies: PropertyDependencies::new() });
        }
        assert!(self.records.lock().unwrap().root, "{} is registered before the stack", goal.name);
        if goal.name == "broken" {
            return Err(RegisterError::Failed);
        }
        let urn = Urn::new("dev", "shop", goal.parent.as_ref(), &goal.ty, &goal.name);
        let mut outputs = goal.inputs.clone();
        let id = if self.run.preview { Value::Unknown } else { Value::String(format!("id-{}", goal.name)) };
        if !self.run.preview {
            outputs.insert("key".to_owned(), Value::secret("s3cr3t".into()));
            outputs.insert("list".to_owned(), Value::List(vec!["a".into(), "b".into()]));
            outputs.insert(
                "friend".to_owned(),
                Value::from(ResourceReference {
                    urn: thing("friend"),
                    id: Some(Box::new("f".into())),
                    package_version: String::new(),
                }),
            );
        }
        let custom = goal.custom;
        self.records.lock().unwrap().goals.push(goal);
        Ok(Registered {
            urn,
            id: Some(id).filter(|_| custom),
            outputs,
            output_dependencies: PropertyDependencies::new(),
        })
    }

    async fn register_outputs(&self, urn: &Urn, outputs: PropertyMap) -> Result<(), RegisterError> {
        assert_eq!(urn, &self.stack);
        self.records.lock().unwrap().outputs = Some(outputs);
        Ok(())
    }

    async fn read(&self, goal: ReadGoal) -> Result<Registered, RegisterError> {
        let urn = Urn::new("dev", "shop", goal.parent.as_ref(), &goal.ty, &goal.name);
        let id = goal.id.clone();
        let mut outputs = goal.properties.clone();
        if goal.ty == "pulumi:pulumi:StackReference" {
            let others =
                PropertyMap::from([("x".to_owned(), "plain".into()), ("s".to_owned(), Value::secret("hidden".into()))]);
            outputs.insert("outputs".to_owned(), Value::Map(others));
        }
        self.records.lock().unwrap().reads.push(goal);
        Ok(Registered { urn, id, outputs, output_dependencies: PropertyDependencies::new() })
    }

    async fn call(&self, _: MethodGoal) -> Result<CallResponse, RegisterError> {
        Err(RegisterError::Failed)
    }

    async fn invoke(&self, goal: InvokeGoal) -> Result<Option<PropertyMap>, RegisterError> {
        let text = goal.arguments.get("text").cloned().unwrap_or(Value::Null);
        let answer = match goal.token.as_str() {
            "pulumi:pulumi:getResource" => PropertyMap::from([(
                "state".to_owned(),
                Value::Map(PropertyMap::from([("text".to_owned(), "far".into())])),
            )]),
            "test:index/scalar:scalar" => PropertyMap::from([("value".to_owned(), text)]),
            _ => PropertyMap::from([("text".to_owned(), text), ("length".to_owned(), 3.0.into())]),
        };
        self.records.lock().unwrap().invokes.push(goal);
        Ok(Some(answer))
    }

    fn report(&self, diagnostic: Diagnostic) {
        self.records.lock().unwrap().reports.push(diagnostic);
    }
}
