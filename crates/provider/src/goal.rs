//! What a driver, or a component, wants: goals in the shape of Pulumi's `ResourceMonitor`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use outrigger_diagnostic::Place;
use outrigger_value::{CustomTimeouts, PropertyDependencies, PropertyMap, PropertyPath, ProviderReference, Urn, Value};

use crate::{CallRequest, PluginDescriptor};

/// Where in the user's files a goal stands, for messages and for `sourcePosition`.
pub type Source = Option<Place>;

/// A package that a goal's provider comes from, when the driver knows more than the type's first part.
pub type PackageReference = PluginDescriptor;

/// A resource as the program wants it.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// The full type token.
    pub ty: String,
    /// The logical name.
    pub name: String,
    /// Whether a provider manages it.
    pub custom: bool,
    /// Whether a provider makes it of other resources: a component of a package. Then it is not `custom`.
    pub remote: bool,
    /// Its parent. To a program `None` means the root stack; what a component registers without one has none.
    pub parent: Option<Urn>,
    /// The program's inputs.
    pub inputs: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Providers for the children of a component, by package.
    pub providers: BTreeMap<String, ProviderReference>,
    /// Everything that it depends on, sorted.
    pub dependencies: Vec<Urn>,
    /// The same by property; every property has an entry.
    pub property_dependencies: PropertyDependencies,
    /// `None` inherits from the parent.
    pub protect: Option<bool>,
    /// Property paths.
    pub ignore_changes: Vec<String>,
    /// Property paths, those that the schema brings included.
    pub replace_on_changes: Vec<String>,
    /// Property paths.
    pub hide_diffs: Vec<String>,
    /// Output names, those that the schema marks included.
    pub additional_secret_outputs: Vec<String>,
    /// Names that it had, those that the schema brings included.
    pub aliases: Vec<Alias>,
    /// Adopt the resource with this id.
    pub import_id: Option<String>,
    /// The user's limits.
    pub custom_timeouts: CustomTimeouts,
    /// Overrides the provider's word.
    pub delete_before_replace: Option<bool>,
    /// `None` inherits from the parent.
    pub retain_on_delete: Option<bool>,
    /// Deleting that resource deletes this one too.
    pub deleted_with: Option<Urn>,
    /// Replaced together with these.
    pub replace_with: Vec<Urn>,
    /// A change of this value forces a replacement.
    pub replacement_trigger: Option<Value>,
    /// The package, for the default provider; `None` takes the type's first part and no version.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
    /// Where the program says each property, if it knows.
    pub places: PropertyPlaces,
}

impl Goal {
    /// The goal that is the root stack itself.
    pub fn root(stack: &Urn) -> Self {
        Self { ty: stack.ty().to_owned(), name: stack.name().to_owned(), ..Self::default() }
    }
}

/// Where the properties of a goal stand, for messages about one of them.
#[derive(Clone, Default)]
pub struct PropertyPlaces(pub Option<Arc<dyn Places>>);

/// Finds properties in a user's file. Asked only when something is wrong with one.
pub trait Places: Send + Sync {
    /// Where a property stands, or the innermost of what it is in.
    fn of(&self, property: &PropertyPath) -> Source;
}

impl PropertyPlaces {
    /// Where a property stands, or the innermost of what it is in.
    pub fn of(&self, property: &PropertyPath) -> Source {
        self.0.as_ref()?.of(property)
    }
}

impl fmt::Debug for PropertyPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PropertyPlaces").field(&self.0.is_some()).finish()
    }
}

/// A name that a resource had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alias {
    /// The whole name.
    Urn(Urn),
    /// Parts of it; what is not given is as it is now.
    Spec {
        /// The name.
        name: Option<String>,
        /// The type.
        ty: Option<String>,
        /// The stack.
        stack: Option<String>,
        /// The project.
        project: Option<String>,
        /// The parent.
        parent: AliasParent,
    },
}

/// The parent in an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasParent {
    /// As it is now.
    Same,
    /// It had none (or the root stack).
    None,
    /// That one.
    Urn(Urn),
}

/// A resource to be read, not managed.
#[derive(Clone, Debug, Default)]
pub struct ReadGoal {
    /// The full type token.
    pub ty: String,
    /// The logical name.
    pub name: String,
    /// Its parent; `None` means the root stack.
    pub parent: Option<Urn>,
    /// Its id; unknown in a preview gives unknown outputs.
    pub id: Option<Value>,
    /// What the program says of its state.
    pub properties: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Everything that it depends on.
    pub dependencies: Vec<Urn>,
    /// Output names.
    pub additional_secret_outputs: Vec<String>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
}

/// A function to be called.
#[derive(Clone, Debug, Default)]
pub struct InvokeGoal {
    /// The full token.
    pub token: String,
    /// Known, plain arguments.
    pub arguments: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
    /// Where the program says each argument, if it knows.
    pub places: PropertyPlaces,
}

/// A method to be called.
#[derive(Clone, Debug, Default)]
pub struct MethodGoal {
    /// The method and its arguments, `__self__` among them.
    pub call: CallRequest,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// Where the program says it.
    pub source: Source,
}
