//! `kit:random:Integer`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Error, Inputs, Outputs, Resource, Result, State, Value};

use super::source::RandomSource;

/// The inputs of a random number.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct IntegerArgs {
    /// The smallest possible number.
    min: i64,
    /// The largest possible number.
    max: i64,
    /// Any values. When one of them changes, a new number is generated.
    keepers: Option<BTreeMap<String, Value>>,
}

/// A random whole number. Every number from `min` to `max` is equally likely.
///
/// It is generated once and stays the same. An existing number is imported as `NUMBER,MIN,MAX`.
#[derive(Outputs)]
pub(crate) struct Integer {
    /// The number.
    #[outrigger(stable)]
    result: i64,
    /// The smallest possible number.
    min: i64,
    /// The largest possible number.
    max: i64,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

/// Both ends are within the exact range of a double, so neither step overflows.
fn draw(min: i64, max: i64) -> Result<i64> {
    let width = max.checked_sub(min).and_then(|width| u64::try_from(width).ok()).and_then(|width| width.checked_add(1));
    let width = width.ok_or_else(|| Error::new("`max` is below `min`"))?;
    let offset = i64::try_from(RandomSource::new().below(width)?).unwrap_or_default();
    Ok(min.saturating_add(offset))
}

impl Resource for Integer {
    type Inputs = IntegerArgs;
    const TOKEN: &'static str = "kit:random:Integer";

    async fn check(_cx: &Context, check: &mut Check<IntegerArgs>) -> Result<()> {
        if check.inputs.max < check.inputs.min {
            check.refuse("max", "it is below `min`");
        }
        Ok(())
    }

    async fn create(_cx: &Context, inputs: IntegerArgs) -> Result<Created<Self>> {
        let IntegerArgs { min, max, keepers } = inputs;
        let result = draw(min, max)?;
        Ok(Created::new(result.to_string(), Self { result, min, max, keepers }))
    }

    async fn import(_cx: &Context, id: String) -> Result<Option<State<Self>>> {
        let numbers: Vec<i64> = id.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let &[result, min, max] = numbers.as_slice() else {
            return Err(Error::new(format!("`{id}` is not of the form `NUMBER,MIN,MAX`, such as `7,1,10`")));
        };
        if !(min..=max).contains(&result) {
            return Err(Error::new(format!("{result} is not from {min} to {max}")));
        }
        let inputs = IntegerArgs { min, max, keepers: None };
        Ok(Some(State { id: result.to_string(), inputs, outputs: Self { result, min, max, keepers: None } }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_reached_and_none_is_passed() {
        let seen: std::collections::BTreeSet<i64> = (0..500).map(|_| draw(-2, 2).unwrap()).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        assert_eq!(draw(5, 5).unwrap(), 5);
        assert!(draw(6, 5).is_err());
        let widest = 9_007_199_254_740_992;
        assert!((-widest..=widest).contains(&draw(-widest, widest).unwrap()));
    }
}
