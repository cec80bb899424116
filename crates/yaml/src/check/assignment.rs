//! Whether a value of one type can be used where another is expected. The rules are Pulumi's.

use outrigger_schema::EnumType;
use outrigger_syntax::Span;
use outrigger_value::Value;

use super::types::{Shape, Ty};
use super::typing::Typing;
use crate::expression::{Expression, Kind};
use crate::suggestion;

/// Schemas may be recursive and unions may branch; real ones never nest this deep.
const MAX_DEPTH: usize = 64;

/// Why a value does not fit.
#[derive(Debug)]
pub(super) struct Mismatch {
    /// The problem here.
    pub(super) reason: String,
    /// The problems inside.
    pub(super) because: Vec<Mismatch>,
    /// The place, if it is more precise than the whole value.
    pub(super) span: Option<Span>,
    /// A better message than the two types give, with a hint and the kind of finding.
    pub(super) special: Option<Special>,
}

/// The message of a special mismatch.
#[derive(Debug)]
pub(super) struct Special {
    pub(super) code: &'static str,
    pub(super) summary: String,
    pub(super) hint: String,
}

impl Mismatch {
    fn new(reason: String) -> Self {
        Self { reason, because: Vec::new(), span: None, special: None }
    }

    fn because(mut self, because: Vec<Mismatch>) -> Self {
        self.because = because;
        self
    }

    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    fn of(mut self, property: &str) -> Self {
        self.reason = format!("{property}: {}", self.reason);
        self
    }

    /// The indented tree of reasons.
    pub(super) fn tree(&self) -> String {
        let mut text = String::new();
        self.write(0, &mut text);
        text
    }

    fn write(&self, indent: usize, text: &mut String) {
        if indent > 0 {
            text.push('\n');
        }
        text.push_str(&"  ".repeat(indent));
        text.push_str(&self.reason);
        if !self.because.is_empty() {
            text.push(':');
        }
        self.because.iter().for_each(|inner| inner.write(indent + 1, text));
    }

    /// The innermost place, as long as there is only one reason.
    pub(super) fn place(&self) -> Option<Span> {
        match self.because.as_slice() {
            [only] => only.place().or(self.span),
            _ => self.span,
        }
    }
}

/// The assigned value: its type and, if there is one, the expression that it comes from. Values of enumerations are checked
/// only in literals directly in a property, never inside a list or map, because Pulumi accepts those.
#[derive(Clone, Copy)]
pub(super) struct From<'e> {
    pub(super) expression: Option<&'e Expression>,
    pub(super) literal: bool,
}

impl<'e> From<'e> {
    pub(super) fn expression(expression: &'e Expression) -> Self {
        Self { expression: Some(expression), literal: true }
    }

    fn loose(self, expression: Option<&'e Expression>) -> Self {
        Self { expression, literal: false }
    }
}

impl Typing<'_, '_> {
    /// `Err` gives the reason.
    pub(super) fn assignable(&self, from: &Ty, source: From<'_>, to: &Ty, depth: usize) -> Result<(), Mismatch> {
        if depth > MAX_DEPTH {
            return Ok(());
        }
        let fail = || {
            let prefix = if from.is_primitive() { "type " } else { "" };
            Mismatch::new(format!("Cannot assign {prefix}'{from}' to {prefix}'{to}'"))
        };
        let ok_if = |fits: bool| if fits { Ok(()) } else { Err(fail()) };
        let inner = |result: Result<(), Mismatch>| result.map_err(|mismatch| fail().because(vec![mismatch]));
        match (from, to) {
            (Ty::Unknown | Ty::Any, _) | (_, Ty::Unknown | Ty::Any) => Ok(()),
            (Ty::Union(branches), _) => {
                let failures: Vec<_> =
                    branches.iter().filter_map(|branch| self.assignable(branch, source, to, depth + 1).err()).collect();
                if failures.is_empty() { Ok(()) } else { Err(fail().because(failures)) }
            }
            // An enumeration's values are those of its element type.
            (Ty::Enum(values), _) => {
                inner(self.assignable(&Ty::of_element(values), source.loose(source.expression), to, depth + 1))
            }
            (_, Ty::Number | Ty::Integer) => ok_if(matches!(from, Ty::Number | Ty::Integer)),
            (_, Ty::AnyResource) => ok_if(matches!(from, Ty::Resource(_) | Ty::AnyResource)),
            (_, Ty::String) => ok_if(matches!(
                from,
                Ty::String | Ty::Number | Ty::Integer | Ty::Boolean | Ty::Resource(_) | Ty::AnyResource
            )),
            (_, Ty::Boolean) => ok_if(matches!(from, Ty::Boolean)),
            (_, Ty::Asset) => ok_if(matches!(from, Ty::Asset | Ty::Archive)),
            (_, Ty::Archive) => ok_if(matches!(from, Ty::Archive)),
            (_, Ty::Union(branches)) => {
                let mut failures = Vec::new();
                for branch in branches.iter() {
                    match self.assignable(from, source, branch, depth + 1) {
                        Ok(()) => return Ok(()),
                        Err(failure) => failures.push(failure),
                    }
                }
                Err(fail().because(failures))
            }
            (Ty::List(element), Ty::List(wanted)) => {
                if let Some(Expression { kind: Kind::List(items), .. }) = source.expression {
                    for item in items {
                        let result = self.assignable(&self.ty(item), source.loose(Some(item)), wanted, depth + 1);
                        inner(result.map_err(|mismatch| mismatch.at(item.span)))?;
                    }
                    return Ok(());
                }
                inner(self.assignable(element, source.loose(None), wanted, depth + 1))
            }
            (Ty::Map(element), Ty::Map(wanted)) => {
                inner(self.assignable(element, source.loose(None), wanted, depth + 1))
            }
            (Ty::Literal(entries), Ty::Map(wanted)) => {
                for (name, ty) in entries.iter() {
                    let value = entry(source.expression, name).map(|(_, value)| value);
                    let result = self.assignable(ty, source.loose(value), wanted, depth + 1);
                    let result = result.map_err(|mismatch| match value {
                        Some(value) => mismatch.of(name).at(value.span),
                        None => mismatch.of(name),
                    });
                    inner(result)?;
                }
                Ok(())
            }
            (Ty::Object(shape), Ty::Map(wanted)) => {
                for (name, property) in &shape.properties {
                    let ty = Ty::of(&shape.package, &property.ty);
                    inner(self.assignable(&ty, source.loose(None), wanted, depth + 1).map_err(|m| m.of(name)))?;
                }
                Ok(())
            }
            (_, Ty::Resource(wanted)) => ok_if(matches!(from, Ty::Resource(held) if held.token == wanted.token)),
            (_, Ty::Enum(values)) => {
                if self.assignable(from, source.loose(source.expression), &Ty::of_element(values), depth + 1).is_err() {
                    return Err(fail());
                }
                match source.expression.filter(|_| source.literal) {
                    Some(expression) => inner(listed(expression, values)),
                    None => Ok(()),
                }
            }
            (Ty::Map(element), Ty::Object(shape)) => {
                let failures: Vec<_> = shape
                    .properties
                    .iter()
                    .filter_map(|(name, property)| {
                        let wanted = Ty::of(&shape.package, &property.ty);
                        self.assignable(element, source.loose(None), &wanted, depth + 1).err().map(|m| m.of(name))
                    })
                    .collect();
                if failures.is_empty() { Ok(()) } else { Err(fail().because(failures)) }
            }
            (Ty::Literal(entries), Ty::Object(shape)) => {
                let given = |name: &str| entries.iter().find(|(key, _)| **key == *name).map(|(_, ty)| ty.clone());
                let names = entries.iter().map(|(name, _)| &**name);
                let failures = self.structure(&given, names, source, shape, depth);
                if failures.is_empty() { Ok(()) } else { Err(fail().because(failures)) }
            }
            (Ty::Object(from), Ty::Object(to)) => {
                if from.label == to.label && std::sync::Arc::ptr_eq(&from.package, &to.package) {
                    return Ok(());
                }
                let given = |name: &str| from.properties.get(name).map(|property| Ty::of(&from.package, &property.ty));
                let names = from.properties.keys().map(String::as_str);
                let failures = self.structure(&given, names, source, to, depth);
                if failures.is_empty() { Ok(()) } else { Err(fail().because(failures)) }
            }
            (_, Ty::List(_) | Ty::Map(_) | Ty::Object(_) | Ty::Literal(_)) => Err(fail()),
        }
    }

    /// Objects fit by structure: required properties are present, there are no extra ones, and each part fits.
    fn structure<'n>(
        &self,
        given: &dyn Fn(&str) -> Option<Ty>,
        names: impl Iterator<Item = &'n str>,
        source: From<'_>,
        shape: &Shape,
        depth: usize,
    ) -> Vec<Mismatch> {
        let mut failures = Vec::new();
        for (name, property) in &shape.properties {
            let Some(ty) = given(name) else {
                if property.required {
                    let mut missing = Mismatch::new(format!("Missing required property '{name}'"));
                    missing.span = source.expression.map(|expression| expression.span);
                    missing.special = Some(Special {
                        code: "yaml-missing-property",
                        summary: format!("Missing required property '{name}' on '{}'", shape.label),
                        hint: format!("Add `{name}:`."),
                    });
                    failures.push(missing);
                }
                continue;
            };
            let value = entry(source.expression, name).map(|(_, value)| value);
            let inner = match value {
                Some(value) => From { expression: Some(value), literal: source.literal },
                None => source.loose(None),
            };
            let wanted = Ty::of(&shape.package, &property.ty);
            if let Err(mismatch) = self.assignable(&ty, inner, &wanted, depth + 1) {
                let span = value.or(source.expression).map(|expression| expression.span);
                let mismatch = mismatch.of(name);
                failures.push(match span {
                    Some(span) => mismatch.at(span),
                    None => mismatch,
                });
            }
        }
        for name in names.filter(|name| !shape.properties.contains_key(*name)) {
            let span = entry(source.expression, name).map(|(key, _)| key.span).or(source.expression.map(|e| e.span));
            failures.push(unknown_property(name, shape, span));
        }
        failures
    }
}

pub(super) fn unknown_property(name: &str, shape: &Shape, span: Option<Span>) -> Mismatch {
    let summary = format!("Property {name} does not exist on '{}'", shape.label);
    let suggested = suggestion::suggest(
        outrigger_diagnostic::Diagnostic::error("yaml-unknown-property", summary.clone()),
        name,
        shape.properties.keys().map(String::as_str),
        "properties",
    );
    Mismatch {
        reason: suggested.detail.unwrap_or_default(),
        because: Vec::new(),
        span,
        special: Some(Special {
            code: "yaml-unknown-property",
            summary,
            hint: suggested.hints.into_iter().next().unwrap_or_default(),
        }),
    }
}

impl Ty {
    fn of_element(values: &EnumType) -> Ty {
        match values.element {
            outrigger_schema::Type::String => Ty::String,
            outrigger_schema::Type::Number => Ty::Number,
            outrigger_schema::Type::Integer => Ty::Integer,
            outrigger_schema::Type::Boolean => Ty::Boolean,
            _ => Ty::Any,
        }
    }
}

fn entry<'e>(object: Option<&'e Expression>, name: &str) -> Option<(&'e Expression, &'e Expression)> {
    let Kind::Object(entries) = &object?.kind else { return None };
    entries.iter().find(|(key, _)| matches!(&key.kind, Kind::String(text) if **text == *name)).map(|(k, v)| (k, v))
}

fn listed(expression: &Expression, values: &EnumType) -> Result<(), Mismatch> {
    let written = match &expression.kind {
        Kind::String(text) => Value::String(text.to_string()),
        Kind::Number(number) => Value::Number(*number),
        _ => return Ok(()),
    };
    // A value of a kind other than the schema's is the schema's fault, not the user's.
    let comparable = values.values.iter().all(|value| value.value.kind() == written.kind());
    if !comparable || values.values.iter().any(|value| value.value == written) {
        return Ok(());
    }
    let shown = |value: &outrigger_schema::EnumValue| {
        let text = match &value.value {
            Value::String(text) => format!("\"{text}\""),
            other => format!("{other:?}"),
        };
        if value.name.is_empty() || value.name == text { text } else { format!("{} ({text})", value.name) }
    };
    let allowed = values.values.iter().map(shown).collect::<Vec<_>>().join(", ");
    Err(Mismatch::new(format!("Allowed values are {allowed}")).at(expression.span))
}
