//! The keeper's messages, on the wire.

use std::io::Read;

use crate::os::Identity;

/// One message to the keeper. All have the same length, far below the size that a socket takes in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// The host's identity; sent once, before anything else.
    Host(Identity),
    /// A process leads a group of its own and is about to become a plugin.
    Started(Identity),
    /// That group is empty.
    Ended(Identity),
    /// The host exits in an orderly way.
    Goodbye,
}

/// A kind, the process id, the start time.
const LENGTH: usize = 1 + 4 + 8;

impl Record {
    /// The encoded record. Allocates nothing, so it may be called between fork and exec.
    pub(crate) fn encode(&self) -> [u8; LENGTH] {
        let (kind, identity) = match self {
            Self::Host(identity) => (b'h', *identity),
            Self::Started(identity) => (b'+', *identity),
            Self::Ended(identity) => (b'-', *identity),
            Self::Goodbye => (b'.', Identity { pid: 0, started: 0 }),
        };
        let mut bytes = [kind; LENGTH];
        let (pid, started) = (identity.pid.to_le_bytes(), identity.started.to_le_bytes());
        for (place, byte) in bytes.iter_mut().skip(1).zip(pid.into_iter().chain(started)) {
            *place = byte;
        }
        bytes
    }

    /// The next record; `None` at the end of the stream, or if it is invalid.
    pub(crate) fn read(input: &mut impl Read) -> Option<Self> {
        let mut bytes = [0; LENGTH];
        input.read_exact(&mut bytes).ok()?;
        let (kind, rest) = bytes.split_first()?;
        let (pid, started) = rest.split_first_chunk::<4>()?;
        let identity =
            Identity { pid: u32::from_le_bytes(*pid), started: u64::from_le_bytes(started.try_into().ok()?) };
        match kind {
            b'h' => Some(Self::Host(identity)),
            b'+' => Some(Self::Started(identity)),
            b'-' => Some(Self::Ended(identity)),
            b'.' => Some(Self::Goodbye),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let identity = Identity { pid: 4_000_000_000, started: u64::MAX - 3 };
        for record in [Record::Host(identity), Record::Started(identity), Record::Ended(identity), Record::Goodbye] {
            assert_eq!(Record::read(&mut &record.encode()[..]), Some(record));
        }
        assert_eq!(Record::read(&mut &[b'?'; LENGTH][..]), None);
    }
}
