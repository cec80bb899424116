//! The places of a resource's properties and of a function's arguments in the file.

use std::sync::Arc;

use outrigger_provider::{Places, PropertyPlaces, Source};
use outrigger_syntax::{Document, Span};
use outrigger_value::{PathStep, PropertyPath};

use super::Run;
use crate::expression::{Expression, Kind};
use crate::program::{Program, Properties};

impl Run<'_> {
    /// Finds the places of a resource's properties on demand.
    pub(super) fn places(&self, number: usize) -> PropertyPlaces {
        let (document, program) = (Arc::clone(&self.source.document), Arc::clone(&self.source.program));
        PropertyPlaces(Some(Arc::new(OfResource { document, program, number })))
    }

    /// Finds the places of a call's arguments on demand.
    pub(super) fn argument_places(&self, number: usize) -> PropertyPlaces {
        let (document, program) = (Arc::clone(&self.source.document), Arc::clone(&self.source.program));
        PropertyPlaces(Some(Arc::new(OfInvoke { document, program, number })))
    }
}

struct OfResource {
    document: Arc<Document>,
    program: Arc<Program>,
    number: usize,
}

impl Places for OfResource {
    fn of(&self, property: &PropertyPath) -> Source {
        let (PathStep::Key(first), rest) = property.0.split_first()? else { return None };
        let found = match &self.program.resources.get(self.number)?.properties {
            Properties::Map(properties) => {
                let property = properties.iter().find(|property| *property.name.text == **first)?;
                innermost(&property.value, rest)
            }
            Properties::Whole(whole) => member(whole, first).map(|value| innermost(value, rest))?,
        };
        Some(self.document.place(found))
    }
}

struct OfInvoke {
    document: Arc<Document>,
    program: Arc<Program>,
    number: usize,
}

impl Places for OfInvoke {
    fn of(&self, argument: &PropertyPath) -> Source {
        let (PathStep::Key(first), rest) = argument.0.split_first()? else { return None };
        let (invoke, _) = self.program.invokes().into_iter().find(|(invoke, _)| invoke.number == self.number)?;
        let (_, value) = invoke.arguments.iter().find(|(name, _)| *name.text == **first)?;
        Some(self.document.place(innermost(value, rest)))
    }
}

/// Follows a path as far as it leads through literals.
fn innermost(expression: &Expression, path: &[PathStep]) -> Span {
    let inner = path.split_first().and_then(|(step, rest)| {
        let inner = match (step, &expression.kind) {
            (PathStep::Key(key), _) => member(expression, key),
            (PathStep::Index(index), Kind::List(items)) => items.get(*index),
            _ => None,
        };
        Some((inner?, rest))
    });
    inner.map_or(expression.span, |(inner, rest)| innermost(inner, rest))
}

fn member<'a>(expression: &'a Expression, name: &str) -> Option<&'a Expression> {
    let Kind::Object(members) = &expression.kind else { return None };
    let is = |key: &Expression| matches!(&key.kind, Kind::String(text) if **text == *name);
    members.iter().find(|(key, _)| is(key)).map(|(_, value)| value)
}
