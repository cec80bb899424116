//! `kit:random:Uuid`.

use std::collections::BTreeMap;

use outrigger_sdk::{Context, Created, Error, Inputs, Outputs, Resource, Result, State, Value};

/// The inputs of a UUID.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct UuidArgs {
    /// Any values. When one of them changes, a new UUID is generated.
    keepers: Option<BTreeMap<String, Value>>,
}

/// A random UUID (version 4).
///
/// It is generated once and stays the same. An existing UUID is imported by itself.
#[derive(Outputs)]
pub(crate) struct Uuid {
    /// The UUID, in lower-case digits with hyphens.
    #[outrigger(stable)]
    result: String,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

impl Resource for Uuid {
    type Inputs = UuidArgs;
    const TOKEN: &'static str = "kit:random:Uuid";

    async fn create(_cx: &Context, inputs: UuidArgs) -> Result<Created<Self>> {
        let result = ::uuid::Uuid::new_v4().to_string();
        Ok(Created::new(result.clone(), Self { result, keepers: inputs.keepers }))
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let parsed =
            ::uuid::Uuid::parse_str(&id).map_err(|error| Error::new(format!("`{id}` is not a UUID: {error}")))?;
        let result = parsed.to_string();
        let outputs = Self { result: result.clone(), keepers: None };
        Ok(Some(State { id: result, inputs: UuidArgs { keepers: None }, outputs }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
