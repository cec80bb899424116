//! `kit:random:String`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Error, Inputs, Outputs, Resource, Result, State, Value};

use super::alphabet::Wishes;

/// What a random text is made of.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct StringArgs {
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

impl StringArgs {
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

/// A text of random characters, which anybody may see; for what is secret there is `kit:random:Password`.
///
/// It is made once and stays. A text that exists is imported by itself: the id is the text.
#[derive(Outputs)]
pub(crate) struct RandomString {
    /// The text.
    #[outrigger(stable)]
    result: String,
    /// How many characters there are.
    length: u32,
    /// The values that it is kept by.
    keepers: Option<BTreeMap<String, Value>>,
}

impl Resource for RandomString {
    type Inputs = StringArgs;
    const TOKEN: &'static str = "kit:random:String";

    async fn check(_cx: &Context, check: &mut Check<StringArgs>) -> Result<()> {
        let inputs = check.inputs.clone();
        inputs.wishes().check(check);
        Ok(())
    }

    async fn create(_cx: &Context, inputs: StringArgs) -> Result<Created<Self>> {
        let result = inputs.wishes().text()?;
        Ok(Created::new(result.clone(), Self { result, length: inputs.length, keepers: inputs.keepers }))
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let length = u32::try_from(id.chars().count()).map_err(|_| Error::new("the text is too long"))?;
        let inputs = StringArgs {
            length,
            lower: true,
            upper: true,
            numeric: true,
            special: true,
            min_lower: 0,
            min_upper: 0,
            min_numeric: 0,
            min_special: 0,
            override_special: None,
            keepers: None,
        };
        let outputs = Self { result: id.clone(), length, keepers: None };
        Ok(Some(State { id, inputs, outputs }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}
