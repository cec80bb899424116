//! Evaluates expressions.

use std::collections::BTreeMap;

use futures::FutureExt;
use futures::future::BoxFuture;
use outrigger_syntax::Span;
use outrigger_value::{Archive, ArchiveSource, PropertyMap};

use super::value::{Evaluated, Provenance};
use super::{At, Poisoned, Run, text};
use crate::expression::{Expression, Kind};
use crate::interpolation::Part;

impl Run<'_> {
    /// The value of an expression. Its dependencies have been awaited.
    pub(super) fn evaluate<'e>(
        &'e self,
        expression: &'e Expression,
        at: At,
    ) -> BoxFuture<'e, Result<Evaluated, Poisoned>> {
        let span = expression.span;
        async move {
            match &expression.kind {
                Kind::Null => Ok(Evaluated::Null),
                Kind::Bool(value) => Ok(Evaluated::Bool(*value)),
                Kind::Number(value) => Ok(Evaluated::Number(*value)),
                Kind::String(text) => Ok(Evaluated::String(text.to_string())),
                Kind::Text(parts) => self.interpolate(parts, span, at).await,
                Kind::Symbol(access) => self.read(access, span, at).await,
                Kind::List(items) => self.all(items, span, at).await.map(Evaluated::List),
                Kind::Object(entries) => self.object(entries, span, at).await,
                Kind::Call(function, arguments) => self.call(*function, arguments, span, at).await,
                Kind::AssetArchive(assets) => self.asset_archive(assets, span, at).await,
                Kind::Invoke(invoke) => self.invoke(invoke, span, at).await,
                Kind::StackReference(reference) => self.stack_output(&reference.0, &reference.1, at).await,
            }
        }
        .boxed()
    }

    /// Evaluates all, so that every error is reported; if one fails, the result is missing.
    pub(super) async fn all(&self, expressions: &[Expression], span: Span, at: At) -> Result<Vec<Evaluated>, Poisoned> {
        let mut values = Ok(Vec::with_capacity(expressions.len()));
        let mut size = 0_usize;
        for expression in expressions {
            match (self.evaluate(expression, at).await, &mut values) {
                (Ok(value), Ok(values)) => {
                    size = size.saturating_add(value.size());
                    self.fits(size, span, at)?;
                    values.push(value);
                }
                (Ok(_), Err(_)) => {}
                (Err(poisoned), _) => values = Err(poisoned),
            }
        }
        values
    }

    async fn object(&self, entries: &[(Expression, Expression)], span: Span, at: At) -> Result<Evaluated, Poisoned> {
        let mut map = BTreeMap::new();
        let mut size = 0_usize;
        let mut keys = Provenance::default();
        let mut failed = None;
        for (key, value) in entries {
            let name = self.evaluate(key, at).await;
            let value = self.evaluate(value, at).await;
            let (Ok(name), Ok(value)) = (name, value) else {
                failed = Some(Poisoned);
                continue;
            };
            size = size.saturating_add(name.size()).saturating_add(value.size());
            self.fits(size, span, at)?;
            let (name, provenance) = name.resolved();
            let unknown = provenance.unknown;
            keys.merge(provenance);
            match name {
                Evaluated::String(name) => {
                    map.insert(name, value);
                }
                _ if unknown => {}
                other => {
                    let summary = format!("object key must evaluate to a string, not {}", other.word());
                    failed = Some(self.fail(key.span, "yaml-key", summary, "Use a string.", at));
                }
            }
        }
        match failed {
            Some(poisoned) => Err(poisoned),
            // A key that comes from a resource makes the whole object an output.
            None => Ok(keys.wrap(Evaluated::Map(map))),
        }
    }

    async fn interpolate(&self, parts: &[Part], span: Span, at: At) -> Result<Evaluated, Poisoned> {
        let mut text = String::new();
        let mut whole = Provenance::default();
        for part in parts {
            text.push_str(&part.text);
            let Some(access) = &part.access else { continue };
            let (value, provenance) = self.read(access, span, at).await?.resolved();
            let unknown = provenance.unknown;
            whole.merge(provenance);
            if unknown {
                continue;
            }
            match text::shown(&value) {
                Ok(shown) => {
                    self.fits(text.len().saturating_add(shown.len()), span, at)?;
                    text.push_str(&shown);
                }
                Err(kind) => {
                    let summary = format!("${{{access}}} cannot be part of a string, because it is or contains {kind}");
                    return Err(self.fail(
                        span,
                        "yaml-text",
                        summary,
                        "Read a property of it, such as `.id` or `.urn`.",
                        at,
                    ));
                }
            }
        }
        Ok(whole.wrap(Evaluated::String(text)))
    }

    async fn asset_archive(
        &self,
        assets: &BTreeMap<String, Expression>,
        span: Span,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let mut contents = PropertyMap::new();
        let mut whole = Provenance::default();
        for (path, asset) in assets {
            let (value, provenance) = self.evaluate(asset, at).await?.resolved();
            let unknown = provenance.unknown;
            whole.merge(provenance);
            let value = match value {
                Evaluated::Asset(asset) => asset.into(),
                Evaluated::Archive(archive) => archive.into(),
                _ if unknown => continue,
                other => {
                    let summary = format!("`{path}` must be an asset or an archive, not {}", other.word());
                    return Err(self.fail(span, "yaml-function", summary, "Use a function that creates an asset.", at));
                }
            };
            contents.insert(path.clone(), value);
        }
        let archive = Archive { hash: String::new(), source: ArchiveSource::Assets(contents) };
        Ok(whole.wrap(Evaluated::Archive(archive)))
    }
}
