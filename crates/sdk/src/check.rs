//! Checking inputs beyond their types.

use outrigger_provider::CheckFailure;

/// Inputs to check.
#[derive(Debug)]
pub struct Check<I> {
    /// The inputs, with defaults. The resource is created with the inputs as they are after the check.
    pub inputs: I,
    /// The present inputs of the resource; `None` for a new one.
    pub old: Option<I>,
    pub(crate) failures: Vec<CheckFailure>,
    pub(crate) seed: [u8; 32],
}

impl<I> Check<I> {
    /// Refuses a property, by its path in the program: `path`, `owner.name`, `tags["a b"]`.
    pub fn refuse(&mut self, property: impl Into<String>, reason: impl Into<String>) {
        self.failures.push(CheckFailure::new(property, reason));
    }

    /// Up to 64 random hexadecimal digits for a name that must be unique. They are the same in a preview and in the update after it.
    pub fn random_digits(&self, count: usize) -> String {
        random_digits(&self.seed, count)
    }
}

pub(crate) fn random_digits(seed: &[u8; 32], count: usize) -> String {
    let digits = seed.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).take(count).collect()
}
