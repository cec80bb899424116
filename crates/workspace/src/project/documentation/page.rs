//! The pages of a package.

use std::collections::BTreeMap;

use outrigger_diagnostic::Diagnostic;
use outrigger_schema::{Entry, Property, Returns, SchemaError, Type};

use super::builder::{Page, forces, given, heading, paragraph, titled};
use super::terraform::PropertyNames;
use super::{Block, Documentation, Member, PropertyRow, Span, Subject, example, is_method, plain, prose, unreadable};

impl Documentation {
    /// The package, and a list of its resources and functions.
    pub fn overview(&self, found: &str) -> Result<Vec<Block>, Diagnostic> {
        let (package, about) = (&self.package, self.package.about());
        let mut blocks = vec![heading(1, vec![Span::Plain(package.name().to_owned())])];
        let version = Some(package.version()).filter(|version| !version.is_empty()).or(self.plugin.version.as_deref());
        let facts = [
            ("Name", about.display_name.as_str()),
            ("Version", version.unwrap_or_default()),
            ("Plugin", found),
            ("Publisher", &about.publisher),
            ("Homepage", &about.homepage),
            ("Repository", &about.repository),
        ];
        for (name, fact) in facts.into_iter().filter(|(_, fact)| !fact.is_empty()) {
            blocks.push(Block::Item { depth: 0, text: vec![Span::Plain(format!("{name}: {fact}"))] });
        }
        blocks.extend(prose::blocks(&about.description, 2));
        let configuration = self.configuration()?;
        if !configuration.is_empty() {
            blocks.push(titled(2, "Configuration"));
            blocks.push(Block::Properties(configuration));
        }
        let mut modules: BTreeMap<(String, bool), Vec<Member>> = BTreeMap::new();
        for subject in self.subjects() {
            let is_function = matches!(subject, Subject::Function(_));
            let name = self.short(&subject);
            let summary = prose::first_sentence(&package.summary(subject.entry()));
            let module = package.module(subject.token()).to_owned();
            modules.entry((module, is_function)).or_default().push(Member { subject, name, summary });
        }
        for ((module, is_function), members) in modules {
            let kind = if is_function { "Functions" } else { "Resources" };
            let title = if module.is_empty() { kind.to_owned() } else { format!("{kind} of {module}") };
            blocks.push(titled(2, &title));
            blocks.push(Block::Members(members));
        }
        Ok(blocks)
    }

    /// The page of a resource, a function or a type.
    pub fn page(&self, subject: &Subject) -> Result<Vec<Block>, Diagnostic> {
        let package = &*self.package;
        let said = package.descriptions(subject.entry());
        let token = subject.token();
        let broken = |error: SchemaError| unreadable(&error.to_string());
        let missing = || unreadable(&format!("It has no entry `{token}`."));
        let mut page = Page::new(package);
        // A type may refer to itself.
        let anchor = matches!(subject, Subject::Type(_)).then(|| "top".to_owned());
        page.blocks.push(Block::Heading { level: 1, text: vec![Span::Plain(self.short(subject))], anchor });
        match subject {
            Subject::Resource(_) => {
                let resource = package.resource(token).map_err(broken)?.ok_or_else(missing)?;
                let outputs = resource.properties.iter().filter(|(name, _)| !resource.inputs.contains_key(*name));
                let outputs: BTreeMap<_, _> = outputs.map(|(name, one)| (name.clone(), one.clone())).collect();
                let is_custom = !resource.is_component && !token.starts_with("pulumi:providers:");
                let id = is_custom && !resource.inputs.contains_key("id") && !outputs.contains_key("id");
                page.names = self.property_names(token, &[&resource.inputs, &resource.properties]);
                let kind = if resource.is_component { "Component" } else { "Resource" };
                page.opening(kind, token, self.terraform_name(token), resource.deprecated.as_deref(), &said);
                page.example(example::of_resource(package, token), self.add.as_deref());
                let replaces = |name: &str| resource.properties.get(name).is_some_and(forces);
                page.properties("Arguments", &resource.inputs, &said.inputs, replaces);
                let mut outputs = page.rows(&given(&outputs), &said.properties, &page.names.own.clone(), |_| false);
                outputs.extend(id.then(|| PropertyRow {
                    name: "id".to_owned(),
                    ty: page.ty(&Type::String),
                    ..PropertyRow::default()
                }));
                page.list("Outputs", outputs);
                if resource.inputs.keys().any(|name| resource.properties.contains_key(name)) {
                    page.blocks.push(paragraph("Arguments are outputs as well."));
                }
                page.methods(&said);
            }
            Subject::Function(_) => {
                let function = package.function(token).map_err(broken)?.ok_or_else(missing)?;
                let none = BTreeMap::new();
                let results = if let Returns::Object(results) = &function.returns { results } else { &none };
                page.names = self.property_names(token, &[&function.inputs, results]);
                page.opening("Function", token, self.terraform_name(token), function.deprecated.as_deref(), &said);
                if !is_method(token) {
                    page.example(example::of_function(package, token), self.add.as_deref());
                }
                page.properties("Arguments", &function.inputs, &said.inputs, |_| false);
                page.properties("Results", &given(results), &said.properties, |_| false);
                if let Returns::Value(ty) = &function.returns {
                    let ty = page.ty(ty);
                    page.blocks.extend([titled(2, "Results"), Block::Paragraph(ty)]);
                }
            }
            Subject::Type(_) => {
                let definition = package.ty(token).map_err(broken)?.ok_or_else(missing)?;
                page.seen.insert(token.to_owned(), "top".to_owned());
                page.opening("Type", token, None, None, &said);
                page.definition(&definition, &said);
            }
        }
        page.types();
        Ok(page.blocks)
    }

    fn terraform_name(&self, token: &str) -> Option<&str> {
        self.names.as_ref()?.of_token(token)
    }

    fn property_names(&self, token: &str, sides: &[&BTreeMap<String, Property>]) -> PropertyNames {
        self.names.as_ref().map(|names| names.properties(&self.package, token, sides)).unwrap_or_default()
    }

    /// The keys of the provider's configuration. Only the provider's inputs show which of them are required.
    fn configuration(&self) -> Result<Vec<PropertyRow>, Diagnostic> {
        let (package, name) = (&self.package, self.package.name());
        let broken = |error: SchemaError| unreadable(&error.to_string());
        let provider = format!("pulumi:providers:{name}");
        let inputs =
            package.resource(&provider).map_err(broken)?.map(|provider| provider.inputs.clone()).unwrap_or_default();
        let said =
            [package.descriptions(Entry::Resource(&provider)).inputs, package.descriptions(Entry::Config).properties];
        let mut keys = inputs.clone();
        keys.extend(package.config().map_err(broken)?);
        for (key, property) in &mut keys {
            property.required |= inputs.get(key).is_some_and(|input| input.required);
        }
        let mut page = Page::new(package);
        let said = said.into_iter().flatten().collect();
        let mut rows = page.rows(&keys, &said, &BTreeMap::new(), |_| false);
        for row in &mut rows {
            row.name = format!("{name}:{}", row.name);
            // Types have no place on this page.
            row.ty = vec![Span::Plain(plain(&row.ty))];
        }
        Ok(rows)
    }
}
