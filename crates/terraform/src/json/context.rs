//! What the values of one call are of.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cty::Type;
use crate::schema::{Function, Kind, Schema, SchemaError, Schemas};

/// Whether secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// As they are.
    Shown,
    /// What the schema calls sensitive or write-only is hidden, and so is what the provider alone can read.
    Hidden,
    /// What a function takes and gives is hidden, too: no schema says what of it is secret, and it was not written by who reads it.
    HiddenInLog,
}

/// What a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The provider as a whole.
    Provider,
    /// Something with a schema.
    Entry(Kind),
    /// A function.
    Function,
}

/// The types of the identities of resources, by the names of the resources.
pub(crate) type Identities = BTreeMap<String, Type>;

/// What the values of a call are of, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The name of what the call is about.
    pub(super) name: String,
    pub(super) subject: Option<Arc<Schema>>,
    /// Of the resources that a list has.
    pub(super) listed: Option<Arc<Schema>>,
    pub(super) meta: Option<Arc<Schema>>,
    pub(super) identity: Option<Type>,
    pub(super) function: Option<Arc<Function>>,
    pub(super) secrets: Secrets,
}

/// What a value is, within a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Of the call's subject.
    Subject,
    /// A resource in a list.
    Listed,
    /// What a module tells the provider of itself.
    Meta,
    /// The arguments of a function.
    Arguments,
    /// The result of a function.
    Result,
    /// True or false.
    Flag,
    /// A number.
    Count,
    /// An identity.
    Identity,
    /// Of something else than the call's subject.
    Foreign,
}

impl Context {
    /// Nothing is known.
    pub(super) fn blind(secrets: Secrets) -> Self {
        let name = String::new();
        Self { name, subject: None, listed: None, meta: None, identity: None, function: None, secrets }
    }

    pub(super) fn new(
        schemas: &Schemas,
        identities: &Identities,
        subject: Subject,
        name: &str,
        secrets: Secrets,
    ) -> Result<Self, SchemaError> {
        let mut context = Self {
            name: name.to_owned(),
            meta: schemas.provider_meta().cloned(),
            identity: identities.get(name).cloned(),
            ..Self::blind(secrets)
        };
        match subject {
            Subject::Provider => context.subject = Some(Arc::clone(schemas.provider())),
            Subject::Entry(kind) => context.subject = schemas.get(kind, name)?,
            Subject::Function => context.function = schemas.function(name)?.map(Arc::new),
        }
        if subject == Subject::Entry(Kind::List) {
            context.listed = schemas.get(Kind::Resource, name)?;
        }
        Ok(context)
    }

    pub(super) fn hides(&self) -> bool {
        self.secrets != Secrets::Shown
    }

    /// The schema of a value with that role, if it has one.
    pub(super) fn schema(&self, role: Role) -> Option<&Arc<Schema>> {
        match role {
            Role::Subject => self.subject.as_ref(),
            Role::Listed => self.listed.as_ref(),
            Role::Meta => self.meta.as_ref(),
            _ => None,
        }
    }

    /// The type of a value with that role; the argument of a function by its place.
    pub(super) fn ty(&self, role: Role, place: usize) -> Option<Type> {
        match role {
            Role::Identity => self.identity.clone(),
            Role::Flag => Some(Type::Bool),
            Role::Count => Some(Type::Number),
            Role::Arguments => {
                let function = self.function.as_ref()?;
                let parameter = function.parameters.get(place).or(function.variadic.as_ref())?;
                Some(parameter.ty.clone())
            }
            Role::Result => self.function.as_ref().map(|function| function.result.clone()),
            _ => self.schema(role).map(|schema| schema.block.ty()),
        }
    }
}
