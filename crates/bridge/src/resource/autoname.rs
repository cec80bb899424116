//! Names for resources whose program gives none: the resource's own name and seven hexadecimal digits.
//!
//! The digits come from the seed that the engine sends with Check, through the generator that Pulumi's Go programs use (ChaCha with eight
//! rounds, C2SP chacha8rand), so that every program makes the same name.

use outrigger_provider::{Autonaming, AutonamingMode};
use sha2::{Digest, Sha256};

/// The number of digits.
const DIGITS: usize = 7;

/// The maximum length of a name.
const LONGEST: usize = 255;

/// A name for a resource, or the reason why it gets none.
pub(crate) fn name(resource: &str, seed: &[u8], options: Option<&Autonaming>) -> Result<String, String> {
    match options {
        Some(Autonaming { mode: AutonamingMode::Disable, .. }) => {
            Err("automatic naming is disabled, and no name is given".to_owned())
        }
        Some(Autonaming { mode: AutonamingMode::Enforce, proposed }) => Ok(proposed.clone()),
        Some(Autonaming { mode: AutonamingMode::Propose, proposed }) if proposed.len() > LONGEST => {
            Err(format!("the name `{proposed}` is longer than {LONGEST} bytes"))
        }
        Some(Autonaming { mode: AutonamingMode::Propose, proposed }) => Ok(proposed.clone()),
        None if resource.len() + 1 + DIGITS > LONGEST => {
            Err(format!("the name `{resource}` with {DIGITS} digits is longer than {LONGEST} bytes"))
        }
        None => Ok(format!("{resource}-{}", digits(seed))),
    }
}

fn digits(seed: &[u8]) -> String {
    let key: [u8; 32] = Sha256::digest(seed).into();
    // Numbers above the limit are skipped: they would make some digits more likely than others.
    let limit = u64::MAX - u64::MAX % 16;
    let fair = numbers(&key).into_iter().filter(|number| *number < limit);
    fair.take(DIGITS).filter_map(|number| char::from_digit((number % 16) as u32, 16)).collect()
}

/// The generator's first numbers: four blocks, interleaved word by word.
fn numbers(key: &[u8; 32]) -> [u64; 32] {
    let blocks = [0, 1, 2, 3].map(|counter| block(key, counter));
    let mut numbers = [0; 32];
    for (word, pair) in numbers.chunks_exact_mut(2).enumerate() {
        let [first, second, third, fourth] = blocks.map(|block| u64::from(block[word]));
        pair.copy_from_slice(&[first | second << 32, third | fourth << 32]);
    }
    numbers
}

/// One block of the cipher. As in chacha8rand, only the words of the key are added to the result.
fn block(key: &[u8; 32], counter: u32) -> [u32; 16] {
    let mut state = [0_u32; 16];
    state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    for (word, bytes) in state[4..12].iter_mut().zip(key.chunks_exact(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    state[12] = counter;
    let words = state;
    for _ in 0..4 {
        for column in 0..4 {
            quarter(&mut state, [column, column + 4, column + 8, column + 12]);
        }
        for column in 0..4 {
            quarter(&mut state, [column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4]);
        }
    }
    for (word, key) in state[4..12].iter_mut().zip(&words[4..12]) {
        *word = word.wrapping_add(*key);
    }
    state
}

fn quarter(state: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    for [into, with, turned, by] in [[a, b, d, 16], [c, d, b, 12], [a, b, d, 8], [c, d, b, 7]] {
        state[into] = state[into].wrapping_add(state[with]);
        state[turned] = (state[turned] ^ state[into]).rotate_left(by as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that the Go library makes from the same seeds.
    #[test]
    fn the_same_seed_gives_the_same_name() {
        for (seed, expected) in
            [("seed", "thing-614742c"), ("another seed", "thing-98049f1"), ("\0\u{1}", "thing-ab569ce")]
        {
            assert_eq!(name("thing", seed.as_bytes(), None).unwrap(), expected);
        }
    }

    #[test]
    fn the_engine_may_have_its_own_mind() {
        let options = |mode| Some(Autonaming { mode, proposed: "mine".to_owned() });
        assert_eq!(name("thing", b"", options(AutonamingMode::Propose).as_ref()).unwrap(), "mine");
        assert_eq!(name("thing", b"", options(AutonamingMode::Enforce).as_ref()).unwrap(), "mine");
        assert!(name("thing", b"", options(AutonamingMode::Disable).as_ref()).is_err());
        assert!(name(&"x".repeat(250), b"", None).is_err());
    }
}
