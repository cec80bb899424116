//! A kind of resource.

use std::future::Future;

use outrigger_value::PropertyMap;

use crate::{Changes, Check, Context, Error, Inputs, Outputs, Preview, Result};

/// A kind of resource: the struct is what it answers, [`Resource::Inputs`] what it takes.
///
/// Only `create` and `delete` must be written. Types, required properties, defaults and unknown names are checked, changes
/// found and previews made from the two structs; the methods for these are there to be more exact.
///
/// Methods get whole, typed values. In a preview, where some inputs may not be known yet, `check` and `diff` are called only
/// when all are known.
pub trait Resource: Outputs {
    /// What it takes.
    type Inputs: Inputs;

    /// Its type token: `PACKAGE:MODULE:NAME`, such as `kit:fs:File`. The module `index` is the top of the package.
    const TOKEN: &'static str;

    /// Whether a replacement deletes the old one first: where two cannot exist side by side.
    const DELETE_BEFORE_REPLACE: bool = false;

    /// Checks what types cannot say, and may complete the inputs.
    fn check(_cx: &Context, _check: &mut Check<Self::Inputs>) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Corrects what a change of inputs would do. `changes` has what the two structs say.
    fn diff(
        _cx: &Context,
        _state: &State<Self>,
        _inputs: &Self::Inputs,
        _changes: &mut Changes,
    ) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Corrects what is foretold of a creation or an update. Outputs with the name of an input have its value, the others
    /// are unknown, or unchanged if they are `stable`.
    fn preview(_cx: &Context, _preview: &mut Preview) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Makes it.
    fn create(cx: &Context, inputs: Self::Inputs) -> impl Future<Output = Result<Created<Self>>> + Send;

    /// Reads what exists; `None` if it is gone. Inputs that differ now belong into the answer, too: that is how drift is seen.
    fn read(_cx: &Context, state: State<Self>) -> impl Future<Output = Result<Option<State<Self>>>> + Send {
        async { Ok(Some(state)) }
    }

    /// Reads what exists by its id alone, for `import` and `get`; `None` if there is no such thing.
    fn import(_cx: &Context, _id: String) -> impl Future<Output = Result<Option<State<Self>>>> + Send {
        async { Err(Error::unsupported(format!("{} cannot be read by its id alone", Self::TOKEN))) }
    }

    /// Changes it in place. Without this, every input has to be `replace`: `#[outrigger(replace)]` on the inputs does that.
    fn update(_cx: &Context, _state: State<Self>, _inputs: Self::Inputs) -> impl Future<Output = Result<Self>> + Send {
        async { Err(Error::unsupported(format!("{} cannot be changed in place", Self::TOKEN))) }
    }

    /// Removes it. That it is gone already is no failure.
    fn delete(cx: &Context, state: State<Self>) -> impl Future<Output = Result<()>> + Send;

    /// Brings properties that an older version of the plugin stored to what the structs are today.
    fn upgrade(_inputs: &mut PropertyMap, _outputs: &mut PropertyMap) {}
}

/// A resource that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Created<R> {
    /// How it is found again. Not empty.
    pub id: String,
    /// What it answers.
    pub outputs: R,
}

impl<R> Created<R> {
    /// A resource that was made.
    pub fn new(id: impl Into<String>, outputs: R) -> Self {
        Self { id: id.into(), outputs }
    }
}

/// A resource as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct State<R: Resource> {
    /// Its id.
    pub id: String,
    /// What it was made with.
    pub inputs: R::Inputs,
    /// What it answered.
    pub outputs: R,
}
