//! The schemas and types of the values in one call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cty::Type;
use crate::schema::{Function, Kind, Schema, SchemaError, Schemas};

/// Whether secrets are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// As they are.
    Shown,
    /// Values that the schema calls sensitive or write-only are hidden, and so are the provider's private bytes.
    Hidden,
    /// A function's arguments and result are hidden, too: no schema marks their secrets, and the reader of the log did not write them.
    HiddenInLog,
}

/// The subject of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The provider as a whole.
    Provider,
    /// An entry with a schema.
    Entry(Kind),
    /// A function.
    Function,
}

/// The types of the identities of resources, by the names of the resources.
pub(crate) type Identities = BTreeMap<String, Type>;

/// The schemas and types of a call's values, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The name of the call's subject.
    pub(super) name: String,
    pub(super) subject: Option<Arc<Schema>>,
    /// The schema of the resources in a list.
    pub(super) listed: Option<Arc<Schema>>,
    pub(super) meta: Option<Arc<Schema>>,
    pub(super) identity: Option<Type>,
    pub(super) function: Option<Arc<Function>>,
    pub(super) secrets: Secrets,
}

/// The role of a value in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A value of the call's subject.
    Subject,
    /// A resource in a list.
    Listed,
    /// A module's metadata for the provider.
    Meta,
    /// The arguments of a function.
    Arguments,
    /// The result of a function.
    Result,
    /// A boolean.
    Flag,
    /// A number.
    Count,
    /// An identity.
    Identity,
    /// A value of something other than the call's subject.
    Foreign,
}

impl Context {
    /// A context without any schemas.
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

    /// The type of a value with that role; for a function's argument, by its position.
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
