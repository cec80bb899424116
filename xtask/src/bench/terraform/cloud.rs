//! The clouds that the AWS provider talks to.
//!
//! With a slow cloud every engine takes the cloud's time, so engines are compared with one that answers at once. Besides,
//! there is moto, which implements much more of AWS and needs milliseconds of Python for each answer, one at a time: its own usage is
//! measured with each step, and no engine can be faster than that.

mod instant;
mod moto;

use std::time::Duration;

use anyhow::Result;

use self::moto::Moto;
use super::super::measure::processor_time_of;
use crate::peers::Peers;

pub(super) enum Cloud {
    /// The address of our own.
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

    /// Its address.
    pub(super) fn address(&self) -> String {
        match self {
            Cloud::Instant(address) => address.clone(),
            Cloud::Moto(moto) => format!("http://{}", moto.address),
        }
    }

    /// Its processor time so far, if it is a separate process.
    pub(super) fn used(&self) -> Option<Duration> {
        match self {
            Cloud::Instant(_) => None,
            Cloud::Moto(moto) => processor_time_of(moto.id()),
        }
    }
}
