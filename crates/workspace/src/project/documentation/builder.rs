//! A page under construction: rows of properties, and the types that they mention.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use outrigger_schema::{Definition, Descriptions, Entry, Package, Property, Reference, Returns, Type};
use outrigger_value::Value;

use super::terraform::PropertyNames;
use super::{Block, PropertyRow, Span, Subject, Text, plain, prose};

/// Values that are longer are not shown as a default.
const LONGEST_VALUE: usize = 200;

/// A page under construction.
pub(super) struct Page<'a> {
    package: &'a Package,
    pub(super) names: PropertyNames,
    pub(super) blocks: Vec<Block>,
    /// Types that are mentioned, and not described yet.
    types: VecDeque<String>,
    /// The anchors of all types that are mentioned.
    pub(super) seen: HashMap<String, String>,
    anchors: HashSet<String>,
}

impl<'a> Page<'a> {
    pub(super) fn new(package: &'a Package) -> Self {
        let (types, seen, anchors) = (VecDeque::new(), HashMap::new(), HashSet::new());
        Self { package, names: PropertyNames::default(), blocks: Vec::new(), types, seen, anchors }
    }

    pub(super) fn opening(
        &mut self,
        kind: &str,
        token: &str,
        terraform: Option<&str>,
        deprecated: Option<&str>,
        said: &Descriptions,
    ) {
        let mut text = vec![Span::Plain(format!("{kind} ")), Span::Code(token.to_owned())];
        if let Some(name) = terraform {
            text.extend([Span::Plain(", in Terraform ".to_owned()), Span::Code(name.to_owned())]);
        }
        self.blocks.push(Block::Paragraph(text));
        if let Some(reason) = deprecated {
            self.blocks.push(Block::Paragraph(vec![Span::Plain(format!("Deprecated: {}", sentence(reason)))]));
        }
        self.blocks.extend(prose::blocks(&said.own, 2));
    }

    pub(super) fn example(&mut self, text: String, add: Option<&str>) {
        self.blocks.push(titled(2, "Example"));
        if let Some(add) = add {
            let command = Block::Code { language: "sh".to_owned(), text: add.to_owned() };
            self.blocks.extend([paragraph("Add the package to the project first:"), command]);
        }
        self.blocks.push(Block::Code { language: "yaml".to_owned(), text: text.trim_end().to_owned() });
    }

    pub(super) fn properties(
        &mut self,
        title: &str,
        properties: &BTreeMap<String, Property>,
        said: &BTreeMap<String, String>,
        replaces: impl Fn(&str) -> bool,
    ) {
        let names = self.names.own.clone();
        let rows = self.rows(properties, said, &names, replaces);
        self.list(title, rows);
    }

    pub(super) fn list(&mut self, title: &str, rows: Vec<PropertyRow>) {
        if !rows.is_empty() {
            self.blocks.extend([titled(2, title), Block::Properties(rows)]);
        }
    }

    /// Required ones first.
    pub(super) fn rows(
        &mut self,
        properties: &BTreeMap<String, Property>,
        said: &BTreeMap<String, String>,
        terraform: &BTreeMap<String, String>,
        replaces: impl Fn(&str) -> bool,
    ) -> Vec<PropertyRow> {
        let mut order: Vec<(&String, &Property)> = properties.iter().filter(|(name, _)| *name != "__self__").collect();
        order.sort_by_key(|(_, property)| !property.required);
        let rows = order.into_iter().map(|(name, property)| {
            let mut marks: Vec<Text> = Vec::new();
            let mut word = |word: &str, holds: bool| marks.extend(holds.then(|| vec![Span::Plain(word.to_owned())]));
            word("required", property.required);
            word("replaces", replaces(name) || forces(property));
            word("secret", property.secret);
            for (word, value) in [("always ", &property.constant), ("default ", &property.default)] {
                let shown = value.as_ref().map(shown).filter(|shown| shown.len() <= LONGEST_VALUE);
                marks.extend(shown.map(|shown| vec![Span::Plain(word.to_owned()), Span::Code(shown)]));
            }
            if let Some(name) = terraform.get(name) {
                marks.push(vec![Span::Plain("in Terraform ".to_owned()), Span::Code(name.clone())]);
            }
            PropertyRow {
                name: name.clone(),
                ty: self.ty(&property.ty),
                marks: marks.join(&Span::Plain(", ".to_owned())),
                deprecated: property.deprecated.as_deref().map(|reason| vec![Span::Plain(sentence(reason))]),
                description: said.get(name).map(|text| prose::blocks(text, 4)).unwrap_or_default(),
            }
        });
        rows.collect()
    }

    pub(super) fn methods(&mut self, said: &Descriptions) {
        let mut first = true;
        for (name, token) in &said.methods {
            let Ok(Some(method)) = self.package.function(token) else { continue };
            let words = self.package.descriptions(Entry::Function(token));
            if std::mem::take(&mut first) {
                self.blocks.push(titled(2, "Methods"));
            }
            self.blocks.push(heading(3, vec![Span::Code(name.clone())]));
            self.blocks.extend(prose::blocks(&words.own, 4));
            let arguments = self.rows(&method.inputs, &words.inputs, &BTreeMap::new(), |_| false);
            let results = match &method.returns {
                Returns::Nothing => Vec::new(),
                Returns::Object(results) => self.rows(&given(results), &words.properties, &BTreeMap::new(), |_| false),
                Returns::Value(ty) => {
                    vec![PropertyRow { name: "result".to_owned(), ty: self.ty(ty), ..PropertyRow::default() }]
                }
            };
            for (title, rows) in [("Arguments", arguments), ("Results", results)] {
                if !rows.is_empty() {
                    self.blocks.extend([titled(4, title), Block::Properties(rows)]);
                }
            }
        }
    }

    /// All types that were mentioned, and those that they mention, each once.
    pub(super) fn types(&mut self) {
        let mut first = true;
        while let Some(token) = self.types.pop_front() {
            let Ok(Some(definition)) = self.package.ty(&token) else { continue };
            if std::mem::take(&mut first) {
                self.blocks.push(titled(2, "Types"));
            }
            let said = self.package.descriptions(Entry::Type(&token));
            let anchor = self.seen.get(&token).cloned();
            self.blocks.push(Block::Heading { level: 3, text: vec![Span::Plain(last(&token).to_owned())], anchor });
            if let Some(terraform) = self.names.type_names.get(&token) {
                let text = vec![Span::Plain("In Terraform ".to_owned()), Span::Code(terraform.clone())];
                self.blocks.push(Block::Paragraph(text));
            }
            self.blocks.extend(prose::blocks(&said.own, 4));
            self.definition(&definition, &said);
        }
    }

    pub(super) fn definition(&mut self, definition: &Definition, said: &Descriptions) {
        let rows = match definition {
            Definition::Object(object) => {
                let names = self.names.types.get(&object.token).cloned().unwrap_or_default();
                self.rows(&object.properties, &said.properties, &names, |_| false)
            }
            Definition::Enum(values) => {
                let ty = self.ty(&values.element);
                let texts = said.values.iter().map(String::as_str).chain(std::iter::repeat(""));
                let rows = values.values.iter().zip(texts).map(|(value, text)| PropertyRow {
                    name: shown(&value.value),
                    ty: ty.clone(),
                    description: prose::blocks(text, 4),
                    ..PropertyRow::default()
                });
                rows.collect()
            }
        };
        match rows.is_empty() {
            true => self.blocks.push(paragraph("It has no properties.")),
            false => self.blocks.push(Block::Properties(rows)),
        }
    }

    pub(super) fn ty(&mut self, ty: &Type) -> Text {
        let word = |word: &str| vec![Span::Plain(word.to_owned())];
        let of = |word: &str, inner: Text| [vec![Span::Plain(word.to_owned())], inner].concat();
        match ty {
            Type::String => word("string"),
            Type::Number => word("number"),
            Type::Integer => word("integer"),
            Type::Boolean => word("boolean"),
            Type::Any => word("any"),
            Type::Json => word("JSON"),
            Type::Asset => word("asset"),
            Type::Archive => word("archive"),
            Type::List(element) => of("list of ", self.ty(element)),
            Type::Map(element) => of("map of ", self.ty(element)),
            Type::Union(branches) => {
                let branches: Vec<Text> = branches.iter().map(|branch| self.ty(branch)).collect();
                branches.join(&Span::Plain(" or ".to_owned()))
            }
            Type::Resource(reference) => of("resource ", vec![self.resource(reference)]),
            Type::Named(reference) => self.named(reference),
        }
    }

    fn resource(&self, reference: &Reference) -> Span {
        let short = self.package.short(&reference.token, Package::resolve_resource);
        match reference.external {
            None => Span::Member(Subject::Resource(reference.token.clone()), short),
            Some(_) => Span::Code(reference.token.clone()),
        }
    }

    fn named(&mut self, reference: &Reference) -> Text {
        let token = &reference.token;
        if reference.external.is_some() || !matches!(self.package.ty(token), Ok(Some(_))) {
            return match &reference.underlying {
                Some(ty) => self.ty(ty),
                None => vec![Span::Code(token.clone())],
            };
        }
        let anchor = match self.seen.get(token) {
            Some(anchor) => anchor.clone(),
            None => {
                let wanted: String = last(token)
                    .chars()
                    .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
                    .collect();
                let mut anchor = format!("type-{wanted}");
                if !self.anchors.insert(anchor.clone()) {
                    anchor = format!("{anchor}-{}", self.seen.len());
                    self.anchors.insert(anchor.clone());
                }
                self.types.push_back(token.clone());
                self.seen.insert(token.clone(), anchor.clone());
                anchor
            }
        };
        vec![Span::Type { name: last(token).to_owned(), anchor }]
    }
}

pub(super) fn heading(level: u8, text: Text) -> Block {
    Block::Heading { level, text, anchor: None }
}

pub(super) fn titled(level: u8, title: &str) -> Block {
    heading(level, vec![Span::Plain(title.to_owned())])
}

pub(super) fn paragraph(text: &str) -> Block {
    Block::Paragraph(vec![Span::Plain(text.to_owned())])
}

/// The last part of a token.
fn last(token: &str) -> &str {
    token.rsplit(':').next().unwrap_or_default()
}

/// Whether a change of it replaces the resource.
pub(super) fn forces(property: &Property) -> bool {
    property.replace_on_changes || property.will_replace_on_changes
}

/// Outputs are given, not asked for.
pub(super) fn given(properties: &BTreeMap<String, Property>) -> BTreeMap<String, Property> {
    let given = |property: &Property| Property { required: false, ..property.clone() };
    properties.iter().map(|(name, property)| (name.clone(), given(property))).collect()
}

/// Why something is deprecated, on one line.
fn sentence(markdown: &str) -> String {
    let texts = prose::blocks(markdown, 4).into_iter().filter_map(|block| match block {
        Block::Paragraph(text) | Block::Item { text, .. } => Some(plain(&text)),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    // Some bridges write no more than that.
    if text.eq_ignore_ascii_case("deprecated") { "It should no longer be used.".to_owned() } else { text }
}

/// A value as a program has it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        _ => "null".to_owned(),
    }
}
