//! The location of the peers. The tests that run against them include this file, so that a path is defined once.
#![allow(dead_code, reason = "each of those who include it uses a part")]

use std::path::{Path, PathBuf};

/// `$OUTRIGGER_PEERS`, or a folder of our own in the user's cache; `None` if neither that nor `HOME` is set.
pub(crate) fn directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("OUTRIGGER_PEERS")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache/outrigger/peers")))
}

/// A file in that directory. A test that needs it is in a module named `peers`, which `cargo xtask quick` leaves out.
pub(crate) fn peer(inside: impl AsRef<Path>) -> PathBuf {
    let file = directory().unwrap_or_default().join(inside);
    assert!(file.exists(), "`{}` is not there: run `cargo xtask peers`, or set OUTRIGGER_PEERS", file.display());
    file
}
