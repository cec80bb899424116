//! Resources and functions without their types, so that a package can hold all of them.

use std::marker::PhantomData;

use async_trait::async_trait;
use outrigger_provider::State as Stored;
use outrigger_value::{PropertyMap, Value, diff, secrecy};

use crate::shape::ObjectShape;
use crate::validation::{Completed, is_internal};
use crate::{Changes, Check, Context, Error, Function, Preview, Properties, Resource, Result, State};

/// A kind of resource.
#[async_trait]
pub(crate) trait AnyResource: Send + Sync {
    fn taken(&self) -> &'static ObjectShape;
    fn answered(&self) -> &'static ObjectShape;
    fn deletes_before_replace(&self) -> bool;
    fn upgrade(&self, state: &mut Stored);
    async fn check(
        &self,
        cx: &Context,
        old: Option<PropertyMap>,
        completed: Completed,
        seed: [u8; 32],
    ) -> Result<Completed>;
    async fn diff(&self, cx: &Context, prior: &Stored, inputs: &PropertyMap, changes: &mut Changes) -> Result<()>;
    async fn preview(&self, cx: &Context, preview: &mut Preview) -> Result<()>;
    async fn create(&self, cx: &Context, inputs: PropertyMap) -> Result<Stored>;
    async fn read(&self, cx: &Context, state: Stored) -> Result<Option<Stored>>;
    async fn import(&self, cx: &Context, id: String) -> Result<Option<Stored>>;
    async fn update(&self, cx: &Context, prior: Stored, inputs: PropertyMap) -> Result<Stored>;
    async fn delete(&self, cx: &Context, prior: Stored) -> Result<()>;
}

/// A function.
#[async_trait]
pub(crate) trait AnyFunction: Send + Sync {
    fn taken(&self) -> &'static ObjectShape;
    fn answered(&self) -> &'static ObjectShape;
    async fn call(&self, cx: &Context, arguments: PropertyMap) -> Result<PropertyMap>;
}

/// The way from a type to the two traits above.
pub(crate) struct Of<T>(PhantomData<fn() -> T>);

impl<T> Of<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Resource> Of<R> {
    fn typed(stored: Stored) -> Result<State<R>> {
        let Stored { id, inputs, outputs, .. } = stored;
        Ok(State { id, inputs: decode(inputs, "inputs")?, outputs: decode(outputs, "outputs")? })
    }

    fn stored(state: State<R>) -> Stored {
        let State { id, inputs, outputs } = state;
        Stored { id, inputs: inputs.encode(), outputs: outputs.encode(), ..Stored::default() }
    }
}

/// Gives an answer the secret marks of the inputs with the same names, whatever the struct declares. If a value is the same, its marks are exactly
/// the same, too.
pub(crate) fn conceal(answer: PropertyMap, inputs: &PropertyMap) -> PropertyMap {
    let is_same = |name: &String, value: &Value| {
        !matches!(value, Value::Secret(_)) && inputs.get(name).is_some_and(|input| diff::equal(input, value))
    };
    let (mut same, mut other): (PropertyMap, PropertyMap) =
        answer.into_iter().partition(|(name, value)| is_same(name, value));
    for (name, value) in &mut same {
        if let Some(input) = inputs.get(name) {
            value.clone_from(input);
        }
    }
    secrecy::annotate(&mut other, inputs);
    same.append(&mut other);
    same
}

fn decode<T: Properties>(properties: PropertyMap, what: &str) -> Result<T> {
    T::decode(properties)
        .map_err(|mismatch| Error::new(format!("the {what} in the state do not fit the current types: {mismatch}")))
}

#[async_trait]
impl<R: Resource> AnyResource for Of<R> {
    fn taken(&self) -> &'static ObjectShape {
        R::Inputs::shape()
    }

    fn answered(&self) -> &'static ObjectShape {
        R::shape()
    }

    fn deletes_before_replace(&self) -> bool {
        R::DELETE_BEFORE_REPLACE
    }

    fn upgrade(&self, state: &mut Stored) {
        R::upgrade(&mut state.inputs, &mut state.outputs);
    }

    /// The inputs are of the right shape, and all known.
    async fn check(
        &self,
        cx: &Context,
        old: Option<PropertyMap>,
        completed: Completed,
        seed: [u8; 32],
    ) -> Result<Completed> {
        let Completed { inputs, mut failures } = completed;
        let typed = match R::Inputs::decode(inputs.clone()) {
            Ok(typed) => typed,
            // A number may be too large for its type, which the shape does not show.
            Err(mismatch) => {
                failures.push(mismatch.into());
                return Ok(Completed { inputs, failures });
            }
        };
        let old = old.and_then(|old| R::Inputs::decode(old).ok());
        let mut check = Check { inputs: typed, old, failures, seed };
        R::check(cx, &mut check).await?;
        let mut checked = conceal(check.inputs.encode(), &inputs);
        checked.extend(inputs.into_iter().filter(|(name, _)| is_internal(name)));
        Ok(Completed { inputs: checked, failures: check.failures })
    }

    async fn diff(&self, cx: &Context, prior: &Stored, inputs: &PropertyMap, changes: &mut Changes) -> Result<()> {
        // Unknown inputs, and a state stored in another shape, cannot be shown to the author as a type.
        if inputs.values().any(Value::contains_unknown) {
            return Ok(());
        }
        let (Ok(prior), Ok(inputs)) = (Self::typed(prior.clone()), R::Inputs::decode(inputs.clone())) else {
            return Ok(());
        };
        R::diff(cx, &prior, &inputs, changes).await
    }

    async fn preview(&self, cx: &Context, preview: &mut Preview) -> Result<()> {
        R::preview(cx, preview).await
    }

    async fn create(&self, cx: &Context, inputs: PropertyMap) -> Result<Stored> {
        let created = R::create(cx, decode(inputs.clone(), "inputs")?).await?;
        if created.id.is_empty() {
            let message = "the plugin created it without an id, so it cannot be found again";
            return Err(Error::new(message).in_doubt());
        }
        let outputs = conceal(created.outputs.encode(), &inputs);
        Ok(Stored { id: created.id, inputs, outputs, ..Stored::default() })
    }

    async fn read(&self, cx: &Context, state: Stored) -> Result<Option<Stored>> {
        let known = state.inputs.clone();
        let Some(found) = R::read(cx, Self::typed(state)?).await? else { return Ok(None) };
        let mut found = Self::stored(found);
        found.inputs = conceal(found.inputs, &known);
        found.inputs.extend(known.into_iter().filter(|(name, _)| is_internal(name)));
        found.outputs = conceal(found.outputs, &found.inputs);
        Ok(Some(found))
    }

    async fn import(&self, cx: &Context, id: String) -> Result<Option<Stored>> {
        let Some(found) = R::import(cx, id).await? else { return Ok(None) };
        let mut found = Self::stored(found);
        found.outputs = conceal(found.outputs, &found.inputs);
        Ok(Some(found))
    }

    async fn update(&self, cx: &Context, prior: Stored, inputs: PropertyMap) -> Result<Stored> {
        let id = prior.id.clone();
        let outputs = R::update(cx, Self::typed(prior)?, decode(inputs.clone(), "inputs")?).await?;
        let outputs = conceal(outputs.encode(), &inputs);
        Ok(Stored { id, inputs, outputs, ..Stored::default() })
    }

    async fn delete(&self, cx: &Context, prior: Stored) -> Result<()> {
        R::delete(cx, Self::typed(prior)?).await
    }
}

#[async_trait]
impl<F: Function> AnyFunction for Of<F> {
    fn taken(&self) -> &'static ObjectShape {
        F::shape()
    }

    fn answered(&self) -> &'static ObjectShape {
        F::Result::shape()
    }

    async fn call(&self, cx: &Context, arguments: PropertyMap) -> Result<PropertyMap> {
        let secret = secrecy::has_secrets(&arguments);
        let mut result = F::decode(arguments)?.call(cx).await?.encode();
        if secret {
            secrecy::conceal_all(&mut result);
        }
        Ok(result)
    }
}
