//! `kit:random:String`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Error, Outputs, Resource, Result, State, Value};

use super::text::TextArgs;

/// A text of random characters that is not secret; for secrets use `kit:random:Password`.
///
/// It is generated once and stays the same. An existing text is imported by itself: the id is the text.
#[derive(Outputs)]
pub(crate) struct RandomString {
    /// The text.
    #[outrigger(stable)]
    result: String,
    /// The number of characters.
    length: u32,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

impl Resource for RandomString {
    type Inputs = TextArgs;
    const TOKEN: &'static str = "kit:random:String";

    async fn check(_cx: &Context, check: &mut Check<TextArgs>) -> Result<()> {
        TextArgs::check(check);
        Ok(())
    }

    async fn create(_cx: &Context, inputs: TextArgs) -> Result<Created<Self>> {
        let result = inputs.text()?;
        Ok(Created::new(result.clone(), Self { result, length: inputs.length, keepers: inputs.keepers }))
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let length = u32::try_from(id.chars().count()).map_err(|_| Error::new("the text is too long"))?;
        let inputs = TextArgs::any(length);
        let outputs = Self { result: id.clone(), length, keepers: None };
        Ok(Some(State { id, inputs, outputs }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
