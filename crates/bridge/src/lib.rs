//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - [`tokens`] gives resources, data sources and functions their tokens.
//! - [`case`] and [`inflect`] spell names: what is `cors_rule` for Terraform is `corsRules` for Pulumi.

pub mod case;
pub mod inflect;
mod prose;
pub mod tokens;
