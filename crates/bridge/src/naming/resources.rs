//! Resources, data sources and functions: their properties, and which of those is the id.

use std::collections::HashMap;

use outrigger_terraform::cty::Type;
use outrigger_terraform::schema::{Attribute, Block, Function, Schema, Shape as Wire};

use crate::naming::case;
use crate::naming::object_names::{self, Object, Shape};
use crate::naming::tokens::Tokens;

/// Pulumi's id for a resource whose provider has none.
pub const MISSING_ID: &str = "missing ID";

/// A resource under Pulumi's names.
#[derive(Debug)]
pub struct Resource {
    /// Terraform's name.
    pub terraform: Box<str>,
    /// Pulumi's token.
    pub token: Box<str>,
    /// The version of stored state.
    pub version: i64,
    /// Its properties.
    pub object: Object,
    /// Where its id comes from.
    pub id: Id,
    /// It has a property `name`, and the bridge makes up its value if none is given.
    pub autonamed: bool,
}

/// Where a resource's id comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// From the attribute `id`, which only the provider sets. The package's schema does not list it as a property.
    Attribute,
    /// From the attribute `id`, which a program may also set, so it is a property, under this name.
    Property(Box<str>),
    /// The provider has none: the id is always [`MISSING_ID`].
    Missing,
}

/// A property whose name Pulumi reserves has no free name to change to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{attribute}` of `{resource}` needs another name in Pulumi, but the provider already has {tried}; leave the \
     resource out with `--exclude {resource}`"
)]
pub struct NoFreeName {
    /// The resource's Terraform name.
    pub resource: String,
    /// The attribute.
    pub attribute: &'static str,
    /// The names that were tried.
    pub tried: String,
}

impl Resource {
    pub(crate) fn new(terraform: &str, token: &str, schema: &Schema, tokens: &Tokens) -> Result<Self, NoFreeName> {
        let block = &schema.block;
        let no_free_name = |attribute, tried: &[String]| NoFreeName {
            resource: terraform.to_owned(),
            attribute,
            tried: tried.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        let mut renamed = HashMap::new();
        for (attribute, other) in [("urn", format!("{}_urn", tokens.package)), ("pulumi", "pulumi_info".to_owned())] {
            if has(block, attribute) {
                let free = first_free(block, std::slice::from_ref(&other));
                let free = free.ok_or_else(|| no_free_name(attribute, std::slice::from_ref(&other)))?;
                renamed.insert(attribute, case::camel(free));
            }
        }
        let attribute = block.attribute("id");
        let settable = attribute.is_none_or(|id| id.optional || id.required || !is_string(id));
        let mut id = match attribute {
            Some(id) if id.computed && is_string(id) => Id::Attribute,
            _ => Id::Missing,
        };
        if has(block, "id") && settable {
            let candidates = id_names(terraform, tokens);
            let free = first_free(block, &candidates).ok_or_else(|| no_free_name("id", &candidates))?;
            let name = case::camel(free);
            if attribute.is_some_and(|id| is_string(id) && id.computed) {
                id = Id::Property(name.as_str().into());
            }
            renamed.insert("id", name);
        }
        let mut object = Object::of_renamed_block(block, &renamed);
        let mut autonamed = false;
        for field in object.fields_mut().iter_mut().filter(|field| &*field.terraform == "name") {
            field.autonamed = field.is_input() && matches!(field.shape, Shape::String);
            autonamed = field.autonamed;
        }
        Ok(Self { terraform: terraform.into(), token: token.into(), version: schema.version, object, id, autonamed })
    }
}

/// A data source under Pulumi's names.
#[derive(Debug)]
pub struct DataSource {
    /// Terraform's name.
    pub terraform: Box<str>,
    /// Pulumi's token.
    pub token: Box<str>,
    /// Its properties, arguments and results.
    pub object: Object,
    /// The provider has no attribute `id`; the package's schema has one anyway.
    pub made_up_id: bool,
}

impl DataSource {
    pub(crate) fn new(terraform: &str, token: &str, schema: &Schema) -> Self {
        let object = Object::of_block(&schema.block);
        let made_up_id = object.of_terraform("id").is_none();
        Self { terraform: terraform.into(), token: token.into(), object, made_up_id }
    }
}

/// A function of the provider's under Pulumi's names.
#[derive(Debug)]
pub struct ProviderFunction {
    /// Terraform's name.
    pub terraform: Box<str>,
    /// Pulumi's token.
    pub token: Box<str>,
    /// The provider's definition of it.
    pub function: Function,
    /// The names of its arguments in order; the last is a list if the function is variadic.
    pub arguments: Vec<String>,
}

impl ProviderFunction {
    pub(crate) fn new(terraform: &str, token: &str, function: Function) -> Self {
        let parameters = function.parameters.iter().chain(&function.variadic);
        let arguments = object_names::arguments(parameters.map(|parameter| parameter.name.as_str()));
        Self { terraform: terraform.into(), token: token.into(), function, arguments }
    }
}

fn has(block: &Block, name: &str) -> bool {
    block.attribute(name).is_some() || block.nested(name).is_some()
}

fn first_free<'n>(block: &Block, names: &'n [String]) -> Option<&'n String> {
    names.iter().find(|name| !has(block, name))
}

fn is_string(attribute: &Attribute) -> bool {
    matches!(attribute.shape, Wire::Type(Type::String))
}

/// Other names for an `id` that a program may set, best first.
fn id_names(terraform: &str, tokens: &Tokens) -> [String; 4] {
    let rest = terraform.strip_prefix(tokens.prefix.as_str()).unwrap_or(terraform);
    let rest = if rest.is_empty() { terraform } else { rest }.trim_start_matches('_');
    let package = tokens.package.replace('-', "_");
    [format!("{rest}_id"), format!("{package}_{rest}_id"), "resource_id".to_owned(), format!("{package}_id")]
}

#[cfg(test)]
mod tests {
    use outrigger_terraform::schema::Description;

    use super::*;
    use crate::naming::tokens::{ProviderNames, Selection};

    fn tokens() -> Tokens {
        let resources = ["big_thing".to_owned()].into();
        let names = ProviderNames { provider: "big-one".to_owned(), resources, ..ProviderNames::default() };
        Tokens::new(&names, &Selection::default()).unwrap()
    }

    fn attribute(name: &str, ty: Type, flags: &str) -> Attribute {
        Attribute {
            name: name.into(),
            shape: Wire::Type(ty),
            description: Description::default(),
            required: flags.contains('r'),
            optional: flags.contains('o'),
            computed: flags.contains('c'),
            sensitive: false,
            write_only: false,
            deprecation: None,
        }
    }

    fn resource(attributes: Vec<Attribute>) -> Result<Resource, NoFreeName> {
        let schema = Schema { version: 1, block: Block { attributes, ..Block::default() } };
        Resource::new("big_thing", "big-one:index/thing:Thing", &schema, &tokens())
    }

    fn id(ty: Type, flags: &str) -> (Id, String) {
        let resource = resource(vec![attribute("id", ty, flags)]).unwrap();
        (resource.id, resource.object.of_terraform("id").unwrap().name.to_string())
    }

    #[test]
    fn an_id_is_hidden_or_renamed_or_missing() {
        let property = || Id::Property("thingId".into());
        assert_eq!(id(Type::String, "c"), (Id::Attribute, "id".to_owned()));
        assert_eq!(id(Type::String, "oc"), (property(), "thingId".to_owned()));
        // Pulumi's bridge, in the version that decides, has no id where only a program sets the attribute.
        assert_eq!(id(Type::String, "r"), (Id::Missing, "thingId".to_owned()));
        assert_eq!(id(Type::String, "o"), (Id::Missing, "thingId".to_owned()));
        assert_eq!(id(Type::Number, "c"), (Id::Missing, "thingId".to_owned()));
        assert_eq!(id(Type::Number, "oc"), (Id::Missing, "thingId".to_owned()));
        assert_eq!(resource(Vec::new()).unwrap().id, Id::Missing);
    }

    #[test]
    fn an_id_gets_the_first_free_name() {
        let mut attributes = vec![attribute("id", Type::String, "oc")];
        let mut names = Vec::new();
        for taken in ["thing_id", "big_one_thing_id", "resource_id"] {
            attributes.push(attribute(taken, Type::String, "o"));
            names.push(resource(attributes.clone()).unwrap().object.of_terraform("id").unwrap().name.to_string());
        }
        assert_eq!(names, ["bigOneThingId", "resourceId", "bigOneId"]);
        attributes.push(attribute("big_one_id", Type::String, "o"));
        let wrong = resource(attributes.clone()).unwrap_err();
        assert_eq!(wrong.attribute, "id");
        assert!(wrong.to_string().contains("--exclude big_thing"), "{wrong}");
        attributes[0] = attribute("id", Type::String, "c");
        assert_eq!(resource(attributes).unwrap().id, Id::Attribute, "what needs no other name cannot lack one");
    }

    #[test]
    fn reserved_names_are_replaced() {
        let made = resource(vec![attribute("urn", Type::String, "c"), attribute("pulumi", Type::String, "c")]).unwrap();
        assert_eq!(&*made.object.of_terraform("urn").unwrap().name, "big-oneUrn");
        assert_eq!(&*made.object.of_terraform("pulumi").unwrap().name, "pulumiInfo");
        let taken = vec![attribute("pulumi", Type::String, "c"), attribute("pulumi_info", Type::String, "c")];
        assert_eq!(resource(taken).unwrap_err().attribute, "pulumi");
    }

    #[test]
    fn a_name_that_can_be_given_can_be_made() {
        let autonamed = |ty, flags| resource(vec![attribute("name", ty, flags)]).unwrap().autonamed;
        assert!(autonamed(Type::String, "r"));
        assert!(autonamed(Type::String, "oc"));
        assert!(!autonamed(Type::String, "c"));
        assert!(!autonamed(Type::Number, "r"));
    }
}
