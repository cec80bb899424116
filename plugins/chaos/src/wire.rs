//! The part of the protobuf encoding that this plugin needs.

/// A message being written. Fields are written as given, right or wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A number, a boolean or an enumeration.
    pub(crate) fn number(mut self, field: u32, value: u64) -> Self {
        self.0.extend(tag(field, 0));
        self.0.extend(varint(value));
        self
    }

    /// A text, bytes, or an encoded message.
    pub(crate) fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Self {
        self.0.extend(head(field, value.as_ref().len()));
        self.0.extend_from_slice(value.as_ref());
        self
    }

    /// A message.
    pub(crate) fn message(self, field: u32, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    /// An entry of a map with text keys, the encoding of an object's properties.
    pub(crate) fn entry(self, field: u32, key: &str, value: &Message) -> Self {
        self.message(field, &Message::new().bytes(1, key).message(2, value))
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// A `google.protobuf.Value` that is a text.
pub(crate) fn text(value: &str) -> Message {
    Message::new().bytes(3, value)
}

/// A `google.protobuf.Value` that is a number.
pub(crate) fn double(value: f64) -> Message {
    let mut message = Message(tag(2, 1));
    message.0.extend(value.to_le_bytes());
    message
}

/// A `google.protobuf.Value` that is an object.
pub(crate) fn object(fields: &Message) -> Message {
    Message::new().message(5, fields)
}

/// A `google.protobuf.Struct`.
pub(crate) fn properties(entries: &[(&str, Message)]) -> Message {
    entries.iter().fold(Message::new(), |message, (key, value)| message.entry(1, key, value))
}

/// The bytes before the innermost of nested fields, which will have `length` bytes.
pub(crate) fn nested(fields: &[u32], length: usize) -> Vec<u8> {
    fields.iter().rev().fold(Vec::new(), |inside, field| {
        let mut start = head(*field, inside.len() + length);
        start.extend(inside);
        start
    })
}

/// A decoded field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes, unused here.
    Fixed,
}

/// The fields of a message, in order, up to the first invalid byte.
pub(crate) fn fields(message: &[u8]) -> impl Iterator<Item = (u64, Field<'_>)> {
    let mut rest = message;
    std::iter::from_fn(move || {
        let (key, behind) = read_varint(rest)?;
        let (value, behind) = match key & 7 {
            0 => read_varint(behind).map(|(value, behind)| (Field::Number(value), behind))?,
            1 => (Field::Fixed, behind.get(8..)?),
            2 => {
                let (length, behind) = read_varint(behind)?;
                let (value, behind) = behind.split_at_checked(usize::try_from(length).ok()?)?;
                (Field::Bytes(value), behind)
            }
            5 => (Field::Fixed, behind.get(4..)?),
            _ => return None,
        };
        rest = behind;
        Some((key >> 3, value))
    })
}

/// The bytes of a field; empty if it is missing.
pub(crate) fn bytes(message: &[u8], wanted: u64) -> &[u8] {
    let found = fields(message).find_map(|(number, value)| match value {
        Field::Bytes(bytes) if number == wanted => Some(bytes),
        _ => None,
    });
    found.unwrap_or_default()
}

/// Whether a boolean field is true.
pub(crate) fn is_set(message: &[u8], wanted: u64) -> bool {
    fields(message).any(|(number, value)| number == wanted && matches!(value, Field::Number(value) if value != 0))
}

/// The text of one property of a `google.protobuf.Struct`; empty if it is missing.
pub(crate) fn property<'a>(properties: &'a [u8], name: &str) -> &'a str {
    let found = fields(properties).find_map(|(_, value)| match value {
        Field::Bytes(entry) if bytes(entry, 1) == name.as_bytes() => Some(bytes(bytes(entry, 2), 3)),
        _ => None,
    });
    found.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default()
}

fn head(field: u32, length: usize) -> Vec<u8> {
    let mut head = tag(field, 2);
    head.extend(varint(length as u64));
    head
}

fn tag(field: u32, kind: u64) -> Vec<u8> {
    varint(u64::from(field) << 3 | kind)
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn read_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}
