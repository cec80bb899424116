//! A resource type.

use std::future::Future;

use outrigger_value::PropertyMap;

use crate::{Changes, Check, Context, Error, Inputs, Outputs, Preview, Result};

/// A resource type: the struct has its outputs, [`Resource::Inputs`] its inputs.
///
/// Only `create` and `delete` must be written. Types, required properties, defaults and names of properties are checked, changes found and previews
/// made from the two structs; the other methods refine that.
///
/// Methods get whole, typed values. In a preview, where some inputs may not be known yet, `check` and `diff` are called only when all are known.
pub trait Resource: Outputs {
    /// The inputs.
    type Inputs: Inputs;

    /// Its type token: `PACKAGE:MODULE:NAME`, such as `kit:fs:File`. The module `index` is the top of the package.
    const TOKEN: &'static str;

    /// Whether a replacement deletes the old resource first, because two cannot exist at once.
    const DELETE_BEFORE_REPLACE: bool = false;

    /// Checks rules that types cannot express, and may complete the inputs.
    fn check(_cx: &Context, _check: &mut Check<Self::Inputs>) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Corrects the effect of a change of inputs. `changes` has the changes that follow from the attributes of the inputs.
    fn diff(
        _cx: &Context,
        _state: &State<Self>,
        _inputs: &Self::Inputs,
        _changes: &mut Changes,
    ) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Corrects the outputs that a preview shows. Outputs with the name of an input have its value, the others
    /// are unknown, or unchanged if they are `stable`.
    fn preview(_cx: &Context, _preview: &mut Preview) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Creates the resource.
    fn create(cx: &Context, inputs: Self::Inputs) -> impl Future<Output = Result<Created<Self>>> + Send;

    /// Reads the resource; `None` if it is missing. Set inputs that differ, too: drift is found by them.
    fn read(_cx: &Context, state: State<Self>) -> impl Future<Output = Result<Option<State<Self>>>> + Send {
        async { Ok(Some(state)) }
    }

    /// Reads a resource by its id alone, for `import` and `get`; `None` if it does not exist.
    fn import(_cx: &Context, _id: String) -> impl Future<Output = Result<Option<State<Self>>>> + Send {
        async { Err(Error::unsupported(format!("{} cannot be read by its id alone", Self::TOKEN))) }
    }

    /// Changes the resource in place. Without this, every input has to be `replace`: `#[outrigger(replace)]` on the inputs does that.
    fn update(_cx: &Context, _state: State<Self>, _inputs: Self::Inputs) -> impl Future<Output = Result<Self>> + Send {
        async { Err(Error::unsupported(format!("{} cannot be changed in place", Self::TOKEN))) }
    }

    /// Deletes the resource. A resource that is missing already is no failure.
    fn delete(cx: &Context, state: State<Self>) -> impl Future<Output = Result<()>> + Send;

    /// Changes properties that an older version of the plugin stored to the types of today's structs.
    fn upgrade(_inputs: &mut PropertyMap, _outputs: &mut PropertyMap) {}
}

/// A resource that was created.
#[derive(Clone, Debug, PartialEq)]
pub struct Created<R> {
    /// The id, which is not empty: later calls find the resource by it.
    pub id: String,
    /// The outputs.
    pub outputs: R,
}

impl<R> Created<R> {
    /// A resource that was created.
    pub fn new(id: impl Into<String>, outputs: R) -> Self {
        Self { id: id.into(), outputs }
    }
}

/// A resource as the state has it.
#[derive(Clone, Debug, PartialEq)]
pub struct State<R: Resource> {
    /// The id.
    pub id: String,
    /// The inputs.
    pub inputs: R::Inputs,
    /// The outputs.
    pub outputs: R,
}
