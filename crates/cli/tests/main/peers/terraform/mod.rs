//! Terraform providers, end to end: the real frameworks and the real providers, under `outrigger`, and with our bridge under the
//! real `pulumi`.

mod aws;
mod bridged;
mod endings;
mod failures;
mod identities;
mod ignoring;
mod kills;
mod life;
mod limits;
mod logs;
mod mirrors;
mod mistakes;
pub(crate) mod moto;
mod nonsense;
mod origins;
mod own;
mod packages;
mod processes;
mod published;
mod settings;
mod sparing;
mod takeover;
mod upgrades;
mod world;
