//! Functions of packages, and outputs of other stacks.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use outrigger_provider::{InvokeGoal, ReadGoal};
use outrigger_schema::{Package, Returns};
use outrigger_syntax::Span;
use outrigger_value::{PropertyMap, Value};

use super::value::{Evaluated, Handle, Reader};
use super::{At, Poisoned, Run};
use crate::expression::{Expression, Invoke, Literal};
use crate::interpolation::Step;

/// The type of a reference to another stack.
pub(super) const STACK_REFERENCE: &str = "pulumi:pulumi:StackReference";

impl Run<'_> {
    pub(super) async fn invoke(&self, invoke: &Invoke, span: Span, at: At) -> Result<Evaluated, Poisoned> {
        let found = self.checked.invokes.get(invoke.number).ok_or(Poisoned)?;
        let mut arguments = BTreeMap::new();
        let mut failed = false;
        for (name, value) in &invoke.arguments {
            match self.evaluate(value, At { provider: None, ..at }).await {
                Ok(value) => {
                    arguments.insert(name.text.to_string(), value);
                }
                Err(Poisoned) => failed = true,
            }
        }
        let provider = match (&invoke.options.provider, at.provider) {
            (Some(option), _) => Some(self.provider(option, at).await?),
            (None, Some(default)) => self.handle(default).and_then(|handle| handle.provider_reference()),
            (None, None) => match &invoke.options.parent {
                Some(parent) => {
                    let parent = self.one_resource(parent, at).await?;
                    parent.providers.get(found.package.name()).cloned()
                }
                None => None,
            },
        };
        let depends_on = match &invoke.options.depends_on {
            Some(list) => self.resources(list, "dependsOn", at).await?,
            None => Vec::new(),
        };
        if failed {
            return Err(Poisoned);
        }
        let (arguments, mut provenance) = Evaluated::Map(arguments).resolved();
        // The result is an output even if none of its arguments was.
        provenance.is_output = true;
        provenance.dependencies.extend(depends_on.iter().map(|handle| handle.urn.clone()));
        if provenance.unknown {
            return Ok(provenance.wrap(Evaluated::Null));
        }
        let arguments = match arguments.marshalled(Reader::Provider).0 {
            Some(Value::Map(arguments)) => arguments,
            _ => PropertyMap::new(),
        };
        let goal = InvokeGoal {
            token: found.schema.token.clone(),
            arguments,
            provider,
            package: found.descriptor().cloned(),
            source: Some(self.place(span)),
            places: self.argument_places(invoke.number),
        };
        let answer = self.monitor.invoke(goal).await.map_err(|error| self.refused(error, span, at.position))?;
        let Some(answer) = answer else {
            provenance.unknown = true;
            return Ok(provenance.wrap(Evaluated::Null));
        };
        // One secret in the answer makes all of it secret, and one unknown value makes all of it unknown.
        provenance.secret |= answer.values().any(Value::contains_secret);
        if answer.values().any(Value::contains_unknown) {
            provenance.unknown = true;
            return Ok(provenance.wrap(Evaluated::Null));
        }
        let answer: PropertyMap = answer.into_iter().map(|(key, value)| (key, value.unwrap_secrets())).collect();
        let result = self.returned(invoke, &found.schema.returns, answer, span, at)?;
        Ok(provenance.wrap(Evaluated::from_value(&result)))
    }

    fn returned(
        &self,
        invoke: &Invoke,
        returns: &Returns,
        answer: PropertyMap,
        span: Span,
        at: At,
    ) -> Result<Value, Poisoned> {
        let function = &invoke.function.text;
        if matches!(returns, Returns::Value(_)) && !self.is_object(invoke) {
            let count = answer.len();
            return match (answer.into_values().next(), count) {
                (Some(only), 1) => Ok(only),
                _ => {
                    let summary = format!("fn::invoke of {function} expected a single return value, got {count}");
                    Err(self.fail(
                        span,
                        "yaml-return",
                        summary,
                        "The plugin and its schema disagree; try another version.",
                        at,
                    ))
                }
            };
        }
        let Some(returned) = &invoke.returned else { return Ok(Value::Map(answer)) };
        match answer.get(&*returned.text) {
            Some(value) => Ok(value.clone()),
            None => {
                let summary = format!(
                    "fn::invoke of {function} did not contain a property '{}' in the returned value",
                    returned.text
                );
                Err(self.fail(returned.span, "yaml-return", summary, "Check the spelling, capitals included.", at))
            }
        }
    }

    /// Whether a function's only return type is a named object, which is then the whole answer.
    fn is_object(&self, invoke: &Invoke) -> bool {
        let Some(found) = self.checked.invokes.get(invoke.number) else { return false };
        let Returns::Value(outrigger_schema::Type::Named(reference)) = &found.schema.returns else { return false };
        let definition = found.package.ty(&reference.token).ok().flatten();
        definition.is_some_and(|definition| matches!(&*definition, outrigger_schema::Definition::Object(_)))
    }

    /// `fn::stackReference`: one read for each stack, however many calls there are.
    pub(super) async fn stack_output(
        &self,
        stack: &Literal,
        property: &Expression,
        at: At,
    ) -> Result<Evaluated, Poisoned> {
        let (property_value, provenance) = self.evaluate(property, at).await?.resolved();
        if provenance.unknown {
            return Ok(provenance.wrap(Evaluated::Null));
        }
        let Evaluated::String(name) = property_value else {
            let found = property_value.word();
            let summary = format!("expected property name argument to fn::stackReference to be a string, got {found}");
            return Err(self.fail(property.span, "yaml-function", summary, "Use a string.", at));
        };
        let cell = {
            let mut stacks = self.stacks.lock().unwrap_or_else(PoisonError::into_inner);
            stacks.entry(stack.text.to_string()).or_default().clone()
        };
        let handle = cell.get_or_init(|| self.read_stack(stack, at)).await;
        let handle = handle.clone().ok_or(Poisoned)?;
        let steps = [Step::Name("outputs".to_owned()), Step::Key(name)];
        let value = self.follow(Evaluated::Resource(handle), &steps, stack.span, at).await?;
        Ok(provenance.wrap(value))
    }

    async fn read_stack(&self, stack: &Literal, at: At) -> Option<Arc<Handle>> {
        let schema = Package::builtin().resource(STACK_REFERENCE).ok().flatten();
        let goal = ReadGoal {
            ty: STACK_REFERENCE.to_owned(),
            name: stack.text.to_string(),
            id: Some(Value::String(stack.text.to_string())),
            properties: PropertyMap::from([("name".to_owned(), Value::String(stack.text.to_string()))]),
            source: Some(self.place(stack.span)),
            ..ReadGoal::default()
        };
        match self.monitor.read(goal).await {
            Ok(read) => Some(Arc::new(Handle {
                urn: read.urn,
                id: read.id,
                outputs: Some(read.outputs),
                schema,
                providers: BTreeMap::new(),
            })),
            Err(error) => {
                self.refused(error, stack.span, at.position);
                None
            }
        }
    }
}
