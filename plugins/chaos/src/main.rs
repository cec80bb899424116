//! A Pulumi plugin that misbehaves on demand.
//!
//! The environment variable `CHAOS` says when and how: `MOMENT=DEED` entries separated by semicolons, such as
//! `start=garbage` or `Check=hang;Create=exit`. A resource with such a text in its property `chaos` misbehaves only in
//! its own calls. Otherwise the plugin behaves well: it creates every resource and returns it as given.
//!
//! Nothing here uses the project's own protocol code: a plugin limited to our types could not lie.
//! Answers are bytes ([`wire`]) on a bare HTTP/2 connection ([`serve`]).
#![allow(clippy::exit, reason = "ending at the wrong moment is the purpose of this program")]

mod answer;
mod damage;
mod deed;
mod lie;
mod serve;
mod start;
mod wire;

use std::process::ExitCode;

use crate::deed::Plan;

fn main() -> ExitCode {
    if let Some(kind) = std::env::var_os(damage::CHILD) {
        return damage::be_a_child(&kind);
    }
    let text = std::env::var("CHAOS").unwrap_or_default();
    match Plan::parse(&text).and_then(|plan| start::run(plan).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            damage::say(&format!("chaos: {error}\n"));
            ExitCode::from(2)
        }
    }
}
