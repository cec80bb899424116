//! The encoding that both sides prefer.
//!
//! The encoding leaves out everything that the type determines, so nothing can be decoded without its type. Unknown values are extensions: type
//! 0 if nothing is known about them, type 12 with a map of the known facts otherwise.

use std::sync::Arc;

use rmp::Marker;
use rmp::encode as put;

use super::{Attributes, CodecError, DEPTH_LIMIT, Number, Refinement, Step, Type, Value};

/// The extension of an unknown value with known facts.
const REFINED: i8 = 12;

/// The largest encoding of those facts; other implementations refuse more.
const REFINEMENT_LIMIT: usize = 1024;

/// The number of elements for which memory is reserved before the first is read.
const EXPECTED_ELEMENTS: usize = 16;

/// Writes a value of a type.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    let mut bytes = Vec::with_capacity(256);
    encode_into(value, ty, &mut bytes)?;
    Ok(bytes)
}

/// Appends a value of a type to the bytes.
pub fn encode_into(value: &Value, ty: &Type, into: &mut Vec<u8>) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::Dynamic(inner), Type::Dynamic) => {
            // An unknown or null value without a known type is written without one.
            if inner.0 == Type::Dynamic {
                return encode_into(&inner.1, ty, into);
            }
            written(put::write_array_len(into, 2))?;
            written(put::write_bin(into, inner.0.to_json().as_bytes()))?;
            encode_into(&inner.1, &inner.0, into)
        }
        (Value::Null, _) => written(put::write_nil(into)),
        (Value::Unknown(None), _) => {
            into.extend_from_slice(&[0xd4, 0, 0]);
            Ok(())
        }
        (Value::Unknown(Some(refinement)), _) => encode_refined(refinement, into),
        (Value::Bool(value), Type::Bool) => written(put::write_bool(into, *value)),
        (Value::String(text), Type::String) => written(put::write_str(into, text)),
        (Value::Number(number), Type::Number) => encode_number(number, into),
        (Value::List(items), Type::List(element)) | (Value::Set(items), Type::Set(element)) => {
            written(put::write_array_len(into, length(items.len())?))?;
            for (index, item) in items.iter().enumerate() {
                encode_into(item, element, into).map_err(|error| error.within(Step::at(index)))?;
            }
            Ok(())
        }
        (Value::List(items), Type::Tuple(elements)) if items.len() == elements.len() => {
            written(put::write_array_len(into, length(items.len())?))?;
            for (index, (item, element)) in items.iter().zip(elements.iter()).enumerate() {
                encode_into(item, element, into).map_err(|error| error.within(Step::at(index)))?;
            }
            Ok(())
        }
        (Value::Map(items), Type::Map(element)) => {
            written(put::write_map_len(into, length(items.len())?))?;
            for (key, item) in items {
                written(put::write_str(into, key))?;
                encode_into(item, element, into).map_err(|error| error.within(Step::Key(key.to_string())))?;
            }
            Ok(())
        }
        (Value::Map(items), Type::Object(object)) => {
            let no_attribute = |name: &Arc<str>| {
                Err(CodecError::new("there is no such attribute").within(Step::Attribute(Arc::clone(name))))
            };
            written(put::write_map_len(into, length(object.attributes.len())?))?;
            // Both are sorted, so one walk finds the item of each attribute; most names are the type's own.
            let mut items = items.iter().peekable();
            for (name, ty) in &object.attributes {
                let is = |key: &Arc<str>| Arc::ptr_eq(key, name) || key == name;
                let item = match items.next_if(|(key, _)| is(key) || *key < name) {
                    Some((key, _)) if !is(key) => return no_attribute(key),
                    Some((_, item)) => item,
                    None => &Value::Null,
                };
                written(put::write_str(into, name))?;
                encode_into(item, ty, into).map_err(|error| error.within(Step::Attribute(Arc::clone(name))))?;
            }
            items.next().map_or(Ok(()), |(key, _)| no_attribute(key))
        }
        (value, ty) => Err(CodecError::new(format!("{} where {} is needed", value.kind(), ty.friendly()))),
    }
}

/// Reads a value of a type; no bytes may follow it.
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, CodecError> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(ty, 0)?;
    if reader.rest.is_empty() { Ok(value) } else { Err(CodecError::new("extra bytes follow the value")) }
}

fn encode_number(number: &Number, into: &mut Vec<u8>) -> Result<(), CodecError> {
    if let Some(integer) = number.as_i64() {
        written(put::write_sint(into, integer).map(drop))
    } else if let Some(double) = number.as_f64().filter(|double| double.is_infinite() || double.fract() != 0.0) {
        written(put::write_f64(into, double))
    } else {
        written(put::write_str(into, &number.to_string()))
    }
}

fn encode_refined(refinement: &Refinement, into: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut body = Vec::new();
    let mut entries: u32 = 0;
    if let Some(null) = refinement.null {
        entries += 1;
        written(put::write_sint(&mut body, 1).map(drop))?;
        written(put::write_bool(&mut body, null))?;
    }
    if let Some(prefix) = &refinement.prefix {
        entries += 1;
        written(put::write_sint(&mut body, 2).map(drop))?;
        // Longer ones are cut: a refinement may claim less than the truth, never more.
        written(put::write_str(&mut body, prefix.get(..prefix.floor_char_boundary(256)).unwrap_or_default()))?;
    }
    for (key, bound) in [(3, &refinement.lower), (4, &refinement.upper)] {
        if let Some((number, inclusive)) = bound {
            entries += 1;
            written(put::write_sint(&mut body, key).map(drop))?;
            written(put::write_array_len(&mut body, 2))?;
            encode_number(number, &mut body)?;
            written(put::write_bool(&mut body, *inclusive))?;
        }
    }
    for (key, length) in [(5, refinement.min_length), (6, refinement.max_length)] {
        if let Some(length) = length {
            entries += 1;
            written(put::write_sint(&mut body, key).map(drop))?;
            written(put::write_sint(&mut body, length).map(drop))?;
        }
    }
    // Not every implementation accepts an extension that is empty or too large.
    if entries == 0 || body.len() + 1 > REFINEMENT_LIMIT {
        into.extend_from_slice(&[0xd4, 0, 0]);
        return Ok(());
    }
    let mut whole = Vec::with_capacity(body.len() + 1);
    written(put::write_map_len(&mut whole, entries))?;
    whole.extend_from_slice(&body);
    written(put::write_ext_meta(into, length(whole.len())?, REFINED))?;
    into.extend_from_slice(&whole);
    Ok(())
}

/// Writing to memory cannot fail, although the library's signatures allow it.
fn written<T, E>(result: Result<T, E>) -> Result<(), CodecError> {
    result.map(drop).map_err(|_| CodecError::new("the value cannot be written"))
}

fn length(length: usize) -> Result<u32, CodecError> {
    u32::try_from(length).map_err(|_| CodecError::new("the value has too many elements"))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn value(&mut self, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        if depth > DEPTH_LIMIT {
            return Err(CodecError::new("the value is nested too deeply"));
        }
        match self.peek()? {
            Marker::Null => {
                self.marker()?;
                return Ok(Value::Null);
            }
            Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32 => {
                return self.unknown();
            }
            _ => {}
        }
        match ty {
            Type::Dynamic => self.dynamic(depth),
            Type::Bool => match self.marker()? {
                Marker::True => Ok(Value::Bool(true)),
                Marker::False => Ok(Value::Bool(false)),
                _ => Err(wrong(ty)),
            },
            Type::String => {
                let marker = self.marker()?;
                Ok(Value::string(self.text(marker).ok_or_else(|| wrong(ty))?))
            }
            Type::Number => self.number().map(Value::Number),
            Type::List(element) => self.sequence(element, depth).map(Value::List),
            Type::Set(element) => self.sequence(element, depth).map(Value::Set),
            Type::Tuple(elements) => {
                if self.array()? != elements.len() {
                    return Err(CodecError::new("a tuple of another length"));
                }
                let items = elements.iter().enumerate();
                let items =
                    items.map(|(index, ty)| self.value(ty, depth + 1).map_err(|error| error.within(Step::at(index))));
                items.collect::<Result<_, _>>().map(Value::List)
            }
            Type::Map(element) => {
                let count = self.map()?;
                let mut items = Attributes::new();
                for _ in 0..count {
                    let key = self.key()?;
                    let value =
                        self.value(element, depth + 1).map_err(|error| error.within(Step::Key(key.to_owned())))?;
                    items.insert(Arc::from(key), value);
                }
                Ok(Value::Map(items))
            }
            Type::Object(object) => {
                let count = self.map()?;
                if count != object.attributes.len() {
                    let reason =
                        format!("an object with {count} attributes where there are {}", object.attributes.len());
                    return Err(CodecError::new(reason));
                }
                let mut items = Attributes::new();
                for _ in 0..count {
                    let key = self.key()?;
                    let (name, ty) = object.attributes.get_key_value(key).ok_or_else(|| {
                        CodecError::new("there is no such attribute").within(Step::Attribute(Arc::from(key)))
                    })?;
                    let value =
                        self.value(ty, depth + 1).map_err(|error| error.within(Step::Attribute(Arc::clone(name))))?;
                    if items.insert(Arc::clone(name), value).is_some() {
                        return Err(
                            CodecError::new("the attribute occurs twice").within(Step::Attribute(Arc::clone(name)))
                        );
                    }
                }
                Ok(Value::Map(items))
            }
        }
    }

    fn sequence(&mut self, element: &Type, depth: usize) -> Result<Vec<Value>, CodecError> {
        let count = self.array()?;
        // A length is only a claim, and there may be one at every level.
        let mut items = Vec::with_capacity(count.min(EXPECTED_ELEMENTS));
        for index in 0..count {
            items.push(self.value(element, depth + 1).map_err(|error| error.within(Step::at(index)))?);
        }
        Ok(items)
    }

    fn dynamic(&mut self, depth: usize) -> Result<Value, CodecError> {
        if self.array()? != 2 {
            return Err(CodecError::new("a dynamic value without its type"));
        }
        let marker = self.marker()?;
        let json = match marker {
            Marker::Bin8 => self.length(1).and_then(|length| self.take(length)),
            Marker::Bin16 => self.length(2).and_then(|length| self.take(length)),
            Marker::Bin32 => self.length(4).and_then(|length| self.take(length)),
            other => self.text(other).map(str::as_bytes),
        };
        let json = json.ok_or_else(|| CodecError::new("a dynamic value without its type"))?;
        let ty = Type::from_json(json).map_err(|error| CodecError::new(error.to_string()))?;
        let value = self.value(&ty, depth + 1)?;
        Ok(Value::dynamic(ty, value))
    }

    fn number(&mut self) -> Result<Number, CodecError> {
        let marker = self.marker()?;
        #[expect(clippy::cast_possible_wrap, reason = "the bytes are those of a signed number")]
        let number = match marker {
            Marker::FixPos(value) => Some(Number::from(i64::from(value))),
            Marker::FixNeg(value) => Some(Number::from(i64::from(value))),
            Marker::U8 => self.bytes().map(|bytes| Number::from(u64::from(u8::from_be_bytes(bytes)))),
            Marker::U16 => self.bytes().map(|bytes| Number::from(u64::from(u16::from_be_bytes(bytes)))),
            Marker::U32 => self.bytes().map(|bytes| Number::from(u64::from(u32::from_be_bytes(bytes)))),
            Marker::U64 => self.bytes().map(|bytes| Number::from(u64::from_be_bytes(bytes))),
            Marker::I8 => self.bytes().map(|bytes| Number::from(i64::from(u8::from_be_bytes(bytes) as i8))),
            Marker::I16 => self.bytes().map(|bytes| Number::from(i64::from(i16::from_be_bytes(bytes)))),
            Marker::I32 => self.bytes().map(|bytes| Number::from(i64::from(i32::from_be_bytes(bytes)))),
            Marker::I64 => self.bytes().map(|bytes| Number::from(i64::from_be_bytes(bytes))),
            Marker::F32 => self.bytes().and_then(|bytes| double(f64::from(f32::from_be_bytes(bytes)))),
            Marker::F64 => self.bytes().and_then(|bytes| double(f64::from_be_bytes(bytes))),
            other => self.text(other).and_then(|text| text.parse().ok()),
        };
        number.ok_or_else(|| wrong(&Type::Number))
    }

    fn unknown(&mut self) -> Result<Value, CodecError> {
        let length = match self.marker()? {
            Marker::FixExt1 => Some(1),
            Marker::FixExt2 => Some(2),
            Marker::FixExt4 => Some(4),
            Marker::FixExt8 => Some(8),
            Marker::FixExt16 => Some(16),
            Marker::Ext8 => self.length(1),
            Marker::Ext16 => self.length(2),
            _ => self.length(4),
        };
        let broken = || CodecError::new("an unknown value that is cut short");
        let length = length.ok_or_else(broken)?;
        let kind = self.take(1).and_then(|kind| kind.first().copied()).ok_or_else(broken)?.cast_signed();
        let body = self.take(length).ok_or_else(broken)?;
        if length <= 1 || kind != REFINED {
            return Ok(Value::UNKNOWN);
        }
        if length > REFINEMENT_LIMIT {
            return Err(CodecError::new("an unknown value with too long a description"));
        }
        Ok(Value::Unknown(Reader { rest: body }.refinement().map(Box::new)))
    }

    /// The known facts about an unknown value; a fact that cannot be read is dropped.
    fn refinement(&mut self) -> Option<Refinement> {
        let mut refinement = Refinement::default();
        for _ in 0..self.map().ok()? {
            match self.number().ok()?.as_i64()? {
                1 => refinement.null = Some(self.marker().ok()? == Marker::True),
                2 => {
                    let marker = self.marker().ok()?;
                    refinement.prefix = Some(self.text(marker)?.to_owned());
                }
                key @ (3 | 4) => {
                    if self.array().ok()? != 2 {
                        return None;
                    }
                    let bound = Some((self.number().ok()?, self.marker().ok()? == Marker::True));
                    if key == 3 { refinement.lower = bound } else { refinement.upper = bound }
                }
                5 => refinement.min_length = Some(self.number().ok()?.as_i64()?),
                6 => refinement.max_length = Some(self.number().ok()?.as_i64()?),
                // A key of a later version: its value cannot be separated from what follows.
                _ => break,
            }
        }
        (refinement != Refinement::default()).then_some(refinement)
    }

    fn peek(&self) -> Result<Marker, CodecError> {
        self.rest.first().map(|byte| Marker::from_u8(*byte)).ok_or_else(|| CodecError::new("the value is cut short"))
    }

    fn marker(&mut self) -> Result<Marker, CodecError> {
        let marker = self.peek()?;
        self.rest = self.rest.get(1..).unwrap_or_default();
        Ok(marker)
    }

    fn array(&mut self) -> Result<usize, CodecError> {
        let length = match self.marker()? {
            Marker::FixArray(length) => Some(usize::from(length)),
            Marker::Array16 => self.length(2),
            Marker::Array32 => self.length(4),
            _ => None,
        };
        length.ok_or_else(|| CodecError::new("a list is needed here"))
    }

    fn map(&mut self) -> Result<usize, CodecError> {
        let length = match self.marker()? {
            Marker::FixMap(length) => Some(usize::from(length)),
            Marker::Map16 => self.length(2),
            Marker::Map32 => self.length(4),
            _ => None,
        };
        length.ok_or_else(|| CodecError::new("a map or object is needed here"))
    }

    fn key(&mut self) -> Result<&'a str, CodecError> {
        let marker = self.marker()?;
        self.text(marker).ok_or_else(|| CodecError::new("a key that is not a string"))
    }

    fn text(&mut self, marker: Marker) -> Option<&'a str> {
        let length = match marker {
            Marker::FixStr(length) => usize::from(length),
            Marker::Str8 => self.length(1)?,
            Marker::Str16 => self.length(2)?,
            Marker::Str32 => self.length(4)?,
            _ => return None,
        };
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn length(&mut self, bytes: usize) -> Option<usize> {
        let bytes = self.take(bytes)?;
        Some(bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

fn double(value: f64) -> Option<Number> {
    (!value.is_nan()).then(|| Number::from(value))
}

fn wrong(ty: &Type) -> CodecError {
    CodecError::new(format!("{} is needed here", ty.friendly()))
}
