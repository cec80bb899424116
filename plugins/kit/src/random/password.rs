//! `kit:random:Password`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Inputs, Outputs, Resource, Result, Secret, State, Value};

use super::alphabet::Wishes;

/// What a password is made of.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct PasswordArgs {
    /// How many characters there are.
    length: u32,
    /// Whether there are lower-case letters.
    #[outrigger(default = true)]
    lower: bool,
    /// Whether there are upper-case letters.
    #[outrigger(default = true)]
    upper: bool,
    /// Whether there are digits.
    #[outrigger(default = true)]
    numeric: bool,
    /// Whether there are special characters: `!#$%&()*+,-./:;<=>?@[]^_{|}~`, or those of `overrideSpecial`.
    #[outrigger(default = true)]
    special: bool,
    /// How many lower-case letters there are at least.
    #[outrigger(default = 0)]
    min_lower: u32,
    /// How many upper-case letters there are at least.
    #[outrigger(default = 0)]
    min_upper: u32,
    /// How many digits there are at least.
    #[outrigger(default = 0)]
    min_numeric: u32,
    /// How many special characters there are at least.
    #[outrigger(default = 0)]
    min_special: u32,
    /// The special characters to choose from.
    override_special: Option<String>,
    /// Any values. When one of them changes, a new value is made.
    keepers: Option<BTreeMap<String, Value>>,
}

impl PasswordArgs {
    fn wishes(&self) -> Wishes<'_> {
        Wishes {
            length: self.length,
            lower: self.lower,
            upper: self.upper,
            numeric: self.numeric,
            special: self.special,
            min_lower: self.min_lower,
            min_upper: self.min_upper,
            min_numeric: self.min_numeric,
            min_special: self.min_special,
            override_special: self.override_special.as_deref(),
        }
    }
}

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
    type Inputs = PasswordArgs;
    const TOKEN: &'static str = "kit:random:Password";

    async fn check(_cx: &Context, check: &mut Check<PasswordArgs>) -> Result<()> {
        let inputs = check.inputs.clone();
        inputs.wishes().check(check);
        Ok(())
    }

    async fn create(_cx: &Context, inputs: PasswordArgs) -> Result<Created<Self>> {
        let result = Secret::new(inputs.wishes().text()?);
        let id = ::uuid::Uuid::new_v4().to_string();
        Ok(Created::new(id, Self { result, length: inputs.length, keepers: inputs.keepers }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
