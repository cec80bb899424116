//! Both encodings: encoded values are decoded again, and any bytes get a result.

use std::sync::Arc;

use outrigger_terraform::cty::{Number, Refinement, Type, Value, decode, encode, from_json, quote, to_json};
use proptest::prelude::*;

use super::values::{Known, any_type, any_typed};

/// The known facts about unknown values, in order: equality ignores them.
fn refinements(value: &Value, found: &mut Vec<Option<Refinement>>) {
    match value {
        Value::Unknown(refinement) => found.push(refinement.as_deref().cloned()),
        Value::List(items) | Value::Set(items) => items.iter().for_each(|item| refinements(item, found)),
        Value::Map(items) => items.values().for_each(|item| refinements(item, found)),
        Value::Dynamic(inner) => refinements(&inner.1, found),
        _ => {}
    }
}

fn refined(value: &Value) -> Vec<Option<Refinement>> {
    let mut found = Vec::new();
    refinements(value, &mut found);
    found
}

proptest! {
    #[test]
    fn what_is_packed_is_read_again((ty, value) in any_typed(Known::Perhaps)) {
        let packed = encode(&value, &ty).unwrap();
        let read = decode(&packed, &ty).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(refined(&read), refined(&value));
        prop_assert_eq!(encode(&read, &ty).unwrap(), packed);
    }

    /// Integers are encoded as text, which has fewer digits than the number.
    #[test]
    fn doubles_are_packed_as_they_are(double in any::<f64>()) {
        prop_assume!(!double.is_nan() && (double.fract() != 0.0 || double.abs() < 9e18));
        let number = Value::Number(Number::from(double));
        let packed = encode(&number, &Type::Number).unwrap();
        prop_assert_eq!(decode(&packed, &Type::Number).unwrap(), number);
    }

    #[test]
    fn what_is_cut_short_is_refused((ty, value) in any_typed(Known::Perhaps), at in any::<prop::sample::Index>()) {
        let packed = encode(&value, &ty).unwrap();
        prop_assert!(decode(&packed[..at.index(packed.len())], &ty).is_err());
        let longer = [packed, vec![0xc0]].concat();
        prop_assert!(decode(&longer, &ty).is_err());
    }

    #[test]
    fn what_is_stored_is_read_again((ty, value) in any_typed(Known::Wholly)) {
        let json = to_json(&value, &ty).unwrap();
        let read = from_json(json.as_bytes(), &ty).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(to_json(&read, &ty).unwrap(), json);
    }

    #[test]
    fn any_text_is_quoted_as_json(text in any::<String>()) {
        let mut quoted = String::new();
        quote(&text, &mut quoted);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(text));
    }

    #[test]
    fn what_is_unknown_is_not_stored((ty, value) in any_typed(Known::Perhaps)) {
        prop_assert_eq!(to_json(&value, &ty).is_ok(), value.is_wholly_known());
    }

    #[test]
    fn types_are_read_again(ty in any_type()) {
        prop_assert_eq!(Type::from_json(ty.to_json().as_bytes()), Ok(ty));
    }

    #[test]
    fn any_bytes_have_an_answer(ty in any_type(), bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = decode(&bytes, &ty);
        let _ = from_json(&bytes, &ty);
    }

    /// Nearly correct bytes get further than random ones.
    #[test]
    fn damaged_bytes_have_an_answer(
        (ty, value) in any_typed(Known::Perhaps),
        at in any::<prop::sample::Index>(),
        with in any::<u8>(),
    ) {
        let mut packed = encode(&value, &ty).unwrap();
        let place = at.index(packed.len());
        packed[place] = with;
        if let Ok(read) = decode(&packed, &ty) {
            let again = encode(&read, &ty).unwrap();
            prop_assert_eq!(decode(&again, &ty).unwrap(), read);
        }
    }
}

#[test]
fn a_length_is_only_a_claim() {
    let claims = [
        ("[\"list\",\"string\"]", &b"\xdd\xff\xff\xff\xff"[..]),
        ("[\"map\",\"string\"]", b"\xdf\xff\xff\xff\xff"),
        ("\"string\"", b"\xdb\xff\xff\xff\xff"),
        ("\"number\"", b"\xdb\xff\xff\xff\xff1"),
        ("\"string\"", b"\xc9\xff\xff\xff\xff\x0c"),
        ("\"dynamic\"", b"\x92\xc6\xff\xff\xff\xff"),
        ("[\"tuple\",[\"string\"]]", b"\xdd\xff\xff\xff\xff"),
        ("[\"object\",{\"a\":\"string\"}]", b"\xdf\xff\xff\xff\xff"),
    ];
    for (ty, bytes) in claims {
        assert!(decode(bytes, &Type::from_json(ty.as_bytes()).unwrap()).is_err(), "{ty}");
    }
    // A claim at every level, followed by enough bytes to make all of them plausible.
    let deep = (0..100).fold(Type::String, |inner, _| Type::list(inner));
    let mut bytes = b"\xdd\x00\xff\xff\xff".repeat(100);
    bytes.resize(bytes.len() + 0xff_ffff, 0xc1);
    assert!(decode(&bytes, &deep).is_err());
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = (0..10_000).fold(Type::String, |inner, _| Type::list(inner));
    assert!(decode(&[0x91].repeat(10_000), &deep).is_err());
    assert!(from_json("[".repeat(10_000).as_bytes(), &deep).is_err());
    // Dropping it level by level would overflow this thread's stack.
    std::mem::forget(deep);
}

#[test]
fn an_object_is_read_in_any_order() {
    let ty = Type::from_json(br#"["object",{"b":"string","d":"number","f":"bool"}]"#).unwrap();
    let read = |json: &str| from_json(json.as_bytes(), &ty).and_then(|value| to_json(&value, &ty));
    for (json, whole) in [
        (r#"{"b":"x","d":1,"f":true}"#, r#"{"b":"x","d":1,"f":true}"#),
        (r#"{"f":"true","b":"x","d":"1"}"#, r#"{"b":"x","d":1,"f":true}"#),
        (r#"{"d":1}"#, r#"{"b":null,"d":1,"f":null}"#),
        (r#"{"\u0062":"x"}"#, r#"{"b":"x","d":null,"f":null}"#),
        // Of two members with the same name, the later counts.
        (r#"{"d":1,"b":"x","d":2}"#, r#"{"b":"x","d":2,"f":null}"#),
        ("{}", r#"{"b":null,"d":null,"f":null}"#),
    ] {
        assert_eq!(read(json).as_deref(), Ok(whole), "{json}");
    }
    for (json, place) in [(r#"{"d":1,"a":1}"#, "a"), (r#"{"c":1,"b":"x"}"#, "c"), (r#"{"g":1}"#, "g")] {
        let error = read(json).unwrap_err().to_string();
        assert_eq!(error, format!("{place}: there is no such attribute"), "{json}");
    }
    assert_eq!(read(r#"{"d":"x"}"#).unwrap_err().to_string(), "d: number is needed here");
}

#[test]
fn an_object_is_packed_whole() {
    let ty = Type::from_json(br#"["object",{"b":"string","d":"string"}]"#).unwrap();
    let object = |names: &[&str]| Value::Map(names.iter().map(|name| (Arc::from(*name), Value::string("x"))).collect());
    for names in [&[][..], &["b"], &["d"], &["b", "d"]] {
        let back = decode(&encode(&object(names), &ty).unwrap(), &ty).unwrap();
        for name in ["b", "d"] {
            let item = back.get(name).unwrap();
            assert_eq!(item.is_null(), !names.contains(&name), "{names:?}");
        }
    }
    for (names, place) in [(&["a", "b"][..], "a"), (&["b", "c", "d"], "c"), (&["e"], "e")] {
        let error = encode(&object(names), &ty).unwrap_err().to_string();
        assert_eq!(error, format!("{place}: there is no such attribute"));
    }
}
