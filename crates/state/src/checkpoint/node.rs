//! The part of an entry that ordering, integrity and recovery need. Read from its text, so that no key is needed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use outrigger_value::{ProviderReference, Urn};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The names in an entry, and its marks. A state has one for each entry, so it is small and shares its names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) urn: Arc<str>,
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) custom: bool,
    pub(crate) id: Box<str>,
    pub(crate) delete: bool,
    pub(crate) external: bool,
    pub(crate) parent: Arc<str>,
    pub(crate) provider: Arc<str>,
    #[serde(deserialize_with = "absent")]
    pub(crate) dependencies: Vec<Arc<str>>,
    /// Those of all properties together; which property has which does not matter here.
    #[serde(deserialize_with = "lists")]
    property_dependencies: Vec<Arc<str>>,
    pub(crate) pending_replacement: bool,
    pub(crate) protect: bool,
    #[serde(deserialize_with = "absent")]
    pub(crate) aliases: Vec<Arc<str>>,
    pub(crate) deleted_with: Arc<str>,
    #[serde(deserialize_with = "absent")]
    pub(crate) replace_with: Vec<Arc<str>>,
    pub(crate) taint: bool,
    refresh_before_update: bool,
    view_of: Arc<str>,
    #[serde(rename = "resourceHooks", deserialize_with = "hooks")]
    hooked: bool,
    #[serde(rename = "extensionRef", deserialize_with = "filled")]
    extended: bool,
}

/// The kind of resource, by its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Cow<str>")]
pub(crate) enum Kind {
    /// The type is missing.
    #[default]
    Untyped,
    RootStack,
    Provider,
    Other,
}

impl From<Cow<'_, str>> for Kind {
    fn from(ty: Cow<'_, str>) -> Self {
        match ty.as_ref() {
            "" => Self::Untyped,
            "pulumi:pulumi:Stack" => Self::RootStack,
            ty if ty.starts_with("pulumi:providers:") => Self::Provider,
            _ => Self::Other,
        }
    }
}

/// The names of a state, each stored once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(HashSet<Arc<str>>);

impl Names {
    /// Replaces the names in a node by the stored copies.
    pub(crate) fn share(&mut self, node: &mut Node) {
        for name in node.names() {
            if let Some(known) = self.0.get(name) {
                *name = Arc::clone(known);
            } else if !name.is_empty() {
                self.0.insert(Arc::clone(name));
            }
        }
    }
}

/// Null counts as absent, as Go reads it.
fn absent<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// The items of all lists in a map.
fn lists<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<str>>, D::Error> {
    let map: BTreeMap<String, Option<Vec<Arc<str>>>> = absent(deserializer)?;
    Ok(map.into_values().flatten().flatten().collect())
}

fn hooks<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let map: BTreeMap<String, IgnoredAny> = absent(deserializer)?;
    Ok(!map.is_empty())
}

fn filled<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(!Cow::<str>::deserialize(deserializer)?.is_empty())
}

/// A reference from one entry to another, with the field that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    pub(crate) field: &'static str,
    pub(crate) urn: &'a str,
}

impl Node {
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    fn names(&mut self) -> impl Iterator<Item = &mut Arc<str>> {
        [&mut self.urn, &mut self.parent, &mut self.provider, &mut self.deleted_with, &mut self.view_of]
            .into_iter()
            .chain(&mut self.dependencies)
            .chain(&mut self.property_dependencies)
            .chain(&mut self.aliases)
            .chain(&mut self.replace_with)
    }

    /// Every name that must precede this entry; the provider is not included.
    pub(crate) fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        std::iter::once(("parent", &self.parent))
            .chain(self.dependencies.iter().map(|urn| ("dependencies", urn)))
            .chain(self.property_dependencies.iter().map(|urn| ("propertyDependencies", urn)))
            .chain(std::iter::once(("deletedWith", &self.deleted_with)))
            .chain(self.replace_with.iter().map(|urn| ("replaceWith", urn)))
            .filter(|(_, urn)| !urn.is_empty())
            .map(|(field, urn)| Reference { field, urn })
    }

    /// Every name that this entry cannot exist without: those that must precede it, its provider, and the resource that it is a view of.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        let provider = self.provider.rsplit_once("::").map(|(urn, _)| urn);
        let view_of = Some(self.view_of.as_ref()).filter(|urn| !urn.is_empty());
        self.references().map(|reference| reference.urn).chain(provider).chain(view_of)
    }

    /// The provider that the entry names, if the text is a valid reference.
    pub(crate) fn provider_reference(&self) -> Option<ProviderReference> {
        self.provider.parse().ok()
    }

    pub(crate) fn is_provider(&self) -> bool {
        self.kind == Kind::Provider
    }

    pub(crate) fn is_root_stack(&self) -> bool {
        self.kind == Kind::RootStack
    }

    pub(crate) fn parsed_urn(&self) -> Option<Urn> {
        self.urn.parse().ok()
    }

    /// The names in `features` that this entry requires. A reader that does not know one of them must refuse the file.
    pub(crate) fn features(&self) -> impl Iterator<Item = &'static str> {
        [
            ("refreshBeforeUpdate", self.refresh_before_update),
            ("views", !self.view_of.is_empty()),
            ("hooks", self.hooked),
            ("taint", self.taint),
            ("replaceWith", !self.replace_with.is_empty()),
            ("extensionParameterization", self.extended),
        ]
        .into_iter()
        .filter_map(|(name, used)| used.then_some(name))
    }
}
