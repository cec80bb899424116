//! The type of a path into a value.

use outrigger_diagnostic::Diagnostic;

use super::types::Ty;
use crate::interpolation::{Access, Step};
use crate::suggestion;

/// Follows a path. `Err` is the error, without its place.
pub(super) fn follow(root: &Ty, access: &Access) -> Result<Ty, Box<Diagnostic>> {
    walk(root.clone(), access.root.clone(), &access.steps)
}

fn walk(root: Ty, name: String, steps: &[Step]) -> Result<Ty, Box<Diagnostic>> {
    let Some((step, rest)) = steps.split_first() else { return Ok(root) };
    let next = match &root {
        Ty::Unknown | Ty::Any => return Ok(root),
        Ty::Union(branches) => return union(&root, branches, name, steps),
        _ => match step {
            Step::Name(property) => named(&root, &name, property)?,
            Step::Key(_) | Step::Index(_) => indexed(&root, &name, step)?,
        },
    };
    walk(next, format!("{name}{step}"), rest)
}

/// Every branch must have the property; the result is the type in one of them.
fn union(root: &Ty, branches: &[Ty], name: String, steps: &[Step]) -> Result<Ty, Box<Diagnostic>> {
    let mut found: Vec<Ty> = Vec::new();
    for branch in branches {
        match walk(branch.clone(), name.clone(), steps) {
            Ok(ty) => found.push(ty),
            Err(reason) => {
                let summary = format!("Cannot access into {name} of type {root}");
                let detail = format!("'{name}' could be of type {branch}: {}", reason.summary);
                return Err(error(summary, detail));
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        _ => Ok(Ty::Union(found.into())),
    }
}

fn named(root: &Ty, name: &str, property: &str) -> Result<Ty, Box<Diagnostic>> {
    let missing = |existing: &mut dyn Iterator<Item = &str>| {
        let summary = format!("{property} does not exist on {name}");
        Box::new(suggestion::suggest(
            Diagnostic::error("yaml-unknown-property", summary),
            property,
            existing,
            "properties",
        ))
    };
    match root {
        Ty::Literal(entries) => match entries.iter().find(|(key, _)| **key == *property) {
            Some((_, ty)) => Ok(ty.clone()),
            None => Err(missing(&mut entries.iter().map(|(key, _)| &**key))),
        },
        Ty::Object(shape) => match shape.properties.get(property) {
            Some(found) => Ok(Ty::of(&shape.package, &found.ty)),
            None => Err(missing(&mut shape.properties.keys().map(String::as_str))),
        },
        Ty::Map(element) => Ok((**element).clone()),
        Ty::AnyResource => Ok(Ty::Unknown),
        Ty::Resource(held) => {
            if property == "urn" {
                return Ok(Ty::String);
            }
            let Some((package, schema)) = &held.schema else { return Ok(Ty::Unknown) };
            if property == "id" && !schema.is_component {
                return Ok(Ty::String);
            }
            match schema.properties.get(property) {
                Some(found) => Ok(Ty::of(package, &found.ty)),
                None => Err(missing(&mut schema.properties.keys().map(String::as_str).chain(["id", "urn"]))),
            }
        }
        _ => Err(error(
            format!("cannot access a property on '{name}' (type {root})"),
            "Property access is only allowed on resources and objects".to_owned(),
        )),
    }
}

fn indexed(root: &Ty, name: &str, step: &Step) -> Result<Ty, Box<Diagnostic>> {
    let cannot = |how: &str, detail: &str| {
        Err(error(format!("Cannot index{how} into '{name}' (type {root})"), detail.to_owned()))
    };
    match (root, step) {
        (Ty::List(element), Step::Index(_)) | (Ty::Map(element), Step::Key(_)) => Ok((**element).clone()),
        (Ty::List(_), _) => cannot(" via string", "Index via string is only allowed on maps"),
        (Ty::Map(_), _) => cannot(" via number", "Index via number is only allowed on lists"),
        _ => cannot("", "Index property access is only allowed on maps and lists"),
    }
}

fn error(summary: String, detail: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("yaml-access", summary).detail(detail).hint("Check the path after the name."))
}
