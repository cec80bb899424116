//! Paths into values: `${bucket.tags["a.b"][0]}`.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use outrigger_provider::InvokeGoal;
use outrigger_syntax::Span;
use outrigger_value::{PropertyMap, Urn, Value};

use super::value::{Evaluated, Handle, Provenance};
use super::{At, Poisoned, Run};
use crate::check::{BUILTIN, Node, config_name};
use crate::interpolation::{Access, Step};

impl Run<'_> {
    /// The value at a path.
    pub(super) async fn read(&self, access: &Access, span: Span, at: At) -> Result<Evaluated, Poisoned> {
        let root = self.root(&access.root, span, at)?;
        if access.steps.is_empty() && !root.has_outputs() {
            return Ok((*root).clone());
        }
        if let Evaluated::Resource(handle) = &*root {
            return self.resource_property(handle, &access.steps, span, at).await;
        }
        self.follow((*root).clone(), &access.steps, span, at).await
    }

    fn root(&self, name: &str, span: Span, at: At) -> Result<Arc<Evaluated>, Poisoned> {
        if name == BUILTIN {
            return Ok(self.builtin.clone());
        }
        if let Some(node) = self.checked.scope.node(name) {
            return self.outcome(node);
        }
        let name = config_name(name, &self.source.settings.project, |name| self.config.contains_key(name));
        match name.and_then(|name| self.config.get(name)) {
            Some(value) => Ok(value.clone()),
            None => {
                let summary = "resource or variable could not be found";
                Err(self.fail(span, "yaml-unknown-name", summary, "Declare it, or set it as config.", at))
            }
        }
    }

    fn outcome(&self, node: Node) -> Result<Arc<Evaluated>, Poisoned> {
        match self.slot(node).and_then(|slot| slot.peek()) {
            Some(Ok(outcome)) => outcome.clone(),
            _ => Err(Poisoned),
        }
    }

    /// Follows steps. Everything inside the receiver is awaited first, so a part is as secret, and has as many dependencies, as
    /// the whole.
    pub(super) fn follow<'e>(
        &'e self,
        receiver: Evaluated,
        steps: &'e [Step],
        span: Span,
        at: At,
    ) -> BoxFuture<'e, Result<Evaluated, Poisoned>> {
        async move {
            let (mut receiver, provenance) = receiver.resolved();
            if provenance.unknown {
                return Ok(provenance.wrap(Evaluated::Null));
            }
            for (index, step) in steps.iter().enumerate() {
                receiver = match receiver {
                    Evaluated::Resource(handle) => {
                        let rest = steps.get(index..).unwrap_or_default();
                        return Ok(provenance.wrap(self.resource_property(&handle, rest, span, at).await?));
                    }
                    Evaluated::List(mut items) => {
                        let index = self.index(step, items.len(), span, at)?;
                        items.swap_remove(index)
                    }
                    Evaluated::Map(mut map) => map.remove(self.key(step, span, at)?).unwrap_or(Evaluated::Null),
                    other => return Err(self.no_receiver(other.word(), span, at)),
                };
            }
            Ok(provenance.wrap(receiver))
        }
        .boxed()
    }

    async fn resource_property(
        &self,
        handle: &Arc<Handle>,
        steps: &[Step],
        span: Span,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let provenance = Provenance::of(&handle.urn);
        let unknown = |mut provenance: Provenance| {
            provenance.unknown = true;
            Ok(provenance.wrap(Evaluated::Null))
        };
        let (step, rest) = match steps.split_first() {
            None => return Ok(Evaluated::Resource(handle.clone())),
            Some((Step::Name(name), [])) if name == "urn" => {
                return Ok(provenance.wrap(Evaluated::String(handle.urn.to_string())));
            }
            Some((Step::Name(name), [])) if name == "id" => {
                return match handle.id.as_ref().map(Value::bare) {
                    Some(Value::String(id)) => Ok(provenance.wrap(Evaluated::String(id.clone()))),
                    _ => unknown(provenance),
                };
            }
            Some((Step::Name(name), _)) if name == "urn" || name == "id" => {
                return Err(self.no_receiver("a string", span, at));
            }
            Some(parts) => parts,
        };
        let Some(outputs) = &handle.outputs else {
            let Some(fetched) = self.fetch(&handle.urn, span, at).await? else { return unknown(provenance) };
            let mut marks = Provenance::default();
            let value = self.property(&fetched, step, rest, None, &mut marks, span, at).await?;
            marks.merge(provenance);
            return Ok(marks.wrap(value));
        };
        let mut marks = provenance;
        let schema = handle.schema.as_ref().filter(|_| self.monitor.run().preview);
        let value =
            self.property(outputs, step, rest, schema.map(|schema| &schema.properties), &mut marks, span, at).await?;
        Ok(marks.wrap(value))
    }

    /// A property of a resource's outputs. In a preview, `promised` are the properties of the schema: missing ones are unknown.
    #[allow(clippy::too_many_arguments)]
    async fn property(
        &self,
        outputs: &PropertyMap,
        step: &Step,
        rest: &[Step],
        promised: Option<&std::collections::BTreeMap<String, outrigger_schema::Property>>,
        marks: &mut Provenance,
        span: Span,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let key = self.key(step, span, at)?;
        if !outputs.contains_key(key)
            && let Some(promised) = promised
            && promised.keys().any(|name| !outputs.contains_key(name))
        {
            marks.unknown = true;
            return Ok(Evaluated::Null);
        }
        let Some(value) = outputs.get(key) else {
            return match outputs.values().any(Value::contains_unknown) {
                true => {
                    marks.unknown = true;
                    Ok(Evaluated::Null)
                }
                false => self.end_of(Evaluated::Null, rest, span, at),
            };
        };
        self.raw(value, rest, marks, span, at).await
    }

    fn end_of(&self, value: Evaluated, rest: &[Step], span: Span, at: At) -> Result<Evaluated, Poisoned> {
        match rest {
            [] => Ok(value),
            _ => Err(self.no_receiver(value.word(), span, at)),
        }
    }

    /// Follows steps through a provider's answer. A secret on the way marks only what comes after it.
    fn raw<'e>(
        &'e self,
        value: &'e Value,
        steps: &'e [Step],
        marks: &'e mut Provenance,
        span: Span,
        at: At,
    ) -> BoxFuture<'e, Result<Evaluated, Poisoned>> {
        async move {
            let mut value = value;
            let mut steps = steps;
            loop {
                match (value, steps.split_first()) {
                    (Value::Secret(inner), _) => {
                        marks.secret = true;
                        value = inner;
                    }
                    (Value::Output(output), _) => {
                        marks.secret |= output.secret;
                        marks.dependencies.extend(output.dependencies.iter().cloned());
                        let Some(inner) = &output.value else {
                            marks.unknown = true;
                            return Ok(Evaluated::Null);
                        };
                        value = inner;
                    }
                    (Value::Unknown, _) => {
                        marks.unknown = true;
                        return Ok(Evaluated::Null);
                    }
                    (Value::Null, rest) => {
                        return self.end_of(Evaluated::Null, if rest.is_some() { steps } else { &[] }, span, at);
                    }
                    (Value::Resource(reference), _) => {
                        // As in Pulumi, a path follows references, also at its end.
                        let outputs = self.fetch(&reference.urn, span, at).await?;
                        let handle = Arc::new(Handle { outputs, ..Handle::referenced(reference) });
                        return self.follow(Evaluated::Resource(handle), steps, span, at).await;
                    }
                    (whole, None) => {
                        marks.unknown |= whole.contains_unknown();
                        return Ok(Evaluated::from_value(whole));
                    }
                    (Value::List(items), Some((step, rest))) => {
                        let index = self.index(step, items.len(), span, at)?;
                        let Some(item) = items.get(index) else { return Ok(Evaluated::Null) };
                        (value, steps) = (item, rest);
                    }
                    (Value::Map(map), Some((step, rest))) => match map.get(self.key(step, span, at)?) {
                        Some(item) => (value, steps) = (item, rest),
                        None if map.values().any(Value::contains_unknown) => {
                            marks.unknown = true;
                            return Ok(Evaluated::Null);
                        }
                        None => return self.end_of(Evaluated::Null, rest, span, at),
                    },
                    (other, Some(_)) => return Err(self.no_receiver(Evaluated::from_value(other).word(), span, at)),
                }
            }
        }
        .boxed()
    }

    /// The outputs of a resource reached through a reference. `None` while they cannot be known.
    async fn fetch(&self, urn: &Urn, span: Span, at: At) -> Result<Option<PropertyMap>, Poisoned> {
        let goal = InvokeGoal {
            token: "pulumi:pulumi:getResource".to_owned(),
            arguments: PropertyMap::from([("urn".to_owned(), Value::String(urn.to_string()))]),
            source: Some(self.place(span)),
            ..InvokeGoal::default()
        };
        let answer = self.monitor.invoke(goal).await.map_err(|error| self.refused(error, span, at.position))?;
        Ok(answer.map(|mut answer| match answer.remove("state").map(|state| state.bare().clone()) {
            Some(Value::Map(state)) => state,
            _ => PropertyMap::new(),
        }))
    }

    fn index(&self, step: &Step, length: usize, span: Span, at: At) -> Result<usize, Poisoned> {
        let Step::Index(index) = step else {
            let summary = "cannot access a list element using a property name";
            return Err(self.fail(span, "yaml-access", summary, "Write an index such as `[0]`.", at));
        };
        match usize::try_from(*index).ok().filter(|index| *index < length) {
            Some(index) => Ok(index),
            None => {
                let summary = format!("list index {index} out-of-bounds for list of length {length}");
                Err(self.fail(span, "yaml-access", summary, "Use an index that the list has.", at))
            }
        }
    }

    fn key<'s>(&self, step: &'s Step, span: Span, at: At) -> Result<&'s str, Poisoned> {
        match step {
            Step::Name(key) | Step::Key(key) => Ok(key),
            Step::Index(_) => {
                let summary = "cannot access an object property using an integer index";
                Err(self.fail(span, "yaml-access", summary, "Write a name such as `.name` or `[\"name\"]`.", at))
            }
        }
    }

    fn no_receiver(&self, kind: &str, span: Span, at: At) -> Poisoned {
        let summary = format!("receiver must be a list or object, not {kind}");
        self.fail(span, "yaml-access", summary, "Shorten the path, or check the value that it begins with.", at)
    }
}
