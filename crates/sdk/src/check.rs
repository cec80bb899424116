//! Checking inputs beyond their types.

use outrigger_provider::CheckFailure;

/// Inputs to check.
#[derive(Debug)]
pub struct Check<I> {
    /// The inputs, with defaults. What is changed here is what the resource is made with.
    pub inputs: I,
    /// The inputs that the resource has now; `None` for a new one.
    pub old: Option<I>,
    pub(crate) failures: Vec<CheckFailure>,
    pub(crate) seed: [u8; 32],
}

impl<I> Check<I> {
    /// Refuses a property, by its path in the program: `path`, `owner.name`, `tags["a b"]`.
    pub fn refuse(&mut self, property: impl Into<String>, reason: impl Into<String>) {
        self.failures.push(CheckFailure::new(property, reason));
    }

    /// Up to 64 random hexadecimal digits, the same for the same plan: for names that must be new.
    pub fn random_digits(&self, count: usize) -> String {
        random_digits(&self.seed, count)
    }
}

pub(crate) fn random_digits(seed: &[u8; 32], count: usize) -> String {
    let digits = seed.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).take(count).collect()
}
