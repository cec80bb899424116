//! Terraform providers, end to end: the real frameworks and the real providers, under `outrigger`, and with our bridge under the
//! real `pulumi`.

mod aws;
mod failures;
mod kills;
mod life;
mod mirrors;
mod mistakes;
mod own;
mod processes;
mod published;
mod sparing;
mod takeover;
mod world;
