//! The goals that a driver or a component registers, in the shape of Pulumi's `ResourceMonitor`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use outrigger_diagnostic::Place;
use outrigger_value::{CustomTimeouts, PropertyDependencies, PropertyMap, PropertyPath, ProviderReference, Urn, Value};

use crate::{CallRequest, PluginDescriptor};

/// A goal's place in the user's files, for messages and for `sourcePosition`.
pub type Source = Option<Place>;

/// The package of a goal's provider, when the driver knows more than the type's first part.
pub type PackageReference = PluginDescriptor;

/// A resource as the program declares it.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// The full type token.
    pub ty: String,
    /// The logical name.
    pub name: String,
    /// Whether a provider manages it.
    pub custom: bool,
    /// Whether a provider constructs it from other resources: a component of a package. Then it is not `custom`.
    pub remote: bool,
    /// Its parent. For a program `None` means the root stack; a component's resource without one has no parent.
    pub parent: Option<Urn>,
    /// The program's inputs.
    pub inputs: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Providers for the children of a component, by package.
    pub providers: BTreeMap<String, ProviderReference>,
    /// Everything that it depends on, sorted.
    pub dependencies: Vec<Urn>,
    /// The dependencies of each property; every property has an entry.
    pub property_dependencies: PropertyDependencies,
    /// `None` inherits from the parent.
    pub protect: Option<bool>,
    /// Property paths.
    pub ignore_changes: Vec<String>,
    /// Property paths, including those from the schema.
    pub replace_on_changes: Vec<String>,
    /// Property paths.
    pub hide_diffs: Vec<String>,
    /// Output names, including those from the schema.
    pub additional_secret_outputs: Vec<String>,
    /// Former names, including those from the schema.
    pub aliases: Vec<Alias>,
    /// The id of an existing resource to import.
    pub import_id: Option<String>,
    /// The user's timeouts.
    pub custom_timeouts: CustomTimeouts,
    /// Overrides the provider's choice.
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
    /// The goal's place in the program.
    pub source: Source,
    /// The place of each property in the program, if known.
    pub places: PropertyPlaces,
}

impl Goal {
    /// The goal of the root stack itself.
    pub fn root(stack: &Urn) -> Self {
        Self { ty: stack.ty().to_owned(), name: stack.name().to_owned(), ..Self::default() }
    }
}

/// The places of a goal's properties, for messages about one of them.
#[derive(Clone, Default)]
pub struct PropertyPlaces(pub Option<Arc<dyn Places>>);

/// Finds properties in a user's file; used only when there is an error to report.
pub trait Places: Send + Sync {
    /// The place of a property, or of the innermost enclosing value.
    fn of(&self, property: &PropertyPath) -> Source;
}

impl PropertyPlaces {
    /// The place of a property, or of the innermost enclosing value.
    pub fn of(&self, property: &PropertyPath) -> Source {
        self.0.as_ref()?.of(property)
    }
}

impl fmt::Debug for PropertyPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PropertyPlaces").field(&self.0.is_some()).finish()
    }
}

/// A former name of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alias {
    /// The whole name.
    Urn(Urn),
    /// Parts of it; missing parts are as they are now.
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
    /// This one.
    Urn(Urn),
}

/// A resource to read but not to manage.
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
    /// The known part of its state, from the program.
    pub properties: PropertyMap,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// Everything that it depends on.
    pub dependencies: Vec<Urn>,
    /// Output names.
    pub additional_secret_outputs: Vec<String>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// The goal's place in the program.
    pub source: Source,
}

/// A function to call.
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
    /// The goal's place in the program.
    pub source: Source,
    /// The place of each argument in the program, if known.
    pub places: PropertyPlaces,
}

/// A method to call.
#[derive(Clone, Debug, Default)]
pub struct MethodGoal {
    /// The method and its arguments, including `__self__`.
    pub call: CallRequest,
    /// An explicit provider.
    pub provider: Option<ProviderReference>,
    /// The package, for the default provider.
    pub package: Option<PackageReference>,
    /// The goal's place in the program.
    pub source: Source,
}
