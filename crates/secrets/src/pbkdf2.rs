//! PBKDF2 with HMAC-SHA-256, for one key of 32 bytes.
//!
//! A command that uses a secret waits for a million rounds of this. The `pbkdf2` crate takes half as long again, because it copies two
//! hashers and pads two blocks in each round. Here the padding is written once, and a round is two compressions. The tests compare the two.

use sha2::block_api::compress256;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

type Words = [u32; 8];

const BLOCK: usize = 64;
/// The initial state of SHA-256.
const INITIAL: Words =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
/// The padding after a hash that is hashed again behind a pad: a bit, zeros, and the length of both in bits.
const LENGTH: [u8; 2] = (8 * (BLOCK as u16 + 32)).to_be_bytes();

pub(crate) fn derive(phrase: &[u8], salt: &[u8], rounds: u32) -> Zeroizing<[u8; 32]> {
    let (inner_pad, outer_pad) = pads(phrase);
    let first = Sha256::new().chain_update(*inner_pad).chain_update(salt).chain_update(1_u32.to_be_bytes());
    let first = Sha256::new().chain_update(*outer_pad).chain_update(first.finalize());
    let mut key: Zeroizing<[u8; 32]> = Zeroizing::new(first.finalize().into());

    let (inner, outer) = (after(&inner_pad), after(&outer_pad));
    let mut block = Zeroizing::new([0; BLOCK]);
    let (hash, padding) = block.split_at_mut(32);
    hash.copy_from_slice(key.as_slice());
    if let [bit, .., high, low] = padding {
        (*bit, [*high, *low]) = (0x80, LENGTH);
    }
    let mut sum = Zeroizing::new(words(key.as_slice()));
    let mut state = Zeroizing::new(INITIAL);
    for _ in 1..rounds {
        *state = *inner;
        compress256(&mut state, std::slice::from_ref(&block));
        put(&state, block.as_mut_slice());
        *state = *outer;
        compress256(&mut state, std::slice::from_ref(&block));
        put(&state, block.as_mut_slice());
        for (sum, word) in sum.iter_mut().zip(state.iter()) {
            *sum ^= word;
        }
    }
    put(&sum, key.as_mut_slice());
    key
}

/// The blocks that begin HMAC's two hashes.
fn pads(phrase: &[u8]) -> (Zeroizing<[u8; BLOCK]>, Zeroizing<[u8; BLOCK]>) {
    let (mut inner, mut outer) = (Zeroizing::new([0x36; BLOCK]), Zeroizing::new([0x5c; BLOCK]));
    let hashed: Zeroizing<[u8; 32]>;
    let phrase = if phrase.len() > BLOCK {
        hashed = Zeroizing::new(Sha256::digest(phrase).into());
        hashed.as_slice()
    } else {
        phrase
    };
    for ((inner, outer), byte) in inner.iter_mut().zip(outer.iter_mut()).zip(phrase) {
        *inner ^= byte;
        *outer ^= byte;
    }
    (inner, outer)
}

/// The state of a hash after one block.
fn after(block: &[u8; BLOCK]) -> Zeroizing<Words> {
    let mut state = Zeroizing::new(INITIAL);
    compress256(&mut state, std::slice::from_ref(block));
    state
}

fn put(words: &Words, bytes: &mut [u8]) {
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_be_bytes();
    }
}

fn words(bytes: &[u8]) -> Words {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_derives_what_the_crate_derives() {
        let long = [b'x'; 65];
        for phrase in [b"".as_slice(), b"pass", &long[..63], &long[..64], &long] {
            for salt in [b"".as_slice(), b"12345678", &[7; 200]] {
                for rounds in [1, 2, 1000] {
                    let mut expected = [0; 32];
                    pbkdf2::pbkdf2_hmac::<Sha256>(phrase, salt, rounds, &mut expected);
                    assert_eq!(*derive(phrase, salt, rounds), expected, "{phrase:?} {salt:?} {rounds}");
                }
            }
        }
    }
}
