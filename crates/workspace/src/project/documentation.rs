//! Documentation from a package's schema: a page for the package, and one for each resource, function and type. Pages are blocks; the caller decides
//! how they look.

mod builder;
mod example;
mod markup;
mod page;
mod prose;
mod terraform;

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_project::packages::Packages;
use outrigger_provider::{CallContext, Parameterize, PluginDescriptor, Plugins};
use outrigger_schema::{Entry, Package};
use outrigger_value::nearest::distance;

use super::asked::call_failed;
use super::packages::{PluginSource, versioned};
use super::plugins::PluginSettings;
use super::used_plugins::{UsedPlugin, used};
use super::{Environment, project};
use crate::services::Relay;
use terraform::Names;

/// How many names an error lists.
const LISTED: usize = 5;

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A title; the page's own has level 1.
    Heading {
        /// Between 1 and 6.
        level: u8,
        /// The title.
        text: Text,
        /// The target of [`Span::Type`].
        anchor: Option<String>,
    },
    /// Sentences.
    Paragraph(Text),
    /// An item of a list.
    Item {
        /// How many lists it is inside of.
        depth: usize,
        /// Its text.
        text: Text,
    },
    /// Code, or anything else whose lines must stay.
    Code {
        /// Its language; may be empty.
        language: String,
        /// Its lines.
        text: String,
    },
    /// Properties, or values of an enumeration.
    Properties(Vec<PropertyRow>),
    /// Resources or functions.
    Members(Vec<Member>),
}

/// Text with code and links.
pub type Text = Vec<Span>;

/// A part of a text. Nothing in it is markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Words.
    Plain(String),
    /// A name or a value.
    Code(String),
    /// A page of the web.
    Link {
        /// The visible text.
        text: String,
        /// Its address, which begins with `http`.
        url: String,
    },
    /// A type that is described on the same page.
    Type {
        /// Its name.
        name: String,
        /// The anchor of its heading.
        anchor: String,
    },
    /// A subject with its own page, as a program writes it.
    Member(Subject, String),
}

/// A property.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PropertyRow {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Text,
    /// Other facts: `required`, `replaces`, `secret`, a default, Terraform's name.
    pub marks: Text,
    /// Why it should no longer be used.
    pub deprecated: Option<Text>,
    /// Its purpose.
    pub description: Vec<Block>,
}

/// A resource or a function in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its subject.
    pub subject: Subject,
    /// How a program writes it.
    pub name: String,
    /// The first sentence of its description.
    pub summary: String,
}

/// The possible subjects of a page, by full token.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A resource, or the provider.
    Resource(String),
    /// A function.
    Function(String),
    /// An object type or an enumeration.
    Type(String),
}

/// The documentation of a package.
pub struct Documentation {
    package: Arc<Package>,
    names: Option<Names>,
    /// Where the plugin was found.
    pub plugin: UsedPlugin,
    /// How the package is added to a project, if it must be.
    add: Option<String>,
}

/// The words of a text.
pub fn plain(text: &Text) -> String {
    let words = text.iter().map(|span| match span {
        Span::Plain(text) | Span::Code(text) | Span::Link { text, .. } | Span::Member(_, text) => text.as_str(),
        Span::Type { name, .. } => name.as_str(),
    });
    words.collect()
}

impl Documentation {
    /// Reads the schema of a plugin: `NAME`, `NAME@VERSION`, a path, or a package of the project. Terraform's names cost a start of the plugin, even
    /// where its schema is in the cache.
    pub async fn read(
        cx: &CallContext,
        environment: &Environment,
        source: &str,
        parameters: &[String],
        with_names: bool,
    ) -> Result<Self, Diagnostic> {
        let (name, version) = versioned(source);
        let project = project(environment).ok();
        let add = (!parameters.is_empty())
            .then(|| format!("outrigger package add {} {}", shell(&[source.to_owned()]), shell(parameters)));
        let own = project.as_ref().filter(|_| parameters.is_empty() && version.is_none());
        // Errors in other lock files are left to `check`.
        let locked = own.and_then(|own| Packages::find(&own.program_directory()).ok()?.get(name).cloned());
        // Before `install` there is no lock file.
        let spec = own.filter(|_| locked.is_none()).and_then(|own| Some((own.directory(), own.packages.get(name)?)));
        let (directory, name, version, parameters) = match spec {
            Some((directory, spec)) => (directory, &*spec.source, spec.version.clone(), &*spec.parameters),
            None => (&*environment.directory, name, version, parameters),
        };
        let plugin = PluginSource::parse(name, directory)?;
        let mut settings = match &project {
            Some(project) => PluginSettings::of_project(environment, project, BTreeMap::new())?,
            None => PluginSettings::new(environment, &environment.directory)?,
        };
        plugin.add_to(&mut settings);
        let descriptor = locked.unwrap_or_else(|| PluginDescriptor::named(plugin.name(), version));
        let (host, run, found) = settings.start_with(Arc::new(Relay::default()), &descriptor).await?;
        let mut used = used(&descriptor, found);
        let read = async {
            let mapping = async |plugin: &Arc<dyn outrigger_provider::Plugin>| {
                // Most plugins have none, and the page is worth reading without it.
                plugin.mapping(cx, "terraform", "").await.ok().and_then(|(_, mapping)| Names::parse(mapping))
            };
            if parameters.is_empty() {
                let package = run.schema(cx, &descriptor).await?;
                let mut names = None;
                if with_names || package.version().is_empty() && used.version.is_none() {
                    let plugin = run.load(cx, &descriptor).await?;
                    names = if with_names { mapping(&plugin).await } else { None };
                    used.version = plugin.info(cx).await.ok().map(|info| info.version).or(used.version.take());
                }
                return Ok((package, names));
            }
            let plugin = run.load(cx, &descriptor).await?;
            let became = plugin.parameterize(cx, Parameterize::Arguments(parameters.to_vec())).await;
            let became = became.map_err(|error| call_failed(&error))?;
            let schema = plugin.schema(cx, Some(&became)).await.map_err(|error| call_failed(&error))?;
            let package = Package::parse(schema).map_err(|error| unreadable(&error.to_string()))?;
            let names = if with_names { mapping(&plugin).await } else { None };
            Ok::<_, Diagnostic>((Arc::new(package), names))
        };
        let read = read.await;
        host.shutdown().await;
        let (package, names) = read?;
        Ok(Self { package, names, plugin: used, add })
    }

    /// All subjects of pages.
    pub fn subjects(&self) -> Vec<Subject> {
        let resources = self.package.resource_tokens().map(|token| Subject::Resource(token.to_owned()));
        let functions = self.package.function_tokens().filter(|token| !is_method(token));
        resources.chain(functions.map(|token| Subject::Function(token.to_owned()))).collect()
    }

    /// Resolves a name: a token in any form, without its package or its module, or Terraform's name.
    pub fn find(&self, written: &str) -> Result<Subject, Diagnostic> {
        let package = &self.package;
        let below = format!("{}:{written}", package.name());
        let exactly = [written, &below].into_iter().find_map(|whole| {
            let resource = package.resolve_resource(whole).map(Subject::Resource);
            let function = || package.resolve_function(whole).map(Subject::Function);
            resource.or_else(function).or_else(|| package.resolve_type(whole).map(Subject::Type))
        });
        if let Some(found) = exactly.or_else(|| self.of_terraform(written)) {
            return Ok(found);
        }
        let all = || {
            let resources = package.resource_tokens().map(|token| Subject::Resource(token.to_owned()));
            let functions = package.function_tokens().map(|token| Subject::Function(token.to_owned()));
            resources.chain(functions).chain(package.type_tokens().map(|token| Subject::Type(token.to_owned())))
        };
        let kind = std::mem::discriminant::<Subject>;
        let last = |token: &str| token.rsplit(':').next().unwrap_or_default().to_lowercase();
        let (name, has_module) = (last(written), written.contains(':'));
        let mut named: Vec<Subject> = all().filter(|one| !has_module && last(one.token()) == name).collect();
        // A resource comes before a type of its name.
        if let Some(first) = named.first().map(kind) {
            named.retain(|one| kind(one) == first);
        }
        match named.as_slice() {
            [only] => Ok(only.clone()),
            [] => {
                let mut near: Vec<(usize, String)> = all()
                    .map(|one| (distance(&name, &last(one.token())), self.short(&one)))
                    .chain(
                        self.names
                            .iter()
                            .flat_map(|names| names.all().map(|known| (distance(written, known), known.to_owned()))),
                    )
                    .collect();
                near.sort_unstable();
                near.dedup();
                let near: Vec<String> = near.into_iter().take(LISTED).map(|(_, name)| name).collect();
                let diagnostic = Diagnostic::error(
                    "package-info-type",
                    format!("package `{}` has no type `{written}`", package.name()),
                );
                let diagnostic = match near.as_slice() {
                    [] => diagnostic,
                    near => diagnostic.detail(format!("The nearest names are: {}", near.join(", "))),
                };
                Err(diagnostic.hint("Leave the type out to list the resources and functions of the package."))
            }
            several => {
                let names: Vec<String> = several.iter().take(LISTED).map(|one| self.short(one)).collect();
                let summary = format!("package `{}` has several types `{written}`", package.name());
                Err(Diagnostic::error("package-info-type", summary)
                    .detail(format!("Among them are: {}", names.join(", ")))
                    .hint("Write the full name, as it is listed here."))
            }
        }
    }

    fn of_terraform(&self, written: &str) -> Option<Subject> {
        let names = self.names.as_ref()?;
        let resource = || names.resource(written).map(|token| Subject::Resource(token.to_owned()));
        let source = names.data_source(written.strip_prefix("data.").unwrap_or(written));
        resource().or_else(|| source.map(|token| Subject::Function(token.to_owned())))
    }

    /// The shortest way to write it in a program.
    fn short(&self, subject: &Subject) -> String {
        let resolve = match subject {
            Subject::Resource(_) => Package::resolve_resource,
            Subject::Function(_) => Package::resolve_function,
            Subject::Type(_) => Package::resolve_type,
        };
        self.package.short(subject.token(), resolve)
    }
}

impl Subject {
    /// The full token.
    pub fn token(&self) -> &str {
        match self {
            Self::Resource(token) | Self::Function(token) | Self::Type(token) => token,
        }
    }

    fn entry(&self) -> Entry<'_> {
        match self {
            Self::Resource(token) => Entry::Resource(token),
            Self::Function(token) => Entry::Function(token),
            Self::Type(token) => Entry::Type(token),
        }
    }
}

/// Whether a function is a method, which is shown with its resource.
fn is_method(token: &str) -> bool {
    token.rsplit(':').next().is_some_and(|name| name.contains('/'))
}

/// Words quoted for a shell.
fn shell(words: &[String]) -> String {
    let simple =
        |word: &&String| word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:=@".contains(letter));
    let mark = if words.iter().any(|word| word.starts_with('-')) { vec!["--".to_owned()] } else { Vec::new() };
    let words = words.iter().map(|word| match simple(&word) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    });
    mark.into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

fn unreadable(reason: &str) -> Diagnostic {
    Diagnostic::error("plugin-schema", "the schema of the package cannot be read")
        .detail(reason)
        .hint("Install the plugin again, or use another version of it.")
}

#[cfg(test)]
mod tests;
