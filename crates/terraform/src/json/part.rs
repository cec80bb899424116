//! The parts of messages, to JSON and back.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use prost_types::Timestamp;
use serde_json::value::RawValue;

use super::context::{Context, Role, Secrets};
use super::value;
use crate::cty::{self, CodecError, Path, Step, Type, Value, quote, separate};
use crate::schema::function_json;
use crate::wire::{AttributePath, ClientCapabilities, Diagnostic, DynamicValue, IdentityData, Selector, Severity};

/// What can be written.
pub(super) trait Tell {
    fn tell(&self, role: Role, context: &Context, into: &mut String);

    /// Whether there is nothing to write.
    fn is_absent(&self) -> bool {
        false
    }
}

/// What can be read. `raw` is nothing where a field is left out.
pub(super) trait Ask: Sized {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError>;
}

/// The fields of a message that is being written.
pub(super) struct Members<'a> {
    into: &'a mut String,
    count: usize,
}

impl<'a> Members<'a> {
    pub(super) fn new(into: &'a mut String) -> Self {
        into.push('{');
        Self { into, count: 0 }
    }

    pub(super) fn add(&mut self, name: &str, part: &impl Tell, role: Role, context: &Context) {
        if !part.is_absent() {
            separate(self.count, self.into);
            self.count += 1;
            quote(name.trim_start_matches("r#"), self.into);
            self.into.push(':');
            part.tell(role, context, self.into);
        }
    }

    pub(super) fn end(self) {
        self.into.push('}');
    }
}

/// The fields of a message that is being read.
pub(super) struct Given<'r> {
    members: BTreeMap<String, &'r RawValue>,
}

impl<'r> Given<'r> {
    pub(super) fn new(raw: Option<&'r RawValue>) -> Result<Self, CodecError> {
        let members = match raw {
            Some(raw) => serde_json::from_str(raw.get())
                .map_err(|error| CodecError::new(format!("an object is needed here: {error}")))?,
            None => BTreeMap::new(),
        };
        Ok(Self { members })
    }

    pub(super) fn take<T: Ask>(&mut self, name: &str, role: Role, context: &Context) -> Result<T, CodecError> {
        let raw = self.members.remove(name);
        T::ask(raw, role, context).map_err(|error| error.within(Step::Attribute(name.into())))
    }

    /// What is left is a mistake.
    pub(super) fn end(self) -> Result<(), CodecError> {
        match self.members.into_keys().next() {
            Some(name) => {
                Err(CodecError::new("the message has no such field").within(Step::Attribute(Arc::from(name))))
            }
            None => Ok(()),
        }
    }
}

/// `{"length": n}`: all that is said of what cannot be read, or must not be shown.
fn length(bytes: usize, into: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(into, "{{\"length\":{bytes}}}");
}

fn plain<T: serde::de::DeserializeOwned + Default>(raw: Option<&RawValue>, needed: &str) -> Result<T, CodecError> {
    match raw {
        Some(raw) if raw.get() != "null" => {
            serde_json::from_str(raw.get()).map_err(|_| CodecError::new(format!("{needed} is needed here")))
        }
        _ => Ok(T::default()),
    }
}

fn is_given(raw: Option<&RawValue>) -> Option<&RawValue> {
    raw.filter(|raw| raw.get() != "null")
}

impl Tell for String {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        quote(self, into);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Ask for String {
    fn ask(raw: Option<&RawValue>, _: Role, _: &Context) -> Result<Self, CodecError> {
        plain(raw, "a text")
    }
}

impl Tell for bool {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        into.push_str(if *self { "true" } else { "false" });
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl Ask for bool {
    fn ask(raw: Option<&RawValue>, _: Role, _: &Context) -> Result<Self, CodecError> {
        plain(raw, "true or false")
    }
}

impl Tell for i64 {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        let _ = write!(into, "{self}");
    }

    fn is_absent(&self) -> bool {
        *self == 0
    }
}

impl Ask for i64 {
    fn ask(raw: Option<&RawValue>, _: Role, _: &Context) -> Result<Self, CodecError> {
        plain(raw, "a whole number")
    }
}

impl Tell for i32 {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        let _ = write!(into, "{self}");
    }
}

impl Tell for Bytes {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let is_json = matches!(role, Role::Json | Role::Type) && serde_json::from_slice::<&RawValue>(self).is_ok();
        match std::str::from_utf8(self) {
            Ok(text) if is_json && (role == Role::Type || !context.hides()) => into.push_str(text),
            _ if context.hides() => length(self.len(), into),
            _ => quote(&STANDARD.encode(self), into),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Ask for Bytes {
    fn ask(raw: Option<&RawValue>, role: Role, _: &Context) -> Result<Self, CodecError> {
        let Some(raw) = is_given(raw) else { return Ok(Self::new()) };
        if role == Role::Json {
            return Ok(Self::copy_from_slice(raw.get().as_bytes()));
        }
        let wrong = || CodecError::new("base64 is needed here");
        let text: String = serde_json::from_str(raw.get()).map_err(|_| wrong())?;
        STANDARD.decode(text).map(Self::from).map_err(|_| wrong())
    }
}

impl Tell for Timestamp {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        quote(&self.to_string(), into);
    }
}

impl Tell for DynamicValue {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        tell_value(self, role, 0, context, into);
    }
}

impl Ask for DynamicValue {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        ask_value(raw, role, 0, context)
    }
}

fn tell_value(value: &DynamicValue, role: Role, place: usize, context: &Context, into: &mut String) {
    let decoded = context.ty(role, place).and_then(|ty| decoded(value, &ty));
    let schema = context.schema(role);
    let has_rules = context.secrets != Secrets::HiddenInLog || !matches!(role, Role::Arguments | Role::Result);
    match decoded {
        Some(decoded) if !context.hides() => value::write(&decoded, into),
        Some(decoded) if has_rules => match schema {
            Some(schema) => value::write(&value::hidden(decoded, &schema.block), into),
            None => value::write(&decoded, into),
        },
        _ => length(value.msgpack.len() + value.json.len(), into),
    }
}

fn decoded(value: &DynamicValue, ty: &Type) -> Option<Value> {
    if value.msgpack.is_empty() { cty::from_json(&value.json, ty).ok() } else { cty::decode(&value.msgpack, ty).ok() }
}

fn ask_value(raw: Option<&RawValue>, role: Role, place: usize, context: &Context) -> Result<DynamicValue, CodecError> {
    let no_schema = || {
        let what = if context.name.is_empty() { "this" } else { &context.name };
        CodecError::new(format!("the provider has no schema of `{what}` that would say what a value is"))
    };
    let ty = context.ty(role, place).ok_or_else(no_schema)?;
    let value = match raw {
        Some(raw) => value::read(raw, &ty, context.schema(role).map(|schema| &schema.block))?,
        None => Value::Null,
    };
    Ok(DynamicValue { msgpack: cty::encode(&value, &ty)?.into(), json: Bytes::new() })
}

impl Tell for IdentityData {
    fn tell(&self, _: Role, context: &Context, into: &mut String) {
        match &self.identity_data {
            Some(value) => value.tell(Role::Identity, context, into),
            None => into.push_str("null"),
        }
    }
}

impl Ask for Option<IdentityData> {
    fn ask(raw: Option<&RawValue>, _: Role, context: &Context) -> Result<Self, CodecError> {
        let Some(raw) = is_given(raw) else { return Ok(None) };
        Ok(Some(IdentityData { identity_data: Some(DynamicValue::ask(Some(raw), Role::Identity, context)?) }))
    }
}

/// What is left out is sent as null, which every provider understands; what a module says is left out.
impl Ask for Option<DynamicValue> {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        if raw.is_none() && role == Role::Meta {
            return Ok(None);
        }
        DynamicValue::ask(raw, role, context).map(Some)
    }
}

/// The arguments of a function.
impl Ask for Vec<DynamicValue> {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        let items: Vec<&RawValue> = match is_given(raw) {
            Some(raw) => serde_json::from_str(raw.get()).map_err(|_| CodecError::new("a list is needed here"))?,
            None => Vec::new(),
        };
        let items = items.into_iter().enumerate();
        let step = |place| Step::Index(i64::try_from(place).unwrap_or(i64::MAX));
        items
            .map(|(place, raw)| ask_value(Some(raw), role, place, context).map_err(|error| error.within(step(place))))
            .collect()
    }
}

/// What this host can deal with, unless something else is written.
impl Ask for Option<ClientCapabilities> {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        match raw {
            None => Ok(Some(crate::client::CAPABILITIES)),
            Some(raw) if raw.get() == "null" => Ok(None),
            raw => ClientCapabilities::ask(raw, role, context).map(Some),
        }
    }
}

impl Ask for Option<Bytes> {
    fn ask(raw: Option<&RawValue>, role: Role, context: &Context) -> Result<Self, CodecError> {
        is_given(raw).map(|raw| Bytes::ask(Some(raw), role, context)).transpose()
    }
}

impl<T: Tell> Tell for Option<T> {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        match self {
            Some(part) => part.tell(role, context, into),
            None => into.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl Tell for Vec<DynamicValue> {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        into.push('[');
        for (place, value) in self.iter().enumerate() {
            separate(place, into);
            tell_value(value, role, place, context, into);
        }
        into.push(']');
    }
}

/// A list of messages; one of values has its own rule, because the place decides the type.
pub(super) trait InLists: Tell {}

impl InLists for Diagnostic {}
impl InLists for AttributePath {}

impl<T: InLists> Tell for Vec<T> {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        into.push('[');
        for (index, item) in self.iter().enumerate() {
            separate(index, into);
            item.tell(role, context, into);
        }
        into.push(']');
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// In the order of the names, so that two answers can be compared.
impl<T: Tell> Tell for HashMap<String, T> {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let sorted: BTreeMap<&String, &T> = self.iter().collect();
        into.push('{');
        for (index, (name, item)) in sorted.into_iter().enumerate() {
            separate(index, into);
            quote(name, into);
            into.push(':');
            item.tell(role, context, into);
        }
        into.push('}');
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Ask for HashMap<String, String> {
    fn ask(raw: Option<&RawValue>, _: Role, _: &Context) -> Result<Self, CodecError> {
        plain(raw, "an object of texts")
    }
}

impl Tell for AttributePath {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        quote(&Path::from(self.clone()).to_string(), into);
    }

    fn is_absent(&self) -> bool {
        !self.steps.iter().any(|step| matches!(&step.selector, Some(Selector::AttributeName(_))))
    }
}

impl Tell for Diagnostic {
    fn tell(&self, role: Role, context: &Context, into: &mut String) {
        let severity = match Severity::try_from(self.severity) {
            Ok(Severity::Error) => "ERROR",
            Ok(Severity::Warning) => "WARNING",
            _ => "INVALID",
        };
        let mut members = Members::new(into);
        members.add("severity", &severity.to_owned(), role, context);
        members.add("summary", &self.summary, role, context);
        members.add("detail", &self.detail, role, context);
        members.add("attribute", &self.attribute, role, context);
        members.end();
    }
}

/// Functions as they came, shown as the provider's schema shows them.
pub(super) struct EncodedFunctions<'a>(pub(super) &'a HashMap<String, Bytes>);

impl Tell for EncodedFunctions<'_> {
    fn tell(&self, _: Role, _: &Context, into: &mut String) {
        let sorted: BTreeMap<&String, &Bytes> = self.0.iter().collect();
        into.push('{');
        for (index, (name, bytes)) in sorted.into_iter().enumerate() {
            separate(index, into);
            quote(name, into);
            into.push(':');
            match function_json(bytes) {
                Ok(json) => into.push_str(&json.to_string()),
                Err(_) => length(bytes.len(), into),
            }
        }
        into.push('}');
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}
