//! A provider under Pulumi's names. Tokens are assigned at once; the names inside a resource are worked out on first use and kept.

use std::sync::{Arc, OnceLock};

use outrigger_terraform::schema::{Kind, SchemaError, Schemas};

use crate::naming::object_names::Object;
use crate::naming::resources::{DataSource, NoFreeName, ProviderFunction, Resource};
use crate::naming::tokens::{Pairs, ProviderNames, Selection, TokenError, Tokens};

/// Why something could not be named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamingError {
    /// Its schema cannot be read.
    #[error("the Terraform provider's schema of `{name}` cannot be read: {reason}")]
    Schema {
        /// Terraform's name.
        name: String,
        /// Why.
        reason: SchemaError,
    },
    /// A reserved name has no replacement.
    #[error(transparent)]
    NoFreeName(#[from] NoFreeName),
}

/// A provider under Pulumi's names.
#[derive(Debug)]
pub struct Naming {
    provider: String,
    tokens: Tokens,
    schemas: Arc<Schemas>,
    configuration: OnceLock<Arc<Object>>,
    resources: Slots<Resource>,
    data_sources: Slots<DataSource>,
    functions: Slots<ProviderFunction>,
}

/// One slot for each token, in the order of [`Pairs`].
type Slots<T> = Box<[OnceLock<Result<Arc<T>, NamingError>>]>;

impl Naming {
    /// Names everything in a provider. `provider` is the provider's own name, such as `random`.
    pub fn new(provider: &str, schemas: Arc<Schemas>, selection: &Selection) -> Result<Self, TokenError> {
        let names = |kind| schemas.names(kind).map(|name| name.to_string()).collect();
        let names = ProviderNames {
            provider: provider.to_owned(),
            resources: names(Kind::Resource),
            data_sources: names(Kind::DataSource),
            functions: schemas.function_names().map(|name| name.to_string()).collect(),
        };
        let tokens = Tokens::new(&names, selection)?;
        Ok(Self {
            provider: provider.to_owned(),
            configuration: OnceLock::new(),
            resources: slots(&tokens.resources),
            data_sources: slots(&tokens.data_sources),
            functions: slots(&tokens.functions),
            tokens,
            schemas,
        })
    }

    /// The provider's own name, whatever the package is called.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The tokens.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The provider's schemas.
    pub fn schemas(&self) -> &Arc<Schemas> {
        &self.schemas
    }

    /// The properties of the provider's configuration.
    pub fn configuration(&self) -> &Arc<Object> {
        self.configuration.get_or_init(|| Arc::new(Object::of_block(&self.schemas.provider().block)))
    }

    /// The resource of a token; `None` if there is no such token.
    pub fn resource(&self, token: &str) -> Result<Option<Arc<Resource>>, NamingError> {
        kept(&self.tokens.resources, &self.resources, token, |terraform| {
            let schema = self.schemas.get(Kind::Resource, terraform).map_err(|reason| unreadable(terraform, reason))?;
            Ok(Resource::new(terraform, token, &schema.unwrap_or_default(), &self.tokens)?)
        })
    }

    /// The data source of a token; `None` if there is no such token.
    pub fn data_source(&self, token: &str) -> Result<Option<Arc<DataSource>>, NamingError> {
        kept(&self.tokens.data_sources, &self.data_sources, token, |terraform| {
            let schema =
                self.schemas.get(Kind::DataSource, terraform).map_err(|reason| unreadable(terraform, reason))?;
            Ok(DataSource::new(terraform, token, &schema.unwrap_or_default()))
        })
    }

    /// The function of a token; `None` if there is no such token.
    pub fn function(&self, token: &str) -> Result<Option<Arc<ProviderFunction>>, NamingError> {
        kept(&self.tokens.functions, &self.functions, token, |terraform| self.passing_function(terraform, token))
    }

    /// A resource, not kept: for a walk over all of them.
    pub(crate) fn passing_resource(&self, terraform: &str, token: &str) -> Result<Resource, NamingError> {
        let schema = self.schemas.peek(Kind::Resource, terraform).map_err(|reason| unreadable(terraform, reason))?;
        Ok(Resource::new(terraform, token, &schema.unwrap_or_default(), &self.tokens)?)
    }

    /// A data source, not kept.
    pub(crate) fn passing_data_source(&self, terraform: &str, token: &str) -> Result<DataSource, NamingError> {
        let schema = self.schemas.peek(Kind::DataSource, terraform).map_err(|reason| unreadable(terraform, reason))?;
        Ok(DataSource::new(terraform, token, &schema.unwrap_or_default()))
    }

    /// A function, not kept.
    pub(crate) fn passing_function(&self, terraform: &str, token: &str) -> Result<ProviderFunction, NamingError> {
        let function = self.schemas.function(terraform).map_err(|reason| unreadable(terraform, reason))?;
        // The names come from the same answer, so each of them has an entry.
        let function = function.ok_or_else(|| unreadable(terraform, SchemaError::Broken))?;
        Ok(ProviderFunction::new(terraform, token, function))
    }
}

fn slots<T>(pairs: &Pairs) -> Slots<T> {
    (0..pairs.len()).map(|_| OnceLock::new()).collect()
}

fn kept<T>(
    pairs: &Pairs,
    slots: &[OnceLock<Result<Arc<T>, NamingError>>],
    token: &str,
    make: impl FnOnce(&str) -> Result<T, NamingError>,
) -> Result<Option<Arc<T>>, NamingError> {
    let Some((slot, terraform)) = pairs.position(token).and_then(|at| slots.get(at)).zip(pairs.terraform(token)) else {
        return Ok(None);
    };
    slot.get_or_init(|| make(terraform).map(Arc::new)).clone().map(Some)
}

fn unreadable(name: &str, reason: SchemaError) -> NamingError {
    NamingError::Schema { name: name.to_owned(), reason }
}
