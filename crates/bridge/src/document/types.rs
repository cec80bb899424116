//! The types of nested objects.
//!
//! A type is named after the path to it, so two paths may lead to one name; the last in the order of paths wins. Inputs and outputs share a
//! type. If inputs and outputs require different properties, the schema's part for Node.js lists those of each.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

use super::json::Members;
use super::property::PropertyContext;
use crate::naming::object_names::{Field, Object, Side};

/// The types below one resource, function or variable, by name.
pub(super) struct Types<'o, 'p> {
    place: PropertyContext<'p>,
    order: Vec<(String, Use<'o>)>,
    by_name: HashMap<String, usize>,
}

/// The side on which a type was found.
#[derive(Clone, Copy)]
pub(super) enum Found {
    Inputs,
    Outputs,
    /// First all outputs, then all of them again as inputs: a resource's state is looked up by it.
    Both,
}

/// How a type is used.
#[derive(Clone, Copy)]
struct Use<'o> {
    object: &'o Object,
    /// The last use among inputs.
    input: Option<&'o Object>,
    /// The last use among outputs.
    output: Option<&'o Object>,
    /// The side of the very last use.
    last: Side,
}

impl<'o, 'p> Types<'o, 'p> {
    pub(super) fn new(place: &PropertyContext<'p>) -> Self {
        Self { place: *place, order: Vec::new(), by_name: HashMap::new() }
    }

    /// Adds the types below these properties of an object whose own name is `owner`.
    pub(super) fn add(&mut self, owner: &str, fields: impl Iterator<Item = &'o Field>, found: Found) {
        for field in fields {
            if let Some(object) = field.shape.object() {
                self.add_named((self.place.type_name)(owner, field), object, found);
            }
        }
    }

    /// Adds a type and those below it.
    pub(super) fn add_named(&mut self, name: String, object: &'o Arc<Object>, found: Found) {
        let (input, output) = match found {
            Found::Inputs => (Some(&**object), None),
            Found::Outputs => (None, Some(&**object)),
            Found::Both => (Some(&**object), Some(&**object)),
        };
        let last = if input.is_some() { Side::Input } else { Side::Output };
        match self.by_name.get(&name) {
            Some(at) => {
                let used = &mut self.order[*at].1;
                let (input, output) = (input.or(used.input), output.or(used.output));
                *used = Use { object, input, output, last };
            }
            None => {
                self.by_name.insert(name.clone(), self.order.len());
                self.order.push((name.clone(), Use { object, input, output, last }));
            }
        }
        self.add(&name, object.fields().iter(), found);
    }

    /// Writes the types whose tokens are not written yet.
    pub(super) fn write(self, members: &mut Members<'_, '_>, written: &mut HashSet<String>) -> io::Result<()> {
        for (name, used) in &self.order {
            let token = self.place.module.type_token(&self.place.tokens.package, name);
            if !written.contains(&token) {
                members.object(&token, |members| used.write(members, &self.place, name))?;
                written.insert(token);
            }
        }
        Ok(())
    }
}

impl Use<'_> {
    fn write(&self, members: &mut Members<'_, '_>, place: &PropertyContext<'_>, name: &str) -> io::Result<()> {
        properties(members, "properties", place, name, self.object.by_name())?;
        members.text("type", "object")?;
        let here = required(self.object, self.last);
        members.texts_if_any(
            "required",
            self.object.fields().iter().filter(|field| field.is_required(self.last)).map(|field| &*field.name),
        )?;
        let inputs = self.input.map_or_else(BTreeSet::new, |object| required(object, Side::Input));
        let outputs = self.output.map_or_else(BTreeSet::new, |object| required(object, Side::Output));
        if here == inputs && here == outputs {
            return Ok(());
        }
        members.object("language", |members| {
            members.object("nodejs", |members| {
                for (key, names) in [("requiredInputs", inputs), ("requiredOutputs", outputs)] {
                    if here != names {
                        members.texts(key, names.into_iter())?;
                    }
                }
                Ok(())
            })
        })
    }
}

/// Writes properties, unless there are none.
pub(super) fn properties<'f>(
    members: &mut Members<'_, '_>,
    key: &str,
    place: &PropertyContext<'_>,
    owner: &str,
    fields: impl Iterator<Item = &'f Field>,
) -> io::Result<()> {
    members.object_if_any(key, |members| {
        for field in fields {
            members.object(&field.name, |members| place.property(members, field, owner))?;
        }
        Ok(())
    })
}

fn required(object: &Object, side: Side) -> BTreeSet<&str> {
    object.fields().iter().filter(|field| field.is_required(side)).map(|field| &*field.name).collect()
}
