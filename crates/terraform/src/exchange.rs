//! A provider's requests and answers.

use std::sync::Arc;

use bytes::Bytes;

use crate::Report;
use crate::cty::{Path, Type, Value};
use crate::schema::{Kind, Schema, SchemaError, Schemas};

/// A type of resources or data sources: its name, its schema, and the type of its values.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Terraform's name.
    pub name: Arc<str>,
    /// The schema.
    pub schema: Arc<Schema>,
    /// The type of its values, derived from the schema once.
    pub ty: Type,
}

impl Handle {
    /// The type of this name.
    pub fn of(schemas: &Schemas, kind: Kind, name: &str) -> Result<Option<Self>, SchemaError> {
        let schema = schemas.get(kind, name)?;
        Ok(schema.map(|schema| Self { name: Arc::from(name), ty: schema.block.ty(), schema }))
    }
}

/// The data that is kept about a resource between calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The state; null if there is none.
    pub state: Value,
    /// The provider's private bytes.
    pub private: Bytes,
    /// Its identity, as received; empty if it has none.
    pub identity: Bytes,
}

impl Stored {
    /// No resource exists.
    pub const NOTHING: Self = Self { state: Value::Null, private: Bytes::new(), identity: Bytes::new() };
}

/// The answer to a read.
#[derive(Clone, Debug)]
pub struct ReadAnswer {
    /// The resource; null if it is gone.
    pub stored: Stored,
    /// The provider's diagnostics.
    pub reports: Vec<Report>,
    /// The provider defers its answer, which it was not allowed to do.
    pub deferred: bool,
}

/// The request for a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanQuestion<'a> {
    /// The existing state; null plans a creation.
    pub prior: &'a Value,
    /// The proposed state; null plans a deletion. See [`crate::propose`].
    pub proposed: &'a Value,
    /// The configuration; null plans a deletion.
    pub config: &'a Value,
    /// The provider's private bytes.
    pub prior_private: &'a Bytes,
    /// Its identity.
    pub prior_identity: &'a Bytes,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct PlanAnswer {
    /// The planned state, with unknown values.
    pub planned: Value,
    /// The planned state, as received.
    pub encoded: Bytes,
    /// The paths that may force a replacement. See [`crate::replacement`].
    pub requires_replace: Vec<Path>,
    /// The provider's private bytes, for the apply.
    pub private: Bytes,
    /// The planned identity.
    pub identity: Bytes,
    /// The provider is SDK-based and does not follow all rules.
    pub legacy: bool,
    /// The provider defers its answer, which it was not allowed to do.
    pub deferred: bool,
    /// The provider's diagnostics.
    pub reports: Vec<Report>,
}

/// The request to apply a plan.
#[derive(Clone, Copy, Debug)]
pub struct ApplyQuestion<'a> {
    /// The existing state; null for a creation.
    pub prior: &'a Value,
    /// The planned state; null for a deletion.
    pub planned: &'a Value,
    /// The configuration, wholly known; null for a deletion.
    pub config: &'a Value,
    /// From the plan.
    pub planned_private: &'a Bytes,
    /// From the plan.
    pub planned_identity: &'a Bytes,
}

/// The answer to an apply.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The resource, even if there are errors; null means that there is none, or that the provider gives no state.
    pub stored: Stored,
    /// The provider is SDK-based and does not follow all rules.
    pub legacy: bool,
    /// The provider's diagnostics.
    pub reports: Vec<Report>,
}

/// A resource that was found by its id.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its type.
    pub type_name: String,
    /// The resource. Only resources of the requested type have a state.
    pub stored: Stored,
}
