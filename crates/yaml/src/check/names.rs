//! Names: their meanings, their dependencies, and their order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_syntax::Span;

use super::Surroundings;
use crate::expression::{Expression, Kind, Literal};
use crate::program::ConfigEntry;
use crate::suggestion;

/// The name of the built-in values.
pub(crate) const BUILTIN: &str = "pulumi";

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Node {
    /// A resource, by its number.
    Resource(usize),
    /// A variable, by its number.
    Variable(usize),
}

/// Names, dependencies and order of a program.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    nodes: HashMap<Arc<str>, Node>,
    /// The dependencies of each resource.
    pub(crate) resources: Vec<Box<[Node]>>,
    /// The dependencies of each variable.
    pub(crate) variables: Vec<Box<[Node]>>,
    /// The nodes that another node or an output reads.
    pub(crate) read: HashSet<Node>,
    /// Dependencies before dependents, otherwise resources and then variables in the order of the file.
    pub(crate) order: Vec<Node>,
    /// Whether there is a dependency cycle, which makes typing impossible.
    pub(crate) is_cyclic: bool,
    /// The provider that each resource gets because it is the default provider of its package.
    pub(crate) default_providers: HashMap<usize, usize>,
    /// The same for variables that are a call to a package's function.
    pub(crate) invoke_providers: HashMap<usize, usize>,
}

impl Scope {
    /// The resource or variable of a name.
    pub(crate) fn node(&self, name: &str) -> Option<Node> {
        self.nodes.get(name).copied()
    }
}

/// The config value that a name refers to: as written, or without the project's own prefix.
pub(crate) fn config_name<'a>(name: &'a str, project: &str, exists: impl Fn(&str) -> bool) -> Option<&'a str> {
    let stripped = name.strip_prefix(project).and_then(|rest| rest.strip_prefix(':'));
    [Some(name), stripped].into_iter().flatten().find(|name| exists(name))
}

pub(super) fn check(around: &Surroundings<'_>, findings: &mut Vec<Diagnostic>) -> Scope {
    let mut names = Names { around, findings, scope: Scope::default() };
    names.declare();
    names.defaults();
    names.edges();
    names.outputs();
    names.order();
    names.scope
}

struct Names<'a, 'f> {
    around: &'a Surroundings<'a>,
    findings: &'f mut Vec<Diagnostic>,
    scope: Scope,
}

impl Names<'_, '_> {
    fn error(&mut self, span: Span, code: &'static str, summary: String, hint: &str) {
        let place = self.around.document.place(span);
        self.findings.push(Diagnostic::error(code, summary).at(place).hint(hint));
    }

    fn declare(&mut self) {
        let program = self.around.program;
        let resources = program.resources.iter().enumerate().map(|(n, r)| (&r.key, Node::Resource(n)));
        let variables = program.variables.iter().enumerate().map(|(n, v)| (&v.name, Node::Variable(n)));
        for (number, entry) in program.config.iter().enumerate() {
            if &*entry.key.text == BUILTIN {
                self.reserved("config", &entry.key);
            }
            self.default(number, entry);
        }
        self.scope.nodes.reserve(program.resources.len() + program.variables.len());
        for (name, node) in resources.chain(variables) {
            self.declare_one(name, node);
        }
    }

    /// A default may read config values of the stack, and those declared before it.
    fn default(&mut self, number: usize, entry: &ConfigEntry) {
        let around = self.around;
        let Some(default) = entry.default.as_ref().filter(|_| !around.config.contains_key(&*entry.key.text)) else {
            return;
        };
        let earlier = around.program.config.get(..number).unwrap_or_default();
        let exists =
            |name: &str| around.config.contains_key(name) || earlier.iter().any(|entry| &*entry.key.text == name);
        let mut missing: Vec<(&str, Span)> = Vec::new();
        default.roots(&mut |access, span| {
            if access.root != BUILTIN && config_name(&access.root, around.project, exists).is_none() {
                missing.push((&access.root, span));
            }
        });
        for (name, span) in missing {
            let summary = format!("config value \"{name}\" not found");
            let hint = "A default can only read config values that the stack has or that are declared before it.";
            self.error(span, "yaml-unknown-name", summary, hint);
        }
    }

    fn declare_one(&mut self, name: &Literal, node: Node) {
        let kind = kind(node);
        let text = &name.text;
        if &**text == BUILTIN {
            return self.reserved(kind, name);
        }
        if self.around.program.config.iter().any(|entry| entry.key.text == *text) {
            let summary = format!("{kind} {text} cannot have the same name as config {text}");
            return self.error(name.span, "yaml-duplicate-name", summary, "Rename one of the two.");
        }
        if self.around.config.contains_key(&**text) {
            // Pulumi reports nothing here and never creates the resource.
            let summary = format!("{kind} {text} cannot have the same name as the stack's config value {text}");
            return self.error(name.span, "yaml-duplicate-name", summary, "Rename it, or remove the config value.");
        }
        if let Some(other) = self.scope.node(text) {
            let other = self::kind(other);
            let summary = match other == kind {
                true => format!("found duplicate {kind} {text}"),
                false => format!("{kind} {text} cannot have the same name as {other} {text}"),
            };
            return self.error(name.span, "yaml-duplicate-name", summary, "Rename one of the two.");
        }
        self.scope.nodes.insert(text.clone(), node);
    }

    fn reserved(&mut self, kind: &str, name: &Literal) {
        let summary = format!("{kind} {} uses the reserved name pulumi", name.text);
        self.error(name.span, "yaml-reserved-name", summary, "Choose another name.");
    }

    /// Providers with `defaultProvider: true`, and the resources that use them.
    fn defaults(&mut self) {
        let program = self.around.program;
        let mut defaults: HashMap<&str, usize> = HashMap::new();
        for (number, resource) in program.resources.iter().enumerate().filter(|(_, resource)| resource.default_provider)
        {
            match resource.ty.text.strip_prefix("pulumi:providers:") {
                Some(package) => {
                    defaults.insert(package, number);
                }
                None => self.error(
                    resource.key.span,
                    "yaml-default-provider",
                    "cannot set defaultProvider on non-provider resource".to_owned(),
                    "Remove defaultProvider, or use a resource of type pulumi:providers:NAME.",
                ),
            }
        }
        for (number, resource) in program.resources.iter().enumerate() {
            let options = &resource.options;
            let package = resource.ty.text.split(':').next().unwrap_or_default();
            let Some(&default) = defaults.get(package) else { continue };
            if options.provider.is_some() || resource.ty.text.starts_with("pulumi:providers:") {
                continue;
            }
            let Some(provider) = program.resources.get(default) else { continue };
            let given = [&options.version, &options.plugin_download_url];
            let wanted = [&provider.options.version, &provider.options.plugin_download_url];
            self.conflicts(&resource.key, given, wanted);
            self.scope.default_providers.insert(number, default);
        }
        for (number, variable) in program.variables.iter().enumerate() {
            let Kind::Invoke(invoke) = &variable.value.kind else { continue };
            let package = invoke.function.text.split(':').next().unwrap_or_default();
            let Some(&default) = defaults.get(package) else { continue };
            if invoke.options.provider.is_some() {
                continue;
            }
            self.conflicts(
                &variable.name,
                [&invoke.options.version, &invoke.options.plugin_download_url],
                [&None, &None],
            );
            self.scope.invoke_providers.insert(number, default);
        }
    }

    fn conflicts(&mut self, name: &Literal, given: [&Option<Literal>; 2], wanted: [&Option<Literal>; 2]) {
        for ((given, wanted), what) in given.into_iter().zip(wanted).zip(["Version", "PluginDownloadURL"]) {
            let Some(given) = given else { continue };
            if wanted.as_ref().is_none_or(|wanted| wanted.text != given.text) {
                let summary = format!("{what} of \"{}\" conflicts with the default provider's", name.text);
                self.error(given.span, "yaml-default-provider", summary, "Remove this option, or name a provider.");
            }
        }
    }

    fn edges(&mut self) {
        let program = self.around.program;
        self.scope.resources.reserve_exact(program.resources.len());
        for (number, resource) in program.resources.iter().enumerate() {
            let mut needs = self.needs(resource.expressions());
            needs.extend(self.scope.default_providers.get(&number).map(|&provider| Node::Resource(provider)));
            self.scope.resources.push(unique(needs));
        }
        for (number, variable) in program.variables.iter().enumerate() {
            let mut needs = self.needs([&variable.value].into_iter());
            needs.extend(self.scope.invoke_providers.get(&number).map(|&provider| Node::Resource(provider)));
            self.scope.variables.push(unique(needs));
        }
    }

    fn outputs(&mut self) {
        let program = self.around.program;
        self.needs(program.outputs.iter().map(|output| &output.value));
        self.needs(program.required_version.iter());
    }

    fn needs<'e>(&mut self, expressions: impl Iterator<Item = &'e Expression>) -> Vec<Node> {
        let mut roots: Vec<(&str, Span)> = Vec::new();
        expressions.for_each(|expression| expression.roots(&mut |access, span| roots.push((&access.root, span))));
        let mut needs = Vec::new();
        for (name, span) in roots {
            match self.scope.node(name) {
                Some(node) => {
                    needs.push(node);
                    self.scope.read.insert(node);
                }
                None if name == BUILTIN || self.is_config(name) => {}
                None => self.missing(name, span),
            }
        }
        needs
    }

    fn is_config(&self, name: &str) -> bool {
        let around = self.around;
        let exists = |name: &str| {
            around.config.contains_key(name) || around.program.config.iter().any(|entry| &*entry.key.text == name)
        };
        config_name(name, around.project, exists).is_some()
    }

    fn missing(&mut self, name: &str, span: Span) {
        let place = self.around.document.place(span);
        let summary = format!("resource, variable, or config value \"{name}\" not found");
        let diagnostic = Diagnostic::error("yaml-unknown-name", summary).at(place);
        let existing = self.scope.nodes.keys().map(|name| &**name).chain(self.around.config.keys().map(String::as_str));
        self.findings.push(suggestion::suggest(diagnostic, name, existing.chain([BUILTIN]), "names"));
    }

    /// Depth first, with an explicit stack: a chain of ten thousand resources is a legal program.
    fn order(&mut self) {
        let resources = self.scope.resources.len();
        let all = (0..resources).map(Node::Resource).chain((0..self.scope.variables.len()).map(Node::Variable));
        let slot = |node: Node| match node {
            Node::Resource(number) => number,
            Node::Variable(number) => resources + number,
        };
        let mut state = vec![State::New; resources + self.scope.variables.len()];
        let mut order = Vec::with_capacity(state.len());
        let mut cycles: Vec<(Node, Node)> = Vec::new();
        for start in all {
            let mut stack = vec![(start, 0)];
            while let Some((node, edge)) = stack.pop() {
                if edge == 0 {
                    match state.get(slot(node)) {
                        Some(State::New) => set(&mut state, slot(node), State::Open),
                        _ => continue,
                    }
                }
                match self.needs_of(node).get(edge).copied() {
                    None => {
                        set(&mut state, slot(node), State::Done);
                        order.push(node);
                    }
                    Some(next) => {
                        stack.push((node, edge + 1));
                        match state.get(slot(next)) {
                            Some(State::New) => stack.push((next, 0)),
                            Some(State::Open) => cycles.push((node, next)),
                            _ => {}
                        }
                    }
                }
            }
        }
        self.scope.order = order;
        self.scope.is_cyclic = !cycles.is_empty();
        for (from, to) in cycles {
            let (name, span) = (self.name(to), self.reference(from, to));
            let summary = format!("circular dependency of {} '{name}' transitively on itself", kind(to));
            self.error(span, "yaml-cycle", summary, "Remove one of the references in the cycle.");
        }
    }

    fn needs_of(&self, node: Node) -> &[Node] {
        match node {
            Node::Resource(number) => self.scope.resources.get(number),
            Node::Variable(number) => self.scope.variables.get(number),
        }
        .map(|needs| &**needs)
        .unwrap_or_default()
    }

    fn name(&self, node: Node) -> Arc<str> {
        let program = self.around.program;
        match node {
            Node::Resource(number) => program.resources.get(number).map(|resource| &resource.key),
            Node::Variable(number) => program.variables.get(number).map(|variable| &variable.name),
        }
        .map(|name| Arc::clone(&name.text))
        .unwrap_or_default()
    }

    /// The place where one node reads another.
    fn reference(&self, from: Node, to: Node) -> Span {
        let program = self.around.program;
        let name = self.name(to);
        let mut found = None;
        let mut look = |expression: &Expression| {
            expression.roots(&mut |access, span| {
                if found.is_none() && *access.root == *name {
                    found = Some(span);
                }
            });
        };
        match from {
            Node::Resource(number) => {
                if let Some(resource) = program.resources.get(number) {
                    resource.expressions().for_each(&mut look);
                    return found.unwrap_or(resource.key.span);
                }
            }
            Node::Variable(number) => {
                if let Some(variable) = program.variables.get(number) {
                    look(&variable.value);
                    return found.unwrap_or(variable.name.span);
                }
            }
        }
        Span::default()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

fn set(states: &mut [State], at: usize, to: State) {
    if let Some(state) = states.get_mut(at) {
        *state = to;
    }
}

fn kind(node: Node) -> &'static str {
    match node {
        Node::Resource(_) => "resource",
        Node::Variable(_) => "variable",
    }
}

fn unique(mut nodes: Vec<Node>) -> Box<[Node]> {
    let mut seen = std::collections::HashSet::new();
    nodes.retain(|node| seen.insert(*node));
    nodes.into()
}
