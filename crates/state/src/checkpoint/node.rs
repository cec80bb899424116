//! What order, integrity and recovery need to know of an entry. Read from its text, so that no key is needed.

use std::collections::BTreeMap;

use outrigger_value::{ProviderReference, Urn};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The names in an entry, and its marks.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) urn: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) custom: bool,
    pub(crate) id: String,
    pub(crate) delete: bool,
    pub(crate) external: bool,
    pub(crate) parent: String,
    pub(crate) provider: String,
    #[serde(deserialize_with = "absent")]
    pub(crate) dependencies: Vec<String>,
    /// By property; by which one does not matter here.
    #[serde(deserialize_with = "lists")]
    property_dependencies: Vec<Vec<String>>,
    pub(crate) pending_replacement: bool,
    pub(crate) protect: bool,
    #[serde(deserialize_with = "absent")]
    pub(crate) aliases: Vec<String>,
    pub(crate) deleted_with: String,
    #[serde(deserialize_with = "absent")]
    pub(crate) replace_with: Vec<String>,
    pub(crate) taint: bool,
    refresh_before_update: bool,
    view_of: String,
    #[serde(deserialize_with = "absent")]
    resource_hooks: BTreeMap<String, IgnoredAny>,
    extension_ref: String,
}

/// Null counts as absent, as Go reads it.
fn absent<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// The lists of a map that are not empty: of 50,000 entries, maps alone would take more than their texts.
fn lists<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<String>>, D::Error> {
    let map: BTreeMap<String, Option<Vec<String>>> = absent(deserializer)?;
    Ok(map.into_values().flatten().filter(|list| !list.is_empty()).collect())
}

/// One reference of an entry to another, with the field that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    pub(crate) field: &'static str,
    pub(crate) urn: &'a str,
}

impl Node {
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Every name that must come before this entry. The provider is not among them.
    pub(crate) fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        let by_property = self.property_dependencies.iter().flatten();
        std::iter::once(("parent", &self.parent))
            .chain(self.dependencies.iter().map(|urn| ("dependencies", urn)))
            .chain(by_property.map(|urn| ("propertyDependencies", urn)))
            .chain(std::iter::once(("deletedWith", &self.deleted_with)))
            .chain(self.replace_with.iter().map(|urn| ("replaceWith", urn)))
            .filter(|(_, urn)| !urn.is_empty())
            .map(|(field, urn)| Reference { field, urn })
    }

    /// Every name without which this entry makes no sense: what must come before it, its provider, and what it is a view of.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        let provider = self.provider.rsplit_once("::").map(|(urn, _)| urn);
        let view_of = Some(self.view_of.as_str()).filter(|urn| !urn.is_empty());
        self.references().map(|reference| reference.urn).chain(provider).chain(view_of)
    }

    /// The provider that the entry names, if the text is a reference at all.
    pub(crate) fn provider_reference(&self) -> Option<ProviderReference> {
        self.provider.parse().ok()
    }

    pub(crate) fn is_provider(&self) -> bool {
        self.ty.starts_with("pulumi:providers:")
    }

    pub(crate) fn is_root_stack(&self) -> bool {
        self.ty == "pulumi:pulumi:Stack"
    }

    pub(crate) fn parsed_urn(&self) -> Option<Urn> {
        self.urn.parse().ok()
    }

    /// The names in `features` that this entry makes necessary. A reader that does not know one of them must refuse the file.
    pub(crate) fn features(&self) -> impl Iterator<Item = &'static str> {
        [
            ("refreshBeforeUpdate", self.refresh_before_update),
            ("views", !self.view_of.is_empty()),
            ("hooks", !self.resource_hooks.is_empty()),
            ("taint", self.taint),
            ("replaceWith", !self.replace_with.is_empty()),
            ("extensionParameterization", !self.extension_ref.is_empty()),
        ]
        .into_iter()
        .filter_map(|(name, used)| used.then_some(name))
    }
}
