//! Pulumi package schemas.
#![allow(missing_docs)]

/// A package schema, read lazily: the raw bytes and an index of tokens.
#[derive(Debug)]
pub struct Package;
