//! Fair choices from the operating system's randomness.

use outrigger_sdk::{Error, Result};

/// Randomness, fetched in larger blocks.
pub(super) struct RandomSource {
    buffer: [u8; 256],
    used: usize,
}

impl RandomSource {
    pub(super) fn new() -> Self {
        Self { buffer: [0; 256], used: 256 }
    }

    fn next(&mut self) -> Result<u64> {
        if self.used + 8 > self.buffer.len() {
            fill(&mut self.buffer)?;
            self.used = 0;
        }
        let mut bytes = [0; 8];
        for (to, from) in bytes.iter_mut().zip(self.buffer.iter().skip(self.used)) {
            *to = *from;
        }
        self.used += 8;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number below `bound`, all equally likely. The remainder alone would favour small ones: numbers of the last,
    /// incomplete round are thrown away.
    pub(super) fn below(&mut self, bound: u64) -> Result<u64> {
        fair(bound, || self.next())
    }

    /// A random element.
    pub(super) fn choose<T: Copy>(&mut self, from: &[T]) -> Result<T> {
        let index = self.below(from.len() as u64)?;
        let chosen = usize::try_from(index).ok().and_then(|index| from.get(index));
        chosen.copied().ok_or_else(|| Error::new("there is nothing to choose from"))
    }

    /// Shuffles, with all orders equally likely.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) -> Result<()> {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)?).unwrap_or(last);
            items.swap(last, other);
        }
        Ok(())
    }
}

/// Fills with random bytes.
pub(super) fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| Error::new(format!("the system's source of randomness failed: {error}")))
}

fn fair(bound: u64, mut next: impl FnMut() -> Result<u64>) -> Result<u64> {
    if bound == 0 {
        return Err(Error::new("there is nothing to choose from"));
    }
    // How many numbers exceed whole rounds: 2^64 modulo the bound.
    let surplus = bound.wrapping_neg() % bound;
    loop {
        let number = next()?;
        if number >= surplus {
            return Ok(number % bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incomplete_round_is_thrown_away() {
        // 2^64 = 3 * 6148914691236517205 + 1: one number is too many.
        let mut numbers = [0, 1, 5].into_iter();
        assert_eq!(fair(3, || Ok(numbers.next().unwrap())).unwrap(), 1);
        assert_eq!(numbers.next(), Some(5));
        assert_eq!(fair(u64::MAX, || Ok(7)).unwrap(), 7);
        assert_eq!(fair(1, || Ok(9)).unwrap(), 0);
        assert!(fair(0, || Ok(9)).is_err());
    }

    /// With 60,000 throws, the chance that an honest die is found guilty here is below one in a billion.
    #[test]
    fn a_die_is_fair() {
        let mut source = RandomSource::new();
        let mut counts = [0_i64; 6];
        for _ in 0..60_000 {
            counts[usize::try_from(source.below(6).unwrap()).unwrap()] += 1;
        }
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let distance: f64 = counts.iter().map(|count| ((count - 10_000) as f64).powi(2) / 10_000.0).sum();
        assert!(distance < 50.0, "{counts:?}");
    }

    #[test]
    fn shuffles_lose_nothing_and_reach_every_order() {
        let mut source = RandomSource::new();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..2_000 {
            let mut items = [1, 2, 3];
            source.shuffle(&mut items).unwrap();
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }
}
