//! Merges the project's declarations with the stack's values, and checks the result.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_diagnostic::{Diagnostic, Place};
use outrigger_provider::{Places, PropertyPlaces, Source};
use outrigger_secrets::Crypter;
use outrigger_value::{PathStep, PropertyPath};

use super::effective::plain;
use super::{Config, ConfigKey, ConfigPath, Item, KeyError};
use crate::project::{ConfigDeclaration, Project};
use crate::stack_config::StackConfig;

/// The stack's values, with the project's where it has none. Secrets are still encrypted.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The values.
    pub items: BTreeMap<ConfigKey, Item>,
    /// The origin of each value.
    pub origins: BTreeMap<ConfigKey, Origin>,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The stack's file.
    Stack(Place),
    /// The project file.
    Project(Place),
}

impl Merged {
    /// The places of each namespace's values, for messages about a package's default provider.
    pub fn package_places(&self) -> BTreeMap<String, PropertyPlaces> {
        let mut packages: BTreeMap<String, Settings> = BTreeMap::new();
        for (key, origin) in &self.origins {
            let settings = packages.entry(key.namespace.clone()).or_default();
            settings.0.insert(key.name.clone(), origin.place().clone());
        }
        packages.into_iter().map(|(name, settings)| (name, PropertyPlaces(Some(Arc::new(settings))))).collect()
    }
}

/// The places of a namespace's values, by name.
#[derive(Default)]
struct Settings(BTreeMap<String, Place>);

impl Places for Settings {
    fn of(&self, property: &PropertyPath) -> Source {
        let PathStep::Key(name) = property.0.first()? else { return None };
        self.0.get(name).cloned()
    }
}

impl Origin {
    /// The place.
    pub fn place(&self) -> &Place {
        match self {
            Origin::Stack(place) | Origin::Project(place) => place,
        }
    }
}

/// Merges without checking, as `config get` and `config ls` do.
/// Also returns the project's own keys that have no value at all.
pub fn apply(project: &Project, stack: &StackConfig) -> Result<(Merged, Vec<String>), Diagnostic> {
    let mut merged = Merged::default();
    for (key, entry) in stack.entries() {
        merged.items.insert(key.clone(), entry.item.clone());
        merged.origins.insert(key.clone(), Origin::Stack(entry.place.clone()));
    }
    let mut missing = Vec::new();
    for (written, declaration) in &project.config {
        let place = || project.document.place(declaration.span);
        let path = place_of(project, written, declaration)?;
        if found(&merged, &path).is_some() {
            continue;
        }
        let Some(given) = &declaration.given else {
            if path.key.namespace == project.name {
                missing.push(written.clone());
            }
            continue;
        };
        // A scalar is text at the top, but has its type inside a structured value.
        let item = match &given.item {
            scalar @ (Item::Bool(_) | Item::Int(_)) => scalar.clone().into_entry(),
            other => other.clone(),
        };
        if path.steps.is_empty() {
            merged.items.insert(path.key.clone(), item);
        } else {
            let item = match item {
                Item::String(text) => Item::coerced(&text),
                other => other,
            };
            let root = merged.items.entry(path.key.clone()).or_insert(Item::Null);
            root.set(&path.steps, item, true).map_err(|reason| {
                Diagnostic::error("config-path", format!("the default of `{written}` cannot be set"))
                    .detail(format!("{reason}."))
                    .at(place())
                    .hint("Give the key another name, or change the value that it points into.")
            })?;
        }
        let origin = Origin::Project(project.document.place(given.span));
        merged.origins.entry(path.key).or_insert(origin);
    }
    Ok((merged, missing))
}

/// Merges the two, checks the result against the declared types, and decrypts it.
pub fn merge(
    project: &Project,
    stack: &StackConfig,
    name: &str,
    crypter: &dyn Crypter,
) -> Result<Config, Vec<Diagnostic>> {
    stack.check_environment().map_err(|problem| vec![problem])?;
    let (merged, missing) = apply(project, stack).map_err(|problem| vec![problem])?;
    if !missing.is_empty() {
        return Err(vec![missing_values(project, stack, name, &missing)]);
    }
    let config = Config::decrypt(&merged.items, crypter).map_err(|problem| vec![problem])?;
    let mut findings = Vec::new();
    for (written, declaration) in &project.config {
        match mismatch(project, &merged, name, written, declaration, Some(crypter)) {
            Ok(None) => {}
            Ok(Some(finding)) | Err(finding) => findings.push(finding),
        }
    }
    if findings.is_empty() { Ok(config) } else { Err(findings) }
}

/// The error of a value that does not match its declaration. Without a crypter, secrets are not examined.
pub(super) fn mismatch(
    project: &Project,
    merged: &Merged,
    stack: &str,
    written: &str,
    declaration: &ConfigDeclaration,
    crypter: Option<&dyn Crypter>,
) -> Result<Option<Diagnostic>, Diagnostic> {
    let Some(ty) = &declaration.ty else { return Ok(None) };
    let path = place_of(project, written, declaration)?;
    let empty = Item::String(String::new());
    let item = found(merged, &path).unwrap_or(&empty);
    let place = merged
        .origins
        .get(&path.key)
        .map_or_else(|| project.document.place(declaration.span), |origin| origin.place().clone());
    if declaration.secret && !item.is_secret() {
        return Ok(Some(
            Diagnostic::error("config-not-secret", format!("`{written}` of stack `{stack}` must be encrypted"))
                .detail("The project declares it with `secret: true`.")
                .at(place)
                .hint(format!("Run `outrigger config set --secret {written} VALUE`.")),
        ));
    }
    let plain = match crypter {
        Some(crypter) => plain(item, &|ciphertext| crypter.decrypt(ciphertext))?,
        None if item.is_secret() => return Ok(None),
        None => item.clone(),
    };
    // A scalar inside a value is checked as text when it was read alone, as in the peer.
    let plain = if path.steps.is_empty() || plain.is_object() { plain } else { plain.into_entry() };
    if ty.accepts(&plain) {
        return Ok(None);
    }
    Ok(Some(
        Diagnostic::error("config-type", format!("`{written}` of stack `{stack}` must be of type `{ty}`"))
            .detail("The project file declares that type.")
            .at(place)
            .hint(format!("Run `outrigger config set {written} VALUE` with a value of that type.")),
    ))
}

/// The peer parses the name of a declared key as a path, dots and brackets included.
pub(super) fn declared_path(project: &Project, written: &str) -> Result<ConfigPath, KeyError> {
    ConfigKey::parse(written, &project.name).and_then(ConfigPath::from_name)
}

fn place_of(project: &Project, written: &str, declaration: &ConfigDeclaration) -> Result<ConfigPath, Diagnostic> {
    declared_path(project, written).map_err(|problem| {
        Diagnostic::error("config-key", problem.to_string())
            .at(project.document.place(declaration.span))
            .hint("Rename the key in the project file.")
    })
}

fn found<'a>(merged: &'a Merged, path: &ConfigPath) -> Option<&'a Item> {
    merged.items.get(&path.key)?.get(&path.steps)
}

pub(super) fn missing_values(project: &Project, stack: &StackConfig, name: &str, missing: &[String]) -> Diagnostic {
    let quoted: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
    let (values, listed) = match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => ("values", format!("{} and {last}", first.join(", "))),
        _ => ("value", quoted.concat()),
    };
    let mut found =
        Diagnostic::error("config-missing", format!("stack `{name}` is missing the configuration {values} {listed}"))
            .detail("The project file declares them without a default.");
    if let Some(declaration) = missing.first().and_then(|key| project.config.get(key)) {
        found = found.at(project.document.place(declaration.span));
    }
    for key in missing {
        let secret = project.config.get(key).is_some_and(|declaration| declaration.secret);
        let flag = if secret { " --secret" } else { "" };
        found = found.hint(format!("Run `outrigger config set{flag} {key} VALUE`."));
    }
    found.note(format!("the stack's configuration is {}", stack.file()))
}
