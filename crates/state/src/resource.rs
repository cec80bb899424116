//! The state in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use outrigger_value::{CustomTimeouts, PropertyDependencies, PropertyMap, ProviderReference, Urn, Value};
use serde_json::Value as Json;

/// One entry of the state. The field names are those of Pulumi's deployment format.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its name. Unique except among entries that await deletion.
    pub urn: Urn,
    /// Whether a provider manages it (otherwise it is a component).
    pub custom: bool,
    /// The provider's id; only custom resources have one.
    pub id: Option<String>,
    /// The old half of a replacement, to be deleted.
    pub delete: bool,
    /// The checked inputs.
    pub inputs: PropertyMap,
    /// The provider's answer, or a component's registered outputs.
    pub outputs: PropertyMap,
    /// Its parent.
    pub parent: Option<Urn>,
    /// The provider instance that manages it.
    pub provider: Option<ProviderReference>,
    /// The resources that it depends on.
    pub dependencies: Vec<Urn>,
    /// The dependencies of each property.
    pub property_dependencies: PropertyDependencies,
    /// It may not be deleted.
    pub protect: bool,
    /// It must be replaced.
    pub taint: bool,
    /// It was read, not created: it is never deleted.
    pub external: bool,
    /// Deleting it from the state leaves it in the cloud.
    pub retain_on_delete: bool,
    /// It was deleted to be replaced, and the replacement does not exist yet.
    pub pending_replacement: bool,
    /// The provider asks to be read before the next update.
    pub refresh_before_update: bool,
    /// Why it exists but is not ready.
    pub init_errors: Vec<String>,
    /// Output properties that are secret.
    pub additional_secret_outputs: Vec<String>,
    /// Former names.
    pub aliases: Vec<Urn>,
    /// The id that it was imported by.
    pub import_id: Option<String>,
    /// Deleting that resource deletes this one too.
    pub deleted_with: Option<Urn>,
    /// Replaced together with these.
    pub replace_with: Vec<Urn>,
    /// The user's timeouts.
    pub custom_timeouts: CustomTimeouts,
    /// Property paths whose changes are ignored.
    pub ignore_changes: Vec<String>,
    /// Property paths whose changes force a replacement.
    pub replace_on_changes: Vec<String>,
    /// Property paths whose changes are not shown.
    pub hide_diff: Vec<String>,
    /// A change of this value forces a replacement.
    pub replacement_trigger: Option<Value>,
    /// When it was created, RFC 3339.
    pub created: Option<String>,
    /// When it was last changed, RFC 3339.
    pub modified: Option<String>,
    /// Its place in the program: `project:///Pulumi.yaml#12,3`.
    pub source_position: Option<String>,
    /// Unknown fields, kept as they are.
    pub extra: BTreeMap<String, Json>,
}

impl Resource {
    /// An entry with only a name.
    pub fn new(urn: Urn, custom: bool) -> Self {
        Self {
            urn,
            custom,
            id: None,
            delete: false,
            inputs: PropertyMap::new(),
            outputs: PropertyMap::new(),
            parent: None,
            provider: None,
            dependencies: Vec::new(),
            property_dependencies: PropertyDependencies::new(),
            protect: false,
            taint: false,
            external: false,
            retain_on_delete: false,
            pending_replacement: false,
            refresh_before_update: false,
            init_errors: Vec::new(),
            additional_secret_outputs: Vec::new(),
            aliases: Vec::new(),
            import_id: None,
            deleted_with: None,
            replace_with: Vec::new(),
            custom_timeouts: CustomTimeouts::default(),
            ignore_changes: Vec::new(),
            replace_on_changes: Vec::new(),
            hide_diff: Vec::new(),
            replacement_trigger: None,
            created: None,
            modified: None,
            source_position: None,
            extra: BTreeMap::new(),
        }
    }

    /// The type token.
    pub fn ty(&self) -> &str {
        self.urn.ty()
    }

    /// Whether this entry is a provider instance.
    pub fn is_provider(&self) -> bool {
        self.custom && self.urn.provider_package().is_some()
    }

    /// The names of all resources that must precede this one: parent, dependencies, deletedWith, replaceWith.
    /// The provider is not included: it is referred to by name *and* id.
    pub fn references(&self) -> impl Iterator<Item = &Urn> {
        self.parent
            .iter()
            .chain(&self.dependencies)
            .chain(self.property_dependencies.values().flatten())
            .chain(&self.deleted_with)
            .chain(&self.replace_with)
    }
}

/// The kind of a pending operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// A creation: the resource may exist without an id here.
    Creating,
    /// An update in place.
    Updating,
    /// A deletion.
    Deleting,
    /// A read.
    Reading,
    /// An import.
    Importing,
}

/// An operation whose result is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingOperation {
    /// The kind of operation.
    pub kind: OperationKind,
    /// The resource as planned.
    pub resource: Arc<Resource>,
}

/// How a state's secrets are encrypted: `type` and `state` of `secrets_providers`, as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct SecretsProviderState {
    /// `passphrase`, `cloud`, `service`.
    pub kind: String,
    /// The provider's own data.
    pub state: Json,
}

/// A whole state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The entries; each comes after everything that it refers to.
    pub resources: Vec<Arc<Resource>>,
    /// The operations that were pending when it was written.
    pub pending: Vec<PendingOperation>,
    /// How secrets are encrypted.
    pub secrets_provider: Option<SecretsProviderState>,
    /// Unknown fields of the deployment, kept as they are.
    pub extra: BTreeMap<String, Json>,
}
