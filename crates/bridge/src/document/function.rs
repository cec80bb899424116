//! A provider's function: positional arguments, and a result of any type.
//!
//! Later versions of Pulumi's bridge describe a result that is not an object by its own type. The SDKs that Pulumi 3.250.0 generates for
//! parameterized packages then do not compile: in Go such a function would have to return `nil` for a string. So here the result is the only
//! property of an object, which is the form on the wire in both cases.

use std::collections::HashSet;
use std::io;

use super::json::Members;
use super::property::{Described, Module, PropertyContext};
use super::types::{Found, Types, properties};
use crate::document::prose;
use crate::function::RESULT;
use crate::naming::case;
use crate::naming::object_names::{Field, Object, Shape, Side};
use crate::naming::resources::ProviderFunction;
use crate::naming::tokens::{Tokens, last_part};

/// The context for functions: their objects have no descriptions, and types are named after the path with plurals kept.
pub(super) fn place(tokens: &Tokens) -> PropertyContext<'_> {
    let type_name = |owner: &str, field: &Field| format!("{owner}{}", case::upper_first(&field.name));
    PropertyContext { type_name, ..PropertyContext::new(tokens, Module::Index, Described::Not) }
}

pub(super) fn write(
    members: &mut Members<'_, '_>,
    place: &PropertyContext<'_>,
    named: &ProviderFunction,
) -> io::Result<()> {
    let function = &named.function;
    let parts = [function.summary.as_str(), function.description.text.as_str()];
    let description = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    if !description.is_empty() {
        members.text("description", &prose::lines(&description))?;
    }
    if !named.arguments.is_empty() {
        members.object("inputs", |members| arguments(members, place, named))?;
        members.texts("multiArgumentInputs", named.arguments.iter().map(String::as_str))?;
    }
    let owner = format!("{}Result", last_part(&named.token));
    members.object("outputs", |members| match Shape::of_type(&function.result) {
        Shape::Object(object) => result(members, place, &owner, &object),
        shape => wrapped(members, place, &owner, &shape),
    })?;
    members.text_if_any("deprecationMessage", &function.deprecation_message)
}

/// The types of the objects in a function's arguments and result.
pub(super) fn types(
    members: &mut Members<'_, '_>,
    place: &PropertyContext<'_>,
    named: &ProviderFunction,
    written: &mut HashSet<String>,
) -> io::Result<()> {
    let function = &named.function;
    for (parameter, argument) in function.parameters.iter().chain(&function.variadic).zip(&named.arguments) {
        let shape = Shape::of_type(&parameter.ty);
        if let Some(object) = shape.object() {
            let mut types = Types::new(place);
            types.add_named(argument_type(named, argument), object, Found::Both);
            types.write(members, written)?;
        }
    }
    let owner = format!("{}Result", last_part(&named.token));
    let shape = Shape::of_type(&function.result);
    let mut types = Types::new(place);
    match &shape {
        // The object that is the result itself needs no named type.
        Shape::Object(object) => types.add(&owner, object.fields().iter(), Found::Both),
        other => {
            if let Some(object) = other.object() {
                types.add_named(owner, object, Found::Both);
            }
        }
    }
    types.write(members, written)
}

fn argument_type(named: &ProviderFunction, argument: &str) -> String {
    format!("{}{}", last_part(&named.token), case::upper_first(argument))
}

fn arguments(members: &mut Members<'_, '_>, place: &PropertyContext<'_>, named: &ProviderFunction) -> io::Result<()> {
    let function = &named.function;
    let fixed = function.parameters.len();
    members.object("properties", |members| {
        let parameters = function.parameters.iter().chain(&function.variadic);
        for (at, (parameter, argument)) in parameters.zip(&named.arguments).enumerate() {
            let shape = Shape::of_type(&parameter.ty);
            let shape = if at < fixed { shape } else { Shape::List(shape.into()) };
            members.object(argument, |members| {
                place.typed(members, &shape, &argument_type(named, argument))?;
                if parameter.description.text.is_empty() {
                    return Ok(());
                }
                members.text("description", &prose::lines(&parameter.description.text))
            })?;
        }
        Ok::<(), io::Error>(())
    })?;
    members.text("type", "object")?;
    // No language can leave out an argument that precedes a required one.
    let last = function.parameters.iter().rposition(|parameter| !parameter.allow_null);
    let needed = last.map_or(0, |last| last + 1);
    members.texts_if_any("required", named.arguments.iter().take(needed).map(String::as_str))
}

fn result(members: &mut Members<'_, '_>, place: &PropertyContext<'_>, owner: &str, object: &Object) -> io::Result<()> {
    properties(members, "properties", place, owner, object.fields().iter())?;
    members.text("type", "object")?;
    let required = object.fields().iter().filter(|field| field.is_required(Side::Output));
    members.texts_if_any("required", required.map(|field| &*field.name))
}

/// A result that is not an object, under the name that it has in the answer.
fn wrapped(members: &mut Members<'_, '_>, place: &PropertyContext<'_>, owner: &str, shape: &Shape) -> io::Result<()> {
    members.object("properties", |members| members.object(RESULT, |members| place.typed(members, shape, owner)))?;
    members.text("type", "object")?;
    members.texts("required", [RESULT].into_iter())
}
