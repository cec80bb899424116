//! Answers to GetProviderSchema that are valid, damaged, or empty.

use std::sync::Arc;

use bytes::Bytes;
use outrigger_terraform::Protocol;
use outrigger_terraform::cty::Type;
use outrigger_terraform::schema::{Kind, Nesting, SchemaError, Schemas, Shape};
use proptest::prelude::*;

/// A Protobuf field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap();
    assert!(length < 0x80 && number < 16);
    [&[number << 3 | 2, length], bytes].concat()
}

fn number(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

/// A provider with one resource, `x_a`, of this block and version 3.
fn provider(block: &[u8]) -> Vec<u8> {
    let schema = [number(1, 3), field(2, block)].concat();
    field(2, &[field(1, b"x_a"), field(2, &schema)].concat())
}

fn block() -> Vec<u8> {
    let port = field(2, &[field(1, b"port"), field(2, b"\"number\""), number(4, 1)].concat());
    let rule = [field(1, b"rule"), field(2, &port), number(3, 3), number(5, 1)].concat();
    let name = [field(1, b"name"), field(2, b"\"string\""), number(5, 1), number(10, 1)].concat();
    [field(2, &name), field(3, &rule)].concat()
}

fn read(bytes: Vec<u8>, protocol: Protocol) -> Result<Option<Arc<outrigger_terraform::schema::Schema>>, SchemaError> {
    Schemas::index(Bytes::from(bytes), protocol)?.get(Kind::Resource, "x_a")
}

#[test]
fn what_is_right_is_read() {
    let schema = read(provider(&block()), Protocol::Five).unwrap().unwrap();
    assert_eq!(schema.version, 3);
    let name = schema.block.attribute("name").unwrap();
    assert!(name.optional && !name.required && name.write_only);
    assert_eq!(name.shape, Shape::Type(Type::String));
    let rule = schema.block.nested("rule").unwrap();
    assert_eq!((rule.nesting, rule.max_items), (Nesting::Set, 1));
    assert!(rule.block.attribute("port").unwrap().required);
    // In protocol 6, the same field number is another field, and not a number.
    assert_eq!(read(provider(&block()), Protocol::Six), Err(SchemaError::Broken));
    assert_eq!(Schemas::index(Bytes::new(), Protocol::Six).unwrap().get(Kind::Resource, "x_a"), Ok(None));
}

#[test]
fn what_is_damaged_is_refused_in_words() {
    let attribute = |ty: &[u8]| provider(&field(2, &[field(1, b"a"), field(2, ty)].concat()));
    let nested = |nesting: u8| provider(&field(3, &[field(1, b"b"), number(3, nesting)].concat()));
    let message = |bytes| read(bytes, Protocol::Six).unwrap_err().to_string();
    assert!(message(attribute(b"\"text\"")).contains("an attribute of an unknown type: `\"text\"` is not a type"));
    assert!(message(nested(9)).contains("a nesting of an unknown kind (9)"));
    assert!(message(nested(0)).contains("a nesting of an unknown kind (0)"));
    assert!(message(vec![0x12, 0x7f]).contains("damaged"));
    assert!(message(vec![0xff; 20]).contains("damaged"));
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let mut block = Vec::new();
    // Allows lengths of more than one byte.
    let long = |number: u8, bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).unwrap();
        let varint = [(length & 0x7f) as u8 | 0x80, (length >> 7) as u8 & 0x7f | 0x80, (length >> 14) as u8];
        [&[number << 3 | 2], &varint[..], bytes].concat()
    };
    for _ in 0..200 {
        block = long(3, &[long(1, b"b"), long(2, &block), number(3, 1)].concat());
    }
    let entry = [long(1, b"x_a"), long(2, &long(2, &block))].concat();
    assert_eq!(read(long(2, &entry), Protocol::Six), Err(SchemaError::TooDeep));
}

proptest! {
    #[test]
    fn what_is_cut_short_is_refused_or_less(at in any::<prop::sample::Index>()) {
        let whole = provider(&block());
        let cut = whole[..at.index(whole.len())].to_vec();
        prop_assert_ne!(read(cut, Protocol::Five), read(whole, Protocol::Five));
    }

    #[test]
    fn whatever_is_damaged_has_an_answer(at in any::<prop::sample::Index>(), with in any::<u8>(), six in any::<bool>()) {
        let mut bytes = provider(&block());
        let place = at.index(bytes.len());
        bytes[place] = with;
        if let Ok(Some(schema)) = read(bytes, if six { Protocol::Six } else { Protocol::Five }) {
            schema.block.ty();
        }
    }
}
