//! A provider's answer to GetProviderSchema (protocol 6), built here: schemas that none of the peers' providers has.

use bytes::Bytes;
use outrigger_terraform::Protocol;
use outrigger_terraform::schema::Schemas;

/// The type of an attribute.
#[derive(Clone, Debug)]
pub(crate) enum Holds {
    /// The JSON of a type.
    Type(String),
    /// Objects: their nesting (as numbered by the protocol), and their attributes.
    Nested(u64, Vec<Attribute>),
}

#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) holds: Holds,
    /// `r`equired, `o`ptional, `c`omputed, `s`ensitive, `w`rite-only.
    pub(crate) flags: &'static str,
    pub(crate) description: &'static str,
    pub(crate) deprecation: Option<&'static str>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) attributes: Vec<Attribute>,
    /// Name, nesting (as numbered by the protocol), minimum and maximum.
    pub(crate) blocks: Vec<(String, u64, u64, u64, Block)>,
}

/// A parameter: name, type, whether it may be null.
pub(crate) type Parameter = (&'static str, &'static str, bool);

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: Option<Parameter>,
    pub(crate) result: &'static str,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Provider {
    pub(crate) configuration: Block,
    pub(crate) resources: Vec<(String, Block)>,
    pub(crate) data_sources: Vec<(String, Block)>,
    pub(crate) functions: Vec<(String, Function)>,
}

pub(crate) fn attribute(name: &str, ty: &str, flags: &'static str) -> Attribute {
    let holds = Holds::Type(ty.to_owned());
    Attribute { name: name.to_owned(), holds, flags, description: "", deprecation: None }
}

impl Provider {
    pub(crate) fn schemas(&self) -> Schemas {
        Schemas::index(Bytes::from(self.encoded()), Protocol::Six).unwrap()
    }

    /// The answer's bytes.
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let mut answer = Message::default();
        answer.message(1, schema(&self.configuration));
        for (number, members) in [(2, &self.resources), (3, &self.data_sources)] {
            for (name, block) in members {
                answer.message(number, entry(name, schema(block)));
            }
        }
        for (name, function) in &self.functions {
            answer.message(7, entry(name, encoded_function(function)));
        }
        answer.0
    }
}

/// A Protobuf message.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    fn text(&mut self, field: u64, text: &str) {
        self.varint(field << 3 | 2);
        self.varint(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn message(&mut self, field: u64, message: Message) {
        self.varint(field << 3 | 2);
        self.varint(message.0.len() as u64);
        self.0.extend(message.0);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

fn entry(name: &str, value: Message) -> Message {
    let mut entry = Message::default();
    entry.text(1, name);
    entry.message(2, value);
    entry
}

fn schema(block: &Block) -> Message {
    let mut schema = Message::default();
    schema.message(2, encoded_block(block));
    schema
}

fn encoded_block(block: &Block) -> Message {
    let mut message = Message::default();
    for attribute in &block.attributes {
        message.message(2, encoded_attribute(attribute));
    }
    for (name, nesting, least, most, inner) in &block.blocks {
        let mut nested = Message::default();
        nested.text(1, name);
        nested.message(2, encoded_block(inner));
        nested.number(3, *nesting);
        nested.number(4, *least);
        nested.number(5, *most);
        message.message(3, nested);
    }
    message
}

fn encoded_attribute(attribute: &Attribute) -> Message {
    let mut message = Message::default();
    message.text(1, &attribute.name);
    match &attribute.holds {
        Holds::Type(ty) => message.text(2, ty),
        Holds::Nested(nesting, attributes) => {
            let mut object = Message::default();
            for attribute in attributes {
                object.message(1, encoded_attribute(attribute));
            }
            object.number(3, *nesting);
            message.message(10, object);
        }
    }
    message.text(3, attribute.description);
    for (flag, field) in [('r', 4), ('o', 5), ('c', 6), ('s', 7), ('w', 11)] {
        message.number(field, u64::from(attribute.flags.contains(flag)));
    }
    if let Some(reason) = attribute.deprecation {
        message.number(9, 1);
        message.text(12, reason);
    }
    message
}

fn encoded_function(function: &Function) -> Message {
    let parameter = |(name, ty, null): &Parameter| {
        let mut parameter = Message::default();
        parameter.text(1, name);
        parameter.text(2, ty);
        parameter.number(3, u64::from(*null));
        parameter
    };
    let mut message = Message::default();
    for given in &function.parameters {
        message.message(1, parameter(given));
    }
    if let Some(variadic) = &function.variadic {
        message.message(2, parameter(variadic));
    }
    let mut result = Message::default();
    result.text(1, function.result);
    message.message(3, result);
    message.text(4, "In short.");
    message
}
