//! The types of expressions, and whether resources and calls get values of the right types.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Severity};
use outrigger_schema::{Property, Returns};
use outrigger_syntax::Span;

use super::Surroundings;
use super::access;
use super::assignment::{From, Mismatch};
use super::names::{self, BUILTIN, Node, Scope};
use super::resolution::Resolved;
use super::types::{Held, Shape, Ty};
use crate::expression::{Expression, Function, Invoke, Kind, Literal};
use crate::interpolation::Access;
use crate::program::{self, Properties};
use crate::suggestion;

pub(super) fn check(around: &Surroundings<'_>, scope: &Scope, resolved: &Resolved, findings: &mut Vec<Diagnostic>) {
    let (types, shared, inputs) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut typing = Typing { around, scope, resolved, types, shared, inputs, findings: RefCell::new(findings) };
    typing.config();
    for node in &scope.order {
        match node {
            Node::Variable(number) => {
                if let Some(variable) = around.program.variables.get(*number) {
                    typing.visit_shared(&variable.value);
                }
            }
            Node::Resource(number) => typing.resource(*number),
        }
        typing.types.clear();
    }
    let others = around.program.outputs.iter().map(|output| &output.value).chain(&around.program.required_version);
    for expression in others {
        typing.visit(expression);
    }
}

/// The types of expressions by address: the program does not move while it is checked.
pub(super) struct Typing<'a, 'f> {
    around: &'a Surroundings<'a>,
    scope: &'a Scope,
    resolved: &'a Resolved,
    /// Those of the resource or variable being checked.
    types: HashMap<*const Expression, Ty>,
    /// Those of variables and of config defaults, which other nodes read.
    shared: HashMap<*const Expression, Ty>,
    /// The inputs of resource types, by the address of their schema: a program has many resources of few types.
    inputs: HashMap<*const outrigger_schema::Resource, Arc<Shape>>,
    findings: RefCell<&'f mut Vec<Diagnostic>>,
}

impl Typing<'_, '_> {
    /// The type of a checked expression.
    pub(super) fn ty(&self, expression: &Expression) -> Ty {
        let address = std::ptr::from_ref(expression);
        self.types.get(&address).or_else(|| self.shared.get(&address)).cloned().unwrap_or(Ty::Unknown)
    }

    fn visit_shared(&mut self, expression: &Expression) {
        self.visit(expression);
        self.shared.insert(std::ptr::from_ref(expression), self.ty(expression));
    }

    fn report(&self, diagnostic: Diagnostic, span: Span) {
        self.findings.borrow_mut().push(diagnostic.at(self.around.document.place(span)));
    }

    fn assert(&self, expression: &Expression, to: &Ty) {
        let from = self.ty(expression);
        if let Err(mismatch) = self.assignable(&from, From::expression(expression), to, 0) {
            self.mismatch(&mismatch, expression.span, &from, to);
        }
    }

    fn mismatch(&self, mismatch: &Mismatch, span: Span, from: &Ty, to: &Ty) {
        let span = mismatch.place().unwrap_or(span);
        let mut innermost = mismatch;
        while let [only] = innermost.because.as_slice() {
            innermost = only;
        }
        let mut diagnostic = match &innermost.special {
            Some(special) => Diagnostic::error(special.code, special.summary.clone()).hint(special.hint.clone()),
            None => Diagnostic::error("yaml-type", format!("{to} is not assignable from {from}"))
                .hint(self.instead(span, to)),
        };
        diagnostic.severity = self.around.type_mismatch;
        self.report(diagnostic.detail(mismatch.tree()), span);
    }

    /// What to write in place of a value of another type; most often the name of a resource or variable stands there as text.
    fn instead(&self, span: Span, to: &Ty) -> String {
        let text = self.around.document.text(span).trim_matches(['"', '\'']);
        match to {
            _ if self.scope.node(text).is_some() => format!("Write `${{{text}}}` instead of `{text}`."),
            Ty::List(_) => "Write a list here, such as `[a, b]`.".to_owned(),
            Ty::Map(_) | Ty::Object(_) => "Write an object here, such as `{key: value}`.".to_owned(),
            to => format!("Write a value of type {to} here."),
        }
    }

    fn visit(&mut self, expression: &Expression) {
        let ty = match &expression.kind {
            Kind::Null => Ty::Unknown,
            Kind::Bool(_) => Ty::Boolean,
            Kind::Number(_) => Ty::Number,
            Kind::String(_) => Ty::String,
            // Parts inside text are not checked beyond their names, because any value can be converted to text.
            Kind::Text(_) => Ty::String,
            Kind::Symbol(access) => self.symbol(access, expression.span),
            Kind::List(items) => {
                items.iter().for_each(|item| self.visit(item));
                let types: Vec<Ty> = items.iter().map(|item| self.ty(item)).collect();
                Ty::list(joined(types))
            }
            Kind::Object(entries) => self.object(entries),
            Kind::Call(function, arguments) => {
                arguments.iter().for_each(|argument| self.visit(argument));
                self.call(*function, arguments)
            }
            Kind::AssetArchive(assets) => {
                assets.values().for_each(|asset| self.visit(asset));
                Ty::Archive
            }
            Kind::Invoke(invoke) => {
                invoke.arguments.iter().for_each(|(_, value)| self.visit(value));
                invoke.options.expressions().for_each(|option| self.visit(option));
                self.invoke(invoke)
            }
            Kind::StackReference(reference) => {
                self.visit(&reference.1);
                Ty::Unknown
            }
        };
        self.types.insert(std::ptr::from_ref(expression), ty);
    }

    fn object(&mut self, entries: &[(Expression, Expression)]) -> Ty {
        let mut literal = Vec::with_capacity(entries.len());
        let mut computed = false;
        for (key, value) in entries {
            self.visit(key);
            self.visit(value);
            match &key.kind {
                Kind::String(name) => literal.push((name.clone(), self.ty(value))),
                _ => computed = true,
            }
        }
        if computed { Ty::Unknown } else { Ty::Literal(literal.into()) }
    }

    fn call(&self, function: Function, arguments: &[Expression]) -> Ty {
        let argument = |number: usize| arguments.get(number);
        let assert = |number: usize, to: Ty| {
            if let Some(argument) = argument(number) {
                self.assert(argument, &to);
            }
        };
        match function {
            Function::ToJson => Ty::String,
            Function::Join => {
                assert(0, Ty::String);
                Ty::String
            }
            Function::Split => {
                assert(0, Ty::String);
                assert(1, Ty::String);
                Ty::list(Ty::String)
            }
            Function::Select => {
                assert(0, Ty::Integer);
                assert(1, Ty::list(Ty::Any));
                match argument(1).map(|values| self.ty(values)) {
                    Some(Ty::List(element)) => (*element).clone(),
                    _ => Ty::Unknown,
                }
            }
            Function::Secret | Function::Unsecret => argument(0).map_or(Ty::Unknown, |argument| self.ty(argument)),
            Function::StringAsset | Function::FileAsset | Function::RemoteAsset => Ty::Asset,
            Function::FileArchive | Function::RemoteArchive => Ty::Archive,
            _ => Ty::Unknown,
        }
    }

    fn symbol(&self, access: &Access, span: Span) -> Ty {
        let root = self.root(&access.root);
        match access::follow(&root, access) {
            Ok(ty) => ty,
            Err(diagnostic) => {
                self.report(*diagnostic, span);
                Ty::Unknown
            }
        }
    }

    fn root(&self, name: &str) -> Ty {
        let program = self.around.program;
        if name == BUILTIN {
            let fields = ["cwd", "organization", "project", "rootDirectory", "stack"];
            return Ty::Literal(fields.map(|field| (Arc::from(field), Ty::String)).into());
        }
        match self.scope.node(name) {
            Some(Node::Resource(number)) => match self.resolved.resources.get(number) {
                Some(Some(found)) => Ty::Resource(Arc::new(Held {
                    token: found.token().to_owned(),
                    schema: Some((found.package.clone(), found.schema.clone())),
                })),
                _ => Ty::Unknown,
            },
            Some(Node::Variable(number)) => {
                program.variables.get(number).map_or(Ty::Unknown, |variable| self.ty(&variable.value))
            }
            None => self.config_type(name),
        }
    }

    fn config_type(&self, name: &str) -> Ty {
        let around = self.around;
        let declared = |name: &str| around.program.config.iter().find(|entry| &*entry.key.text == name);
        let exists = |name: &str| around.config.contains_key(name) || declared(name).is_some();
        let Some(name) = names::config_name(name, around.project, exists) else { return Ty::Unknown };
        match declared(name) {
            Some(entry) => self.declared_type(entry),
            None => around.config.get(name).map_or(Ty::Unknown, Ty::of_value),
        }
    }

    fn declared_type(&self, entry: &program::ConfigEntry) -> Ty {
        match (&entry.default, &entry.ty) {
            // The content of a list or object is not checked through its default: the stack may have other values.
            (Some(default), _) => match self.ty(default) {
                primitive if primitive.is_primitive() => primitive,
                Ty::Literal(_) => Ty::map(Ty::Any),
                _ => Ty::Unknown,
            },
            (None, Some(ty)) => Ty::named(&ty.text),
            (None, None) => Ty::Unknown,
        }
    }

    fn config(&mut self) {
        let around = self.around;
        for entry in &around.program.config {
            if let Some(default) = &entry.default {
                self.visit_shared(default);
            }
        }
        for entry in &around.program.config {
            let Some(value) = around.config.get(&*entry.key.text) else { continue };
            let (declared, actual) = (self.declared_type(entry), Ty::of_value(value));
            let conflict = matches!(
                (&declared, &actual),
                (Ty::Boolean, Ty::Number | Ty::String) | (Ty::Number | Ty::Integer, Ty::Boolean | Ty::String)
            );
            if conflict {
                let summary =
                    format!("config key \"{}\" cannot have conflicting types {declared}, {actual}", entry.key.text);
                let hint = format!("Set a value of type {declared}, or change the declaration.");
                self.report(Diagnostic::error("yaml-config-type", summary).hint(hint), entry.key.span);
            }
        }
    }

    fn invoke(&self, invoke: &Invoke) -> Ty {
        let Some(Some(found)) = self.resolved.invokes.get(invoke.number) else { return Ty::Unknown };
        for (name, _) in &invoke.arguments {
            if !found.schema.inputs.contains_key(&*name.text) {
                let summary = format!("{} does not exist on Invoke {}", name.text, found.schema.token);
                let existing = found.schema.inputs.keys().map(String::as_str);
                let diagnostic = Diagnostic::warning("yaml-unknown-argument", summary);
                self.report(suggestion::suggest(diagnostic, &name.text, existing, "arguments"), name.span);
            }
        }
        match (&found.schema.returns, &invoke.returned) {
            (Returns::Value(ty), None) => Ty::of(&found.package, ty),
            (Returns::Value(ty), Some(returned)) => {
                // A named object type is an object too, but Pulumi does not look into it here.
                let summary = "fn::invoke has a non-object return value";
                let detail = format!("cannot specify property '{}' for function {}", returned.text, found.schema.token);
                self.report(
                    Diagnostic::error("yaml-return", summary).detail(detail).hint("Remove `return`."),
                    returned.span,
                );
                Ty::of(&found.package, ty)
            }
            (Returns::Object(properties), None) => Ty::Object(Arc::new(Shape {
                label: found.schema.token.clone(),
                package: found.package.clone(),
                properties: properties.clone(),
            })),
            (Returns::Object(properties), Some(returned)) => {
                let found_property = properties.iter().find(|(name, _)| name.eq_ignore_ascii_case(&returned.text));
                match found_property {
                    Some((_, property)) => Ty::of(&found.package, &property.ty),
                    None => self.no_return(invoke, returned, properties.keys().map(String::as_str)),
                }
            }
            (Returns::Nothing, Some(returned)) => self.no_return(invoke, returned, std::iter::empty()),
            (Returns::Nothing, None) => Ty::Unknown,
        }
    }

    fn no_return<'n>(&self, invoke: &Invoke, returned: &Literal, existing: impl Iterator<Item = &'n str>) -> Ty {
        let summary = format!("{} does not exist on {}", returned.text, invoke.function.text);
        let diagnostic = Diagnostic::error("yaml-return", summary);
        self.report(suggestion::suggest(diagnostic, &returned.text, existing, "properties"), returned.span);
        Ty::Unknown
    }

    fn resource(&mut self, number: usize) {
        let Some(resource) = self.around.program.resources.get(number) else { return };
        resource.expressions().for_each(|expression| self.visit(expression));
        self.unknown_keys(resource, number);
        let Some(Some(found)) = self.resolved.resources.get(number) else { return };
        let shape = |properties: &std::collections::BTreeMap<String, Property>| Shape {
            label: found.token().to_owned(),
            package: found.package.clone(),
            properties: properties.clone(),
        };
        let inputs =
            self.inputs.entry(Arc::as_ptr(&found.schema)).or_insert_with(|| Arc::new(shape(&found.schema.inputs)));
        let inputs = Arc::clone(inputs);
        let has_properties = match &resource.properties {
            Properties::Map(map) => !map.is_empty(),
            Properties::Whole(_) => true,
        };
        if let Some(get) = &resource.get {
            if has_properties {
                let detail =
                    "properties describe a resource that this stack manages; get describes one that it only reads";
                let diagnostic = Diagnostic::error(
                    "yaml-get-and-properties",
                    "Resource fields properties and get are mutually exclusive",
                );
                self.report(diagnostic.detail(detail).hint("Keep one of the two."), resource.key.span);
            }
            if let Some(id) = &get.id {
                self.assert(id, &Ty::String);
            }
            let mut state = shape(&found.schema.properties);
            state.properties.values_mut().for_each(|property| property.required = false);
            self.bag(resource.key.span, &get.state, &state, self.around.type_mismatch);
        } else {
            match &resource.properties {
                Properties::Map(map) => {
                    // Pulumi leaves a resource without `properties` to its provider, which may know better than the schema.
                    let missing = if resource.has_properties { self.around.type_mismatch } else { Severity::Warning };
                    self.bag(resource.key.span, map, &inputs, missing);
                }
                Properties::Whole(whole) => self.assert(whole, &Ty::Object(inputs)),
            }
        }
        self.option_types(resource);
    }

    /// Checks named properties against a shape; each finding is at its own property.
    fn bag(&self, span: Span, properties: &[program::Property], shape: &Shape, missing: Severity) {
        for property in properties {
            let Some(wanted) = shape.properties.get(&*property.name.text) else {
                let unknown = super::assignment::unknown_property(&property.name.text, shape, Some(property.name.span));
                self.mismatch(&unknown, property.name.span, &Ty::Unknown, &Ty::Unknown);
                continue;
            };
            self.assert(&property.value, &Ty::of(&shape.package, &wanted.ty));
        }
        for (name, property) in shape.properties.iter().filter(|(_, property)| property.required) {
            // The schema supplies a constant.
            if property.constant.is_none() && !properties.iter().any(|given| *given.name.text == **name) {
                let summary = format!("Missing required property '{name}' on '{}'", shape.label);
                let mut diagnostic = Diagnostic::error("yaml-missing-property", summary);
                diagnostic.severity = missing;
                self.report(diagnostic.hint(format!("Add `{name}:` below `properties`.")), span);
            }
        }
    }

    fn option_types(&self, resource: &program::Resource) {
        let options = &resource.options;
        let timeouts = &options.custom_timeouts;
        let resources = || Ty::list(Ty::AnyResource);
        let wanted = [
            (&options.env_var_mappings, Ty::map(Ty::String)),
            (&options.parent, Ty::AnyResource),
            (&options.provider, Ty::AnyResource),
            (&options.deleted_with, Ty::AnyResource),
            (&options.depends_on, resources()),
            (&options.providers, resources()),
            (&options.replace_with, resources()),
            (&options.protect, Ty::Boolean),
            (&timeouts.create, Ty::String),
            (&timeouts.update, Ty::String),
            (&timeouts.delete, Ty::String),
            (&timeouts.read, Ty::String),
        ];
        for (option, ty) in wanted {
            if let Some(option) = option {
                self.assert(option, &ty);
            }
        }
    }

    /// Reports keys that do not belong on a resource, and where they do belong.
    fn unknown_keys(&self, resource: &program::Resource, number: usize) {
        let inputs = self.resolved.resources.get(number).and_then(Option::as_ref);
        for key in &resource.unknown {
            let summary = format!("Resource {} has invalid key '{}'", resource.ty.text, key.text);
            let diagnostic = Diagnostic::error("yaml-unknown-key", summary);
            let is_option = program::OPTION_KEYS.iter().any(|option| option.eq_ignore_ascii_case(&key.text));
            let is_input = inputs.is_some_and(|found| found.schema.inputs.contains_key(&*key.text));
            let diagnostic = match (is_input, is_option) {
                (true, _) => diagnostic
                    .detail(format!("'{}' exists under properties", key.text))
                    .hint(format!("Move `{}:` below `properties:`.", key.text)),
                (false, true) => diagnostic
                    .detail(format!("'{}' exists under options", key.text))
                    .hint(format!("Move `{}:` below `options:`.", key.text)),
                _ => suggestion::suggest(diagnostic, &key.text, program::RESOURCE_KEYS.iter().copied(), "keys"),
            };
            self.report(diagnostic, key.span);
        }
    }
}

/// The element type of a list: the one type of its elements, or one of several. An empty list fits everywhere.
fn joined(mut types: Vec<Ty>) -> Ty {
    match types.len() {
        0 => Ty::Unknown,
        1 => types.remove(0),
        _ => {
            let same = || types.iter().all(|ty| Some(ty.to_string()) == types.first().map(ToString::to_string));
            let same = types.iter().all(Ty::is_primitive) && same();
            if same { types.remove(0) } else { Ty::Union(types.into()) }
        }
    }
}
