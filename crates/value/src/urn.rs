//! Names of resources: `urn:pulumi:STACK::PROJECT::QUALIFIED_TYPE::NAME`, and references to providers.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The id of a provider that does not exist yet, as Pulumi writes it in a preview.
pub const UNKNOWN_ID: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const PREFIX: &str = "urn:pulumi:";
const STACK_TYPE: &str = "pulumi:pulumi:Stack";

/// A resource's name, unique within a run. Cheap to clone.
///
/// Invariant: the text has the prefix and at least three `::` delimiters; the name may itself contain `::`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Urn(Arc<str>);

/// The text is not a URN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrnError(pub String);

impl fmt::Display for UrnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a URN of the form urn:pulumi:STACK::PROJECT::TYPE::NAME", self.0)
    }
}

impl std::error::Error for UrnError {}

impl Urn {
    /// Builds the name of a resource. A parent that is the root stack adds nothing to the qualified type.
    pub fn new(stack: &str, project: &str, parent: Option<&Urn>, ty: &str, name: &str) -> Self {
        match parent {
            Some(parent) if parent.ty() != STACK_TYPE => {
                Self(format!("{PREFIX}{stack}::{project}::{}${ty}::{name}", parent.qualified_type()).into())
            }
            _ => Self::with_qualified_type(stack, project, ty, name),
        }
    }

    /// Builds a name from a type that is already qualified by its parents.
    pub fn with_qualified_type(stack: &str, project: &str, qualified_type: &str, name: &str) -> Self {
        Self(format!("{PREFIX}{stack}::{project}::{qualified_type}::{name}").into())
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn part(&self, index: usize) -> &str {
        // The constructor and the parser guarantee four parts.
        self.0[PREFIX.len()..].splitn(4, "::").nth(index).unwrap_or_default()
    }

    /// The stack's name.
    pub fn stack(&self) -> &str {
        self.part(0)
    }

    /// The project's name.
    pub fn project(&self) -> &str {
        self.part(1)
    }

    /// The type with its parents' types, joined by `$`.
    pub fn qualified_type(&self) -> &str {
        self.part(2)
    }

    /// The resource's own type.
    pub fn ty(&self) -> &str {
        let qualified = self.qualified_type();
        qualified.rsplit_once('$').map_or(qualified, |(_, own)| own)
    }

    /// The resource's name.
    pub fn name(&self) -> &str {
        self.part(3)
    }

    /// Whether this names the root stack resource.
    pub fn is_stack(&self) -> bool {
        self.qualified_type() == STACK_TYPE
    }

    /// The package of a provider resource, for `pulumi:providers:PACKAGE`.
    pub fn provider_package(&self) -> Option<&str> {
        self.ty().strip_prefix("pulumi:providers:")
    }

    /// The same name in another stack, for renames.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Self {
        Self::with_qualified_type(self.stack(), self.project(), self.qualified_type(), name)
    }
}

impl FromStr for Urn {
    type Err = UrnError;

    fn from_str(text: &str) -> Result<Self, UrnError> {
        match text.strip_prefix(PREFIX) {
            Some(rest) if rest.splitn(4, "::").count() == 4 => Ok(Self(text.into())),
            _ => Err(UrnError(text.to_owned())),
        }
    }
}

impl fmt::Display for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A provider instance: the name of its resource and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderReference {
    /// The provider resource.
    pub urn: Urn,
    /// Its id, or [`UNKNOWN_ID`] in a preview that would create it.
    pub id: String,
}

impl FromStr for ProviderReference {
    type Err = UrnError;

    fn from_str(text: &str) -> Result<Self, UrnError> {
        let (urn, id) = text.rsplit_once("::").ok_or_else(|| UrnError(text.to_owned()))?;
        let urn: Urn = urn.parse().map_err(|_| UrnError(text.to_owned()))?;
        if id.is_empty() || urn.provider_package().is_none() {
            return Err(UrnError(text.to_owned()));
        }
        Ok(Self { urn, id: id.to_owned() })
    }
}

impl fmt::Display for ProviderReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.urn, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_the_stack_has_no_qualifier() {
        let stack = Urn::new("dev", "shop", None, STACK_TYPE, "shop-dev");
        let child = Urn::new("dev", "shop", Some(&stack), "a:b:C", "x");
        assert_eq!(child.as_str(), "urn:pulumi:dev::shop::a:b:C::x");
        let grandchild = Urn::new("dev", "shop", Some(&child), "d:e:F", "y::z");
        assert_eq!(grandchild.as_str(), "urn:pulumi:dev::shop::a:b:C$d:e:F::y::z");
        assert_eq!((grandchild.ty(), grandchild.name()), ("d:e:F", "y::z"));
    }

    #[test]
    fn a_provider_reference_splits_at_the_last_delimiter() {
        let text = "urn:pulumi:dev::shop::pulumi:providers:aws::default_1::4b6c";
        let reference: ProviderReference = text.parse().unwrap();
        assert_eq!(reference.urn.provider_package(), Some("aws"));
        assert_eq!((reference.id.as_str(), reference.to_string().as_str()), ("4b6c", text));
        assert!("urn:pulumi:dev::shop::a:b:C::x::id".parse::<ProviderReference>().is_err());
        assert!("urn:pulumi:dev::shop".parse::<Urn>().is_err());
    }
}
