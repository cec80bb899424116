//! A Terraform provider as Pulumi's dynamic bridge shows it.
//!
//! - [`inflect`] makes plurals and singulars, which are part of names.

pub mod inflect;
