//! What is asked of a provider and what it answers.

use std::sync::Arc;

use bytes::Bytes;

use crate::Report;
use crate::cty::{Path, Type, Value};
use crate::schema::{Kind, Schema, SchemaError, Schemas};

/// A type of resources or data sources: its name, its schema, and the type of its values.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The name in Terraform's words.
    pub name: Arc<str>,
    /// The schema.
    pub schema: Arc<Schema>,
    /// The type of its values, made of the schema once.
    pub ty: Type,
}

impl Handle {
    /// The type of that name.
    pub fn of(schemas: &Schemas, kind: Kind, name: &str) -> Result<Option<Self>, SchemaError> {
        let schema = schemas.get(kind, name)?;
        Ok(schema.map(|schema| Self { name: Arc::from(name), ty: schema.block.ty(), schema }))
    }
}

/// What is kept of a resource between calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The state; null when there is none.
    pub state: Value,
    /// The provider's own bytes.
    pub private: Bytes,
    /// Its identity, as it came; empty when it has none.
    pub identity: Bytes,
}

impl Stored {
    /// Nothing exists.
    pub const NOTHING: Self = Self { state: Value::Null, private: Bytes::new(), identity: Bytes::new() };
}

/// What a read answers.
#[derive(Clone, Debug)]
pub struct ReadAnswer {
    /// What exists; null when it is gone.
    pub stored: Stored,
    /// The provider's words.
    pub reports: Vec<Report>,
    /// The provider cannot say yet, which it was not allowed to say.
    pub deferred: bool,
}

/// A question for a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanQuestion<'a> {
    /// What exists; null plans a creation.
    pub prior: &'a Value,
    /// What is proposed; null plans a deletion. See [`crate::propose`].
    pub proposed: &'a Value,
    /// The configuration; null plans a deletion.
    pub config: &'a Value,
    /// The provider's own bytes.
    pub prior_private: &'a Bytes,
    /// Its identity.
    pub prior_identity: &'a Bytes,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct PlanAnswer {
    /// The state as it would be, with unknown values.
    pub planned: Value,
    /// The same as it came.
    pub encoded: Bytes,
    /// What may force a replacement. See [`crate::replacement`].
    pub requires_replace: Vec<Path>,
    /// The provider's own bytes, for the apply.
    pub private: Bytes,
    /// The identity that it would have.
    pub identity: Bytes,
    /// The provider is of the old kind that does not keep to all rules.
    pub legacy: bool,
    /// The provider cannot say yet, which it was not allowed to say.
    pub deferred: bool,
    /// The provider's words.
    pub reports: Vec<Report>,
}

/// An order.
#[derive(Clone, Copy, Debug)]
pub struct ApplyQuestion<'a> {
    /// What exists; null for a creation.
    pub prior: &'a Value,
    /// What was planned; null for a deletion.
    pub planned: &'a Value,
    /// The configuration, wholly known; null for a deletion.
    pub config: &'a Value,
    /// From the plan.
    pub planned_private: &'a Bytes,
    /// From the plan.
    pub planned_identity: &'a Bytes,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Applied {
    /// What exists now, also when there are errors; null means nothing, or that the provider does not say.
    pub stored: Stored,
    /// The provider is of the old kind that does not keep to all rules.
    pub legacy: bool,
    /// The provider's words.
    pub reports: Vec<Report>,
}

/// A resource that was found by its id.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its type.
    pub type_name: String,
    /// What exists. Only resources of the type that was asked for have a state.
    pub stored: Stored,
}
