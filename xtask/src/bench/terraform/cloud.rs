//! What AWS's provider talks to.
//!
//! With a cloud that takes its time every engine takes that time, so engines are compared with one that answers at once. Beside it
//! stands moto, which has much more of AWS and needs milliseconds of Python for each answer, one at a time: what it used itself is
//! measured with each step, and no engine can be faster than that.

mod instant;
mod moto;

use std::time::Duration;

use anyhow::Result;

use self::moto::Moto;
use super::super::measure::processor_time_of;
use crate::peers::Peers;

pub(super) enum Cloud {
    /// Where our own is.
    Instant(String),
    Moto(Moto),
}

impl Cloud {
    pub(super) fn instant() -> Result<Self> {
        Ok(Cloud::Instant(format!("http://{}", instant::start()?)))
    }

    pub(super) fn moto(peers: &Peers) -> Result<Self> {
        Ok(Cloud::Moto(Moto::start(peers)?))
    }

    /// Where it is.
    pub(super) fn address(&self) -> String {
        match self {
            Cloud::Instant(address) => address.clone(),
            Cloud::Moto(moto) => format!("http://{}", moto.address),
        }
    }

    /// The processor time that it has used so far, if it is a process of its own.
    pub(super) fn used(&self) -> Option<Duration> {
        match self {
            Cloud::Instant(_) => None,
            Cloud::Moto(moto) => processor_time_of(moto.id()),
        }
    }
}
