//! Deliberate faults: each breaks one promise of the journal, the order, the recovery or the lock, and must be found.

/// A fault that is switched on for a whole seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The journal answers before the record is durable.
    EarlyAnswer,
    /// The journal loses the end of operations.
    LostEnd,
    /// The journal loses the begin of operations.
    LostBegin,
    /// The journal loses one of several entries of a record.
    LostEntry,
    /// A record is written in two parts, so that a kill can fall between them.
    Torn,
    /// The disk reports a sync that it has not done.
    LyingSync,
    /// Recovery leaves out the last record.
    ShortRecovery,
    /// A journal is replayed although another program has written the checkpoint since.
    BlindReplay,
    /// A lock is broken although its owner is running.
    BrokenLock,
    /// Deletions ignore dependencies.
    ForwardDeletes,
}

impl Fault {
    /// All faults.
    pub(crate) const ALL: [Self; 10] = [
        Self::EarlyAnswer,
        Self::LostEnd,
        Self::LostBegin,
        Self::LostEntry,
        Self::Torn,
        Self::LyingSync,
        Self::ShortRecovery,
        Self::BlindReplay,
        Self::BrokenLock,
        Self::ForwardDeletes,
    ];

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::EarlyAnswer => "early-answer",
            Self::LostEnd => "lost-end",
            Self::LostBegin => "lost-begin",
            Self::LostEntry => "lost-entry",
            Self::Torn => "torn",
            Self::LyingSync => "lying-sync",
            Self::ShortRecovery => "short-recovery",
            Self::BlindReplay => "blind-replay",
            Self::BrokenLock => "broken-lock",
            Self::ForwardDeletes => "forward-deletes",
        }
    }

    /// The fault of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }
}
