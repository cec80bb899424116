//! `kit:random:Password`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Outputs, Resource, Result, Secret, State, Value};

use super::text::TextArgs;

/// A text of random characters that is secret: it is encrypted in the state and never shown. Its id says nothing about it.
///
/// It is made once and stays.
#[derive(Outputs)]
pub(crate) struct Password {
    /// The password.
    #[outrigger(stable)]
    result: Secret<String>,
    /// How many characters there are.
    length: u32,
    /// The values that it is kept by.
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
