//! The package schema of a Terraform provider, field for field as Pulumi's dynamic bridge (3.124.0) writes it.
//!
//! Resources are decoded, named, written and dropped one by one; only the document itself is ever whole in memory.
//!
//! # Where the two differ
//!
//! - The provider's own deprecation messages are kept, instead of `Deprecated`.
//! - The provider's functions are functions of the package, in the form that later versions of Pulumi's bridge give them, except for results
//!   that are not objects (`function`).
//! - Two properties that would have the same name are both there, and so is one whose plural would be empty (`object_names`).
//! - Names that make Pulumi refuse the whole document are changed: a nested property `pulumi`, a type with a hyphen in its name, a data
//!   source that differs from a resource in case only.
//! - A tuple has the type `Any`; Pulumi's bridge fails on one.
//! - A resource called `Provider` can fall back on two more names, and is left out if it is not included (`tokens`).
//! - A required `id` is the resource's id, as it is in later versions of Pulumi's bridge, instead of `missing ID` (`resources`). The
//!   schema does not show it.

mod function;
mod json;
pub(crate) mod mapping;
mod package;
mod property;
pub(crate) mod prose;
mod types;

use std::collections::HashSet;
use std::io::{self, Write};

use json::{Members, Output};
use property::{Described, Module, PropertyContext};
use types::{Found, Types, properties};

use crate::naming::object_names::{Field, Object, Side};
use crate::naming::provider_names::{Naming, NamingError};
use crate::naming::resources::{DataSource, Resource};
use crate::naming::tokens::last_part;

pub use package::{About, RegistryName, base_document};

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The output failed.
    #[error("the package's schema cannot be written: {0}")]
    Output(#[from] io::Error),
    /// Something in it could not be named.
    #[error(transparent)]
    Naming(#[from] NamingError),
}

/// Writes the package schema of a provider, as JSON.
pub fn write_document(naming: &Naming, about: &About<'_>, to: &mut dyn Write) -> Result<(), DocumentError> {
    let mut output = Output::new(to);
    output.object(|members| {
        package::head(members, naming, about)?;
        configuration(members, naming)?;
        types(members, naming)?;
        provider(members, naming)?;
        resources(members, naming)?;
        functions(members, naming)?;
        Ok::<(), DocumentError>(package::parameterization(members, about)?)
    })?;
    Ok(output.flush()?)
}

fn configuration(members: &mut Members<'_, '_>, naming: &Naming) -> io::Result<()> {
    let object = naming.configuration();
    let type_name = property::variable_type_name;
    let place =
        PropertyContext { type_name, ..PropertyContext::new(naming.tokens(), Module::Config, Described::Plainly) };
    members.object("config", |members| {
        properties(members, "variables", &place, "", object.by_name())?;
        // In this format, `defaults` lists the required variables.
        members.texts_if_any("defaults", required(object.fields().iter(), Side::Output))
    })
}

fn provider(members: &mut Members<'_, '_>, naming: &Naming) -> io::Result<()> {
    let object = naming.configuration();
    let place = PropertyContext::new(naming.tokens(), Module::Index, Described::Plainly);
    let inputs = || object.fields().iter().filter(|field| field.is_input() && &*field.name != "id");
    members.object("provider", |members| {
        members.text("description", &package::provider_description(naming))?;
        for (all, needed) in [("properties", "required"), ("inputProperties", "requiredInputs")] {
            properties(members, all, &place, "Provider", inputs())?;
            members.texts_if_any(needed, required(inputs(), Side::Input))?;
        }
        let method = package::configuration_method(naming);
        members.object("methods", |members| members.text("terraformConfig", &method))
    })
}

/// A member of the package and the name of its module, which Pulumi's bridge sorts by.
struct Entry<'n> {
    module: String,
    token: &'n str,
    terraform: &'n str,
    kind: EntryKind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EntryKind {
    Resource,
    DataSource,
}

/// Two members may have a type of the same name. Pulumi's bridge keeps the one that it writes last, so the members are visited backwards here,
/// and each type is written once.
fn types(members: &mut Members<'_, '_>, naming: &Naming) -> Result<(), DocumentError> {
    let tokens = naming.tokens();
    let resources = tokens.resources.iter().map(|pair| (pair, EntryKind::Resource));
    let data_sources = tokens.data_sources.iter().map(|pair| (pair, EntryKind::DataSource));
    let mut entries: Vec<Entry<'_>> = resources
        .chain(data_sources)
        .map(|((token, terraform), kind)| {
            let module = crate::naming::case::lower_first(last_part(token));
            Entry { module, token, terraform, kind }
        })
        .collect();
    entries.sort_by(|one, other| other.module.cmp(&one.module).then(other.kind.cmp(&one.kind)));
    let object = naming.configuration();
    let mut written = HashSet::new();
    members.object_if_any("types", |members| {
        let type_name = property::variable_type_name;
        let place = PropertyContext { type_name, ..PropertyContext::new(tokens, Module::Config, Described::InLines) };
        let mut types = Types::new(&place);
        types.add("", object.fields().iter(), Found::Outputs);
        types.write(members, &mut written)?;
        let place = PropertyContext::new(tokens, Module::Index, Described::InLines);
        let mut types = Types::new(&place);
        types.add("Provider", object.fields().iter().filter(|field| field.is_input()), Found::Inputs);
        types.write(members, &mut written)?;
        for entry in &entries {
            match entry.kind {
                EntryKind::Resource => {
                    let resource = naming.passing_resource(entry.terraform, entry.token)?;
                    let mut types = Types::new(&place);
                    types.add(last_part(entry.token), resource.object.fields().iter(), Found::Both);
                    types.write(members, &mut written)?;
                }
                EntryKind::DataSource => {
                    let source = naming.passing_data_source(entry.terraform, entry.token)?;
                    let mut types = Types::new(&place);
                    let arguments = source.object.fields().iter().filter(|field| field.is_input());
                    types.add(last_part(entry.token), arguments, Found::Inputs);
                    types.add(last_part(entry.token), source.object.fields().iter(), Found::Outputs);
                    types.write(members, &mut written)?;
                }
            }
        }
        for (token, terraform) in tokens.functions.iter() {
            let function = naming.passing_function(terraform, token)?;
            function::types(members, &function::place(tokens), &function, &mut written)?;
        }
        Ok(())
    })
}

fn resources(members: &mut Members<'_, '_>, naming: &Naming) -> Result<(), DocumentError> {
    members.object_if_any("resources", |members| {
        for (token, terraform) in naming.tokens().resources.iter() {
            let resource = naming.passing_resource(terraform, token)?;
            members.object(token, |members| write_resource(members, naming, &resource))?;
        }
        Ok(())
    })
}

fn write_resource(members: &mut Members<'_, '_>, naming: &Naming, resource: &Resource) -> io::Result<()> {
    let place = PropertyContext::new(naming.tokens(), Module::Index, Described::Plainly);
    let name = last_part(&resource.token);
    // Every resource has an id, which is not one of its properties.
    let all = || shown(&resource.object);
    let inputs = || all().filter(|field| field.is_input());
    properties(members, "properties", &place, name, all())?;
    members.texts_if_any("required", required(all(), Side::Output))?;
    properties(members, "inputProperties", &place, name, inputs())?;
    members.texts_if_any("requiredInputs", required(inputs(), Side::Input))?;
    members.object("stateInputs", |members| {
        let about = format!("Input properties used for looking up and filtering {name} resources.\n");
        members.text("description", &about)?;
        properties(members, "properties", &place, name, all())?;
        members.text("type", "object")
    })
}

fn shown(object: &Object) -> impl Iterator<Item = &Field> {
    object.fields().iter().filter(|field| &*field.name != "id")
}

fn functions(members: &mut Members<'_, '_>, naming: &Naming) -> Result<(), DocumentError> {
    let tokens = naming.tokens();
    let place = PropertyContext::new(tokens, Module::Index, Described::Not);
    members.object("functions", |members| {
        for (token, terraform) in tokens.data_sources.iter() {
            let source = naming.passing_data_source(terraform, token)?;
            members.object(token, |members| write_data_source(members, &place, &source))?;
        }
        for (token, terraform) in tokens.functions.iter() {
            let function = naming.passing_function(terraform, token)?;
            members.object(token, |members| function::write(members, &function::place(tokens), &function))?;
        }
        Ok(package::configuration_function(members, &package::configuration_method(naming))?)
    })
}

fn write_data_source(
    members: &mut Members<'_, '_>,
    place: &PropertyContext<'_>,
    source: &DataSource,
) -> io::Result<()> {
    let name = last_part(&source.token);
    let arguments = || source.object.fields().iter().filter(|field| field.is_input());
    if arguments().next().is_some() {
        members.object("inputs", |members| {
            members.text("description", &format!("A collection of arguments for invoking {name}.\n"))?;
            properties(members, "properties", place, name, arguments())?;
            members.text("type", "object")?;
            members.texts_if_any("required", required(arguments(), Side::Input))
        })?;
    }
    members.object("outputs", |members| {
        members.text("description", &format!("A collection of values returned by {name}.\n"))?;
        members.object("properties", |members| {
            for field in source.object.fields() {
                members.object(&field.name, |members| place.property(members, field, name))?;
            }
            if source.made_up_id {
                members.object("id", |members| {
                    members.text("type", "string")?;
                    members.text("description", "The provider-assigned unique ID for this managed resource.")
                })?;
            }
            Ok::<(), io::Error>(())
        })?;
        members.text("type", "object")?;
        let made_up = source.made_up_id.then_some("id");
        members.texts_if_any("required", required(source.object.fields().iter(), Side::Output).chain(made_up))
    })
}

fn required<'f>(fields: impl Iterator<Item = &'f Field>, side: Side) -> impl Iterator<Item = &'f str> {
    fields.filter(move |field| field.is_required(side)).map(|field| &*field.name)
}
