//! `kit:random:Password`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Outputs, Resource, Result, Secret, State, Value};

use super::text::TextArgs;

/// A secret text of random characters: it is encrypted in the state and never shown. Its id reveals nothing about it.
///
/// It is generated once and stays the same.
#[derive(Outputs)]
pub(crate) struct Password {
    /// The password.
    #[outrigger(stable)]
    result: Secret<String>,
    /// The number of characters.
    length: u32,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

impl Resource for Password {
    type Inputs = TextArgs;
    const TOKEN: &'static str = "kit:random:Password";

    async fn check(_cx: &Context, check: &mut Check<TextArgs>) -> Result<()> {
        TextArgs::check(check);
        Ok(())
    }

    async fn create(_cx: &Context, inputs: TextArgs) -> Result<Created<Self>> {
        let result = Secret::new(inputs.text()?);
        let id = ::uuid::Uuid::new_v4().to_string();
        Ok(Created::new(id, Self { result, length: inputs.length, keepers: inputs.keepers }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
