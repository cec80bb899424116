//! Resource options whose values are expressions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Alias, AliasParent};
use outrigger_syntax::Span;
use outrigger_value::{CustomTimeouts, ProviderReference, Urn, duration};

use super::value::{Evaluated, Handle};
use super::{At, Poisoned, Run};
use crate::expression::{Expression, Kind};
use crate::program::Timeouts;
use crate::suggestion;

const ALIAS_KEYS: [&str; 7] = ["urn", "name", "type", "parent", "noParent", "stack", "project"];

impl Run<'_> {
    /// An option that is one resource.
    pub(super) async fn one_resource(&self, option: &Expression, at: At) -> Result<Arc<Handle>, Poisoned> {
        match self.evaluate(option, at).await? {
            Evaluated::Resource(handle) => Ok(handle),
            other => {
                let summary = match other.has_outputs() {
                    true => "resource cannot be an output".to_owned(),
                    false => format!("expected resource, got {}", other.word()),
                };
                Err(self.fail(option.span, "yaml-option", summary, "Write `${name}` of a resource.", at))
            }
        }
    }

    /// An option that is a list of resources.
    pub(super) async fn resources(
        &self,
        option: &Expression,
        name: &str,
        at: At,
    ) -> Result<Vec<Arc<Handle>>, Poisoned> {
        let hint = "Write a list such as `[\"${name}\"]`.";
        let items = match self.evaluate(option, at).await? {
            value if value.has_outputs() => {
                let summary = format!("resource option {name} value must be a list of resource, not an output");
                return Err(self.fail(option.span, "yaml-option", summary, hint, at));
            }
            Evaluated::List(items) => items,
            _ => {
                let summary = format!("resource option {name} value must be a list of resources");
                return Err(self.fail(option.span, "yaml-option", summary, hint, at));
            }
        };
        let mut handles = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Evaluated::Resource(handle) => handles.push(handle),
                other => {
                    let summary = format!("expected resource in {name}, got {}", other.word());
                    return Err(self.fail(option.span, "yaml-option", summary, hint, at));
                }
            }
        }
        Ok(handles)
    }

    /// An option that is a provider.
    pub(super) async fn provider(&self, option: &Expression, at: At) -> Result<ProviderReference, Poisoned> {
        let handle = self.one_resource(option, at).await?;
        handle.provider_reference().ok_or_else(|| self.not_a_provider(&handle, option.span, at))
    }

    /// An option that is a list of providers: by package.
    pub(super) async fn providers(
        &self,
        option: &Expression,
        at: At,
    ) -> Result<BTreeMap<String, ProviderReference>, Poisoned> {
        let mut providers = BTreeMap::new();
        for handle in self.resources(option, "providers", at).await? {
            let Some((reference, package)) = handle.provider_reference().zip(handle.urn.provider_package()) else {
                return Err(self.not_a_provider(&handle, option.span, at));
            };
            providers.insert(package.to_owned(), reference);
        }
        Ok(providers)
    }

    fn not_a_provider(&self, handle: &Handle, span: Span, at: At) -> Poisoned {
        let summary = format!("resource passed as Provider was not a provider resource '{}'", handle.urn.name());
        self.fail(span, "yaml-option", summary, "Name a resource of type pulumi:providers:NAME.", at)
    }

    pub(super) async fn protect(&self, option: &Expression, at: At) -> Result<bool, Poisoned> {
        match self.evaluate(option, at).await? {
            Evaluated::Bool(value) => Ok(value),
            other => {
                let summary = match other.has_outputs() {
                    true => "protect must not be an output",
                    false => "protect must be a boolean value",
                };
                Err(self.fail(option.span, "yaml-option", summary, "Write true or false, or a config value.", at))
            }
        }
    }

    pub(super) async fn env_var_mappings(
        &self,
        option: &Expression,
        at: At,
    ) -> Result<BTreeMap<String, String>, Poisoned> {
        let hint = "Write pairs of names, such as `NEW: OLD`.";
        let Evaluated::Map(map) = self.evaluate(option, at).await? else {
            let summary = "envVarMappings must be an object with string values";
            return Err(self.fail(option.span, "yaml-option", summary, hint, at));
        };
        let mut mappings = BTreeMap::new();
        for (key, value) in map {
            let Evaluated::String(value) = value else {
                let summary = format!("envVarMappings value for key \"{key}\" must be a string");
                return Err(self.fail(option.span, "yaml-option", summary, hint, at));
            };
            mappings.insert(key, value);
        }
        Ok(mappings)
    }

    pub(super) async fn custom_timeouts(&self, timeouts: &Timeouts, at: At) -> Result<CustomTimeouts, Poisoned> {
        Ok(CustomTimeouts {
            create: self.timeout(timeouts.create.as_ref(), at).await?,
            update: self.timeout(timeouts.update.as_ref(), at).await?,
            delete: self.timeout(timeouts.delete.as_ref(), at).await?,
            read: self.timeout(timeouts.read.as_ref(), at).await?,
        })
    }

    async fn timeout(&self, option: Option<&Expression>, at: At) -> Result<f64, Poisoned> {
        let Some(option) = option else { return Ok(0.0) };
        let hint = "Write a time such as `5m` or `1h30m`.";
        match self.evaluate(option, at).await? {
            Evaluated::String(text) => duration::seconds(&text)
                .ok_or_else(|| self.fail(option.span, "yaml-option", format!("`{text}` is not a duration"), hint, at)),
            other => {
                let summary = format!("a custom timeout must be a string, not {}", other.word());
                Err(self.fail(option.span, "yaml-option", summary, hint, at))
            }
        }
    }

    pub(super) async fn aliases(&self, option: &Expression, at: At) -> Result<Vec<Alias>, Poisoned> {
        let mut aliases = Vec::new();
        if let Kind::List(items) = &option.kind {
            for item in items {
                aliases.push(match &item.kind {
                    Kind::Object(entries) => self.alias(entries, at).await?,
                    _ => Alias::Urn(self.urn(item, at).await?),
                });
            }
            return Ok(aliases);
        }
        // Pulumi drops a list that is not written as a literal; we read it.
        let (value, provenance) = self.evaluate(option, at).await?.resolved();
        let Evaluated::List(items) = value else {
            let summary = if provenance.unknown { "aliases must be known" } else { "aliases must be a list" };
            return Err(self.fail(option.span, "yaml-option", summary, "Write a list of names.", at));
        };
        for item in items {
            aliases.push(Alias::Urn(self.parse_urn(item, option.span, at)?));
        }
        Ok(aliases)
    }

    async fn alias(&self, entries: &[(Expression, Expression)], at: At) -> Result<Alias, Poisoned> {
        let (mut urn, mut name, mut ty, mut stack, mut project) = (None, None, None, None, None);
        let mut parent = AliasParent::Same;
        for (key, value) in entries {
            let Kind::String(field) = &key.kind else {
                let summary = "a key of an alias must be a literal string";
                return Err(self.fail(key.span, "yaml-option", summary, "Write the key itself.", at));
            };
            match &**field {
                "urn" => urn = Some(self.urn(value, at).await?),
                "name" => name = Some(self.alias_text(value, at).await?),
                "type" => ty = Some(self.alias_text(value, at).await?),
                "stack" => stack = Some(self.alias_text(value, at).await?),
                "project" => project = Some(self.alias_text(value, at).await?),
                "parent" => {
                    parent = AliasParent::Urn(match self.evaluate(value, at).await? {
                        Evaluated::Resource(handle) => handle.urn.clone(),
                        other => self.parse_urn(other.resolved().0, value.span, at)?,
                    });
                }
                "noParent" => match self.evaluate(value, at).await? {
                    Evaluated::Bool(true) => parent = AliasParent::None,
                    Evaluated::Bool(false) => {}
                    other => {
                        let summary = format!("noParent must be a boolean value, not {}", other.word());
                        return Err(self.fail(value.span, "yaml-option", summary, "Write true or false.", at));
                    }
                },
                other => {
                    let diagnostic =
                        Diagnostic::error("yaml-unknown-key", format!("{other} does not exist on an alias"))
                            .at(self.place(key.span));
                    self.monitor.report(suggestion::suggest(diagnostic, other, ALIAS_KEYS, "keys"));
                    self.stop.fetch_min(at.position, std::sync::atomic::Ordering::Relaxed);
                    return Err(Poisoned);
                }
            }
        }
        Ok(match urn {
            Some(urn) => Alias::Urn(urn),
            None => Alias::Spec { name, ty, stack, project, parent },
        })
    }

    async fn alias_text(&self, value: &Expression, at: At) -> Result<String, Poisoned> {
        match self.evaluate(value, at).await?.resolved().0 {
            Evaluated::String(text) => Ok(text),
            other => {
                let summary = format!("a part of an alias must be a known string, not {}", other.word());
                Err(self.fail(value.span, "yaml-option", summary, "Write the string itself.", at))
            }
        }
    }

    async fn urn(&self, value: &Expression, at: At) -> Result<Urn, Poisoned> {
        let evaluated = self.evaluate(value, at).await?.resolved().0;
        self.parse_urn(evaluated, value.span, at)
    }

    fn parse_urn(&self, value: Evaluated, span: Span, at: At) -> Result<Urn, Poisoned> {
        let summary = match &value {
            Evaluated::String(text) => match text.parse() {
                Ok(urn) => return Ok(urn),
                Err(error) => format!("{error}"),
            },
            other => format!("expected a resource's name (URN), not {}", other.word()),
        };
        Err(self.fail(span, "yaml-option", summary, "Write a URN, or an object with `name`, `type` or `parent`.", at))
    }
}

/// The names of several resources, sorted.
pub(super) fn urns(handles: &[Arc<Handle>]) -> BTreeSet<Urn> {
    handles.iter().map(|handle| handle.urn.clone()).collect()
}
