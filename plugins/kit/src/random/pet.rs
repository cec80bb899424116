//! `kit:random:Pet`.

use std::collections::BTreeMap;

use outrigger_sdk::{Check, Context, Created, Inputs, Outputs, Resource, Result, State, Value};

use super::source::RandomSource;
use super::words::{ADJECTIVES, ANIMALS};

const LONGEST: u32 = 20;

/// The inputs of a pet's name.
#[derive(Clone, Inputs)]
#[outrigger(replace)]
pub(crate) struct PetArgs {
    /// The number of words, without the prefix: an animal, preceded by adjectives.
    #[outrigger(default = 2)]
    length: u32,
    /// The text between the words.
    #[outrigger(default = "-")]
    separator: String,
    /// The first word.
    prefix: Option<String>,
    /// Any values. When one of them changes, a new name is generated.
    keepers: Option<BTreeMap<String, Value>>,
}

/// A name that is easy to remember, such as `brave-otter`. There are some hundred thousand names of two words: to avoid
/// equal names by chance, use more words, or a `kit:random:String`.
///
/// It is generated once and stays the same.
#[derive(Outputs)]
pub(crate) struct Pet {
    /// The name.
    #[outrigger(stable)]
    result: String,
    /// The number of words, without the prefix.
    length: u32,
    /// The text between the words.
    separator: String,
    /// The first word.
    prefix: Option<String>,
    /// The `keepers` as given.
    keepers: Option<BTreeMap<String, Value>>,
}

fn name(inputs: &PetArgs) -> Result<String> {
    let mut source = RandomSource::new();
    let mut words = Vec::new();
    words.extend(inputs.prefix.as_deref().filter(|prefix| !prefix.is_empty()));
    for _ in 1..inputs.length.clamp(1, LONGEST) {
        words.push(source.choose(&ADJECTIVES)?);
    }
    words.push(source.choose(&ANIMALS)?);
    Ok(words.join(&inputs.separator))
}

impl Resource for Pet {
    type Inputs = PetArgs;
    const TOKEN: &'static str = "kit:random:Pet";

    async fn check(_cx: &Context, check: &mut Check<PetArgs>) -> Result<()> {
        if !(1..=LONGEST).contains(&check.inputs.length) {
            check.refuse("length", format!("a name must have from 1 to {LONGEST} words"));
        }
        Ok(())
    }

    async fn create(_cx: &Context, inputs: PetArgs) -> Result<Created<Self>> {
        let result = name(&inputs)?;
        let PetArgs { length, separator, prefix, keepers } = inputs;
        Ok(Created::new(result.clone(), Self { result, length, separator, prefix, keepers }))
    }

    async fn delete(_cx: &Context, _state: State<Self>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_many_plain_and_different() {
        for words in [&ADJECTIVES[..], &ANIMALS[..]] {
            assert!(words.len() >= 200);
            assert!(words.is_sorted_by(|a, b| a < b), "in order, each once");
            assert!(words.iter().all(|word| word.chars().all(|letter| letter.is_ascii_lowercase())));
        }
    }

    #[test]
    fn names_have_their_parts() {
        let inputs = PetArgs { length: 3, separator: "_".into(), prefix: Some("my".into()), keepers: None };
        let name = name(&inputs).unwrap();
        let parts: Vec<&str> = name.split('_').collect();
        assert!(
            matches!(parts.as_slice(), ["my", a, b, animal]
            if ADJECTIVES.contains(a) && ADJECTIVES.contains(b) && ANIMALS.contains(animal)),
            "{name}"
        );
    }
}
