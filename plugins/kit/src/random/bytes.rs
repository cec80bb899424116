//! `kit:random:Bytes`.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use outrigger_sdk::{Check, Context, Created, Inputs, Outputs, Resource, Result, Secret, State, Value};

use super::source;

/// A greater length is taken for a mistake.
const LONGEST: u32 = 1024 * 1024;

/// The inputs of random bytes.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct BytesArgs {
    /// The number of bytes, up to 1048576.
    length: u32,
    /// Any values. When one of them changes, new bytes are generated.
    keepers: Option<BTreeMap<String, Value>>,
}

/// Random bytes that are secret, such as a key: they are encrypted in the state and never shown.
///
/// They are generated once and stay the same.
#[derive(Outputs)]
pub(crate) struct Bytes {
    /// The bytes, as base64.
    #[outrigger(stable)]
    base64: Secret<String>,
    /// The bytes, in hexadecimal digits.
    #[outrigger(stable)]
    hex: Secret<String>,
    /// The number of bytes.
    length: u32,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

impl Resource for Bytes {
    type Inputs = BytesArgs;
    const TOKEN: &'static str = "kit:random:Bytes";

    async fn check(_cx: &Context, check: &mut Check<BytesArgs>) -> Result<()> {
        if !(1..=LONGEST).contains(&check.inputs.length) {
            check.refuse("length", format!("a length must be from 1 to {LONGEST}"));
        }
        Ok(())
    }

    async fn create(_cx: &Context, inputs: BytesArgs) -> Result<Created<Self>> {
        let mut bytes = vec![0; inputs.length.min(LONGEST) as usize];
        source::fill(&mut bytes)?;
        let outputs = Self {
            base64: STANDARD.encode(&bytes).into(),
            hex: hex::encode(&bytes).into(),
            length: inputs.length,
            keepers: inputs.keepers,
        };
        Ok(Created::new(::uuid::Uuid::new_v4().to_string(), outputs))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
