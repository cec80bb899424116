//! The names inside a resource: the property for each attribute and block, at every level.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use outrigger_terraform::cty::{ObjectType, Type};
use outrigger_terraform::schema::{Attribute, Block, Deprecation, NestedBlock, NestedObject, Nesting, Shape as Wire};

use crate::naming::{case, inflect};

/// Pulumi accepts no property of this name, at any level. Its bridge renames it at the top of a resource, and fails on a nested one.
const RESERVED: &str = "pulumi";

/// The properties of an object, in the order of their Terraform names.
#[derive(Debug, Default)]
pub struct Object {
    fields: Box<[Field]>,
    /// Positions in `fields`, in the order of the properties' names.
    by_name: Box<[u32]>,
}

/// A property, and its attribute or block.
#[derive(Debug)]
pub struct Field {
    /// Terraform's name.
    pub terraform: Arc<str>,
    /// Pulumi's name.
    pub name: Box<str>,
    /// The shape of its value.
    pub shape: Shape,
    /// Whether it is a nested block, not an attribute.
    pub block: bool,
    /// Must be given.
    pub required: bool,
    /// May be given.
    pub optional: bool,
    /// The provider may fill it in.
    pub computed: bool,
    /// The bridge makes up a name if none is given.
    pub autonamed: bool,
    /// Never shown.
    pub sensitive: bool,
    /// Never stored by the provider.
    pub write_only: bool,
    /// The provider's description; may be empty.
    pub description: Box<str>,
    /// The deprecation message, if it is deprecated.
    pub deprecation: Option<Box<str>>,
}

/// The shape of a property's value.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A string.
    String,
    /// A number.
    Number,
    /// True or false.
    Bool,
    /// A value of any type; the value itself has its type.
    Any,
    /// A fixed number of values, each of its own shape.
    Tuple(Arc<[Shape]>),
    /// Values in order.
    List(Arc<Shape>),
    /// Distinct values, in no order.
    Set(Arc<Shape>),
    /// Values by name.
    Map(Arc<Shape>),
    /// Properties.
    Object(Arc<Object>),
    /// The only object of a list or set of blocks that is limited to one: Pulumi sees the object, Terraform the collection.
    One {
        /// The object.
        object: Arc<Object>,
        /// How Terraform keeps it.
        collection: Collection,
    },
}

/// How Terraform keeps the only object of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// In a list.
    List,
    /// In a set.
    Set,
}

/// The side of a resource that a property is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The properties that a program sets.
    Input,
    /// The properties that a program reads.
    Output,
}

impl Object {
    /// The properties of a block.
    pub fn of_block(block: &Block) -> Self {
        Self::of_renamed_block(block, &HashMap::new())
    }

    /// The properties of a block, some of which were renamed before.
    pub(crate) fn of_renamed_block(block: &Block, renamed: &HashMap<&str, String>) -> Self {
        let attributes = block.attributes.iter().map(of_attribute);
        Self::new(attributes.chain(block.blocks.iter().map(of_nested)).collect(), renamed)
    }

    /// The properties of an object that has no schema: only the types of its attributes are known.
    pub fn of_type(object: &ObjectType) -> Self {
        let fields = object
            .attributes
            .iter()
            .map(|(name, ty)| Field { optional: object.optional.contains(name), ..field(name, Shape::of_type(ty)) });
        Self::new(fields.collect(), &HashMap::new())
    }

    fn of_nested(object: &NestedObject) -> Self {
        Self::new(object.attributes.iter().map(of_attribute).collect(), &HashMap::new())
    }

    fn new(mut fields: Vec<Field>, renamed: &HashMap<&str, String>) -> Self {
        fields.sort_by(|one, other| one.terraform.cmp(&other.terraform));
        fields.dedup_by(|one, other| one.terraform == other.terraform);
        let names = names(&fields, renamed);
        for (field, name) in fields.iter_mut().zip(names) {
            field.name = name.into();
        }
        let mut by_name: Box<[u32]> = (0..u32::try_from(fields.len()).unwrap_or(u32::MAX)).collect();
        by_name.sort_by(|one, other| fields[*one as usize].name.cmp(&fields[*other as usize].name));
        Self { fields: fields.into(), by_name }
    }

    /// Every property, in the order of the Terraform names.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The property of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let found = self.by_name.binary_search_by(|at| (*self.fields[*at as usize].name).cmp(name)).ok()?;
        self.fields.get(self.by_name[found] as usize)
    }

    /// The property for an attribute or block.
    pub fn of_terraform(&self, name: &str) -> Option<&Field> {
        let found = self.fields.binary_search_by(|field| (*field.terraform).cmp(name)).ok()?;
        self.fields.get(found)
    }

    /// The properties in the order of their own names.
    pub(crate) fn by_name(&self) -> impl Iterator<Item = &Field> {
        self.by_name.iter().map(|at| &self.fields[*at as usize])
    }

    pub(crate) fn fields_mut(&mut self) -> &mut [Field] {
        &mut self.fields
    }
}

impl Field {
    /// Whether a program may set it.
    pub fn is_input(&self) -> bool {
        self.optional || self.required
    }

    /// Whether it is required on this side.
    pub fn is_required(&self, side: Side) -> bool {
        match side {
            Side::Input => !(self.optional || self.computed || self.autonamed),
            Side::Output => !self.optional || self.computed || self.autonamed,
        }
    }

    /// Whether it must never be shown or stored in clear.
    pub fn is_secret(&self) -> bool {
        self.sensitive || self.write_only
    }
}

impl Shape {
    /// The shape of an attribute that has only a type.
    pub fn of_type(ty: &Type) -> Self {
        match ty {
            Type::String => Self::String,
            Type::Number => Self::Number,
            Type::Bool => Self::Bool,
            Type::Dynamic => Self::Any,
            Type::List(element) => Self::List(Arc::new(Self::of_type(element))),
            Type::Set(element) => Self::Set(Arc::new(Self::of_type(element))),
            Type::Map(element) => Self::Map(Arc::new(Self::of_type(element))),
            Type::Tuple(elements) => Self::Tuple(elements.iter().map(Self::of_type).collect()),
            Type::Object(object) => Self::Object(Arc::new(Object::of_type(object))),
        }
    }

    /// Whether it is a list or a set.
    pub fn is_several(&self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_))
    }

    /// The shape of each element of a list, set or map.
    pub(crate) fn element(&self) -> Option<&Shape> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            _ => None,
        }
    }

    /// The object inside, under any number of lists, sets and maps.
    pub fn object(&self) -> Option<&Arc<Object>> {
        match self {
            Self::Object(object) | Self::One { object, .. } => Some(object),
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.object(),
            Self::String | Self::Number | Self::Bool | Self::Any | Self::Tuple(_) => None,
        }
    }
}

/// The properties' names, one for each field.
///
/// Pulumi's bridge does not notice when two properties would have the same name, and shows only the last of them; here the others keep their
/// Terraform names, and so does one whose name would be empty.
fn names(fields: &[Field], renamed: &HashMap<&str, String>) -> Vec<String> {
    let preferred = |field: &Field| match renamed.get(&*field.terraform) {
        Some(name) => name.clone(),
        None => property_name(&field.terraform, &field.shape, fields),
    };
    let mut names: Vec<String> = fields.iter().map(preferred).collect();
    let mut taken: HashSet<&str> = HashSet::with_capacity(names.len());
    if names.iter().all(|name| !name.is_empty() && taken.insert(name)) {
        return names;
    }
    let mut taken: HashSet<String> = renamed.values().cloned().collect();
    let fixed = |field: &Field| renamed.contains_key(&*field.terraform);
    for (field, name) in fields.iter().zip(&mut names).rev().filter(|(field, _)| !fixed(field)) {
        if name.is_empty() || taken.contains(name) {
            *name = field.terraform.to_string();
        }
        while name == RESERVED || !taken.insert(name.clone()) {
            name.push('_');
        }
    }
    names
}

/// Lists and sets have plural names, unless the plural is another attribute's name.
fn property_name(terraform: &str, shape: &Shape, fields: &[Field]) -> String {
    let known = |name: &str| fields.binary_search_by(|field| (*field.terraform).cmp(name)).is_ok();
    let plural = shape.is_several().then(|| inflect::plural(terraform)).filter(|plural| !known(plural));
    let name = case::camel(plural.as_deref().unwrap_or(terraform));
    if name == RESERVED { "pulumiInfo".to_owned() } else { name }
}

fn field(terraform: &Arc<str>, shape: Shape) -> Field {
    Field {
        terraform: Arc::clone(terraform),
        name: Box::default(),
        shape,
        block: false,
        required: false,
        optional: false,
        computed: false,
        autonamed: false,
        sensitive: false,
        write_only: false,
        description: Box::default(),
        deprecation: None,
    }
}

fn of_attribute(attribute: &Attribute) -> Field {
    let shape = match &attribute.shape {
        Wire::Type(ty) => Shape::of_type(ty),
        Wire::Nested(object) => kept(object.nesting, Arc::new(Object::of_nested(object))),
    };
    Field {
        required: attribute.required,
        optional: attribute.optional,
        computed: attribute.computed,
        sensitive: attribute.sensitive,
        write_only: attribute.write_only,
        description: attribute.description.text.as_str().into(),
        deprecation: attribute.deprecation.as_ref().map(reason),
        ..field(&attribute.name, shape)
    }
}

fn of_nested(nested: &NestedBlock) -> Field {
    let object = Arc::new(Object::of_block(&nested.block));
    let shape = match (nested.nesting, nested.max_items) {
        (Nesting::List, 1) => Shape::One { object, collection: Collection::List },
        (Nesting::Set, 1) => Shape::One { object, collection: Collection::Set },
        (nesting, _) => kept(nesting, object),
    };
    Field {
        block: true,
        required: nested.min_items > 0,
        optional: nested.min_items <= 0,
        description: nested.block.description.text.as_str().into(),
        deprecation: nested.block.deprecation.as_ref().map(reason),
        ..field(&nested.name, shape)
    }
}

fn kept(nesting: Nesting, object: Arc<Object>) -> Shape {
    let object = Shape::Object(object);
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => Shape::List(Arc::new(object)),
        Nesting::Set => Shape::Set(Arc::new(object)),
        Nesting::Map => Shape::Map(Arc::new(object)),
    }
}

/// The deprecation message; an older provider has none, and gets the one that Pulumi's bridge always writes.
fn reason(deprecation: &Deprecation) -> Box<str> {
    if deprecation.message.is_empty() { "Deprecated".into() } else { deprecation.message.as_str().into() }
}

/// The names of a function's arguments. Terraform's arguments are positional, so a provider may leave names out or use one twice.
pub(crate) fn arguments<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    for (place, name) in names.enumerate() {
        let base = case::camel(name);
        let base = if base.is_empty() { format!("arg{}", place + 1) } else { base };
        let mut argument = base.clone();
        let mut number = 2;
        while arguments.contains(&argument) {
            argument = format!("{base}{number}");
            number += 1;
        }
        arguments.push(argument);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn attribute(name: &str, ty: Type) -> Attribute {
        Attribute {
            name: name.into(),
            shape: Wire::Type(ty),
            description: Default::default(),
            required: false,
            optional: true,
            computed: false,
            sensitive: false,
            write_only: false,
            deprecation: None,
        }
    }

    fn block(name: &str, nesting: Nesting, max_items: i64) -> NestedBlock {
        let inner = Block { attributes: vec![attribute("cidr_block", Type::list(Type::String))], ..Block::default() };
        NestedBlock { name: name.into(), block: Arc::new(inner), nesting, min_items: 0, max_items }
    }

    fn names_of(block: &Block) -> Vec<(String, String)> {
        let object = Object::of_block(block);
        object.fields().iter().map(|field| (field.terraform.to_string(), field.name.to_string())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(terraform, name)| ((*terraform).to_owned(), (*name).to_owned())).collect()
    }

    #[test]
    fn several_values_have_a_plural_name() {
        let strings = || Type::list(Type::String);
        let attributes = vec![
            attribute("security_groups", strings()),
            attribute("zone", Type::set(Type::String)),
            attribute("key", strings()),
            attribute("keys", Type::String),
            attribute("tag", Type::map(Type::String)),
            attribute("archive", strings()),
            attribute("hive", strings()),
        ];
        let blocks = vec![
            block("cors_rule", Nesting::List, 0),
            block("website", Nesting::List, 1),
            block("ingress", Nesting::Set, 2),
            block("timeout", Nesting::Single, 0),
            block("label", Nesting::Map, 0),
        ];
        let block = Block { attributes, blocks, ..Block::default() };
        let expected = [
            ("archive", "arc"),
            ("cors_rule", "corsRules"),
            ("hive", "hive"),
            ("ingress", "ingresses"),
            ("key", "key"),
            ("keys", "keys"),
            ("label", "label"),
            ("security_groups", "securityGroups"),
            ("tag", "tag"),
            ("timeout", "timeout"),
            ("website", "website"),
            ("zone", "zones"),
        ];
        assert_eq!(names_of(&block), pairs(&expected));
        let object = Object::of_block(&block);
        let inner = object.field("corsRules").and_then(|field| field.shape.object()).unwrap();
        assert_eq!(&*inner.of_terraform("cidr_block").unwrap().name, "cidrBlocks");
        assert!(matches!(object.field("website").unwrap().shape, Shape::One { collection: Collection::List, .. }));
    }

    #[test]
    fn no_two_properties_have_one_name() {
        let attributes = vec![attribute("a__b", Type::String), attribute("a_b", Type::String)];
        let block = Block { attributes, ..Block::default() };
        assert_eq!(names_of(&block), pairs(&[("a__b", "a__b"), ("a_b", "aB")]));
        let attributes = vec![attribute("pulumi", Type::String), attribute("pulumi_info", Type::String)];
        let block = Block { attributes, ..Block::default() };
        assert_eq!(names_of(&block), pairs(&[("pulumi", "pulumi_"), ("pulumi_info", "pulumiInfo")]));
    }

    #[test]
    fn what_must_be_there_depends_on_the_side() {
        let field = |required, optional, computed, autonamed| Field {
            required,
            optional,
            computed,
            autonamed,
            ..field(&"x".into(), Shape::String)
        };
        let cases = [
            (field(true, false, false, false), true, true),
            (field(false, true, false, false), false, false),
            (field(false, true, true, false), false, true),
            (field(false, false, true, false), false, true),
            (field(true, false, false, true), false, true),
            (field(false, true, false, true), false, true),
            (field(false, false, false, false), true, true),
        ];
        for (at, (field, input, output)) in cases.iter().enumerate() {
            assert_eq!(field.is_required(Side::Input), *input, "{at}");
            assert_eq!(field.is_required(Side::Output), *output, "{at}");
        }
    }

    #[test]
    fn arguments_have_names() {
        let names = ["some_text", "", "someText", "", "some_text"];
        assert_eq!(arguments(names.into_iter()), ["someText", "arg2", "someText2", "arg4", "someText3"]);
    }

    fn any_type() -> impl Strategy<Value = Type> {
        let leaf = prop_oneof![Just(Type::String), Just(Type::Number), Just(Type::Dynamic)];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(Type::list),
                inner.clone().prop_map(Type::set),
                inner.clone().prop_map(Type::map),
                proptest::collection::btree_map("[a-z_]{1,6}(s|y|hive)?", inner, 0..4)
                    .prop_map(|fields| Type::object(fields.into_iter().map(|(name, ty)| (name.into(), ty)))),
            ]
        })
    }

    fn come_back(object: &Object) {
        for field in object.fields() {
            assert_eq!(object.field(&field.name).unwrap().terraform, field.terraform);
            assert_eq!(object.of_terraform(&field.terraform).unwrap().name, field.name);
            if let Some(inner) = field.shape.object() {
                come_back(inner);
            }
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(fields in proptest::collection::btree_map("[a-z_]{1,8}(s|y|us|hive)?", any_type(), 0..12)) {
            let attributes = fields.into_iter().map(|(name, ty)| attribute(&name, ty)).collect();
            come_back(&Object::of_block(&Block { attributes, ..Block::default() }));
        }
    }
}
