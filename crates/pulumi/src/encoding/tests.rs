use outrigger_value::{
    Archive, ArchiveSource, Asset, AssetSource, OutputValue, PropertyMap, ResourceReference, Urn, Value,
};
use proptest::prelude::*;
use prost::Message;
use prost_types::Struct;
use prost_types::value::Kind;

use super::*;
use crate::generated::pulumirpc::CreateResponse;

const ALL: Encoding = Encoding { unknowns: true, secrets: true, resources: true, outputs: true, elide: false };
const KEEP: Decoding = Decoding { unknowns: Unknowns::Keep, outputs: true };
const REJECT: Decoding = Decoding { unknowns: Unknowns::Reject, outputs: false };

fn one(value: Value) -> PropertyMap {
    PropertyMap::from([("p".to_owned(), value)])
}

fn urn() -> Urn {
    Urn::new("dev", "shop", None, "a:b:C", "x")
}

fn text(text: &str) -> prost_types::Value {
    prost_types::Value { kind: Some(Kind::StringValue(text.to_owned())) }
}

fn wire(parts: &[(&str, prost_types::Value)]) -> Struct {
    let fields = parts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Struct {
        fields: [("p".to_owned(), prost_types::Value { kind: Some(Kind::StructValue(Struct { fields })) })].into(),
    }
}

fn values() -> impl Strategy<Value = Value> {
    let hash = "[0-9a-f]{8}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_filter("numbers that equal themselves", |number| !number.is_nan()).prop_map(Value::Number),
        ".{0,12}".prop_map(Value::String),
        Just(Value::Unknown),
        (hash, "[a-z]{1,8}").prop_map(|(hash, text)| Value::from(Asset { hash, source: AssetSource::Text(text) })),
        (hash, "[a-z]{1,8}").prop_map(|(hash, path)| Value::from(Asset { hash, source: AssetSource::Path(path) })),
        hash.prop_map(|hash| Value::from(Asset { hash, source: AssetSource::Elided })),
        (hash, "[a-z]{1,8}").prop_map(|(hash, uri)| Value::from(Archive { hash, source: ArchiveSource::Uri(uri) })),
        proptest::option::of("[a-z]{0,8}").prop_map(|id| {
            let id = id.map(|id| Box::new(if id.is_empty() { Value::Unknown } else { Value::String(id) }));
            Value::from(ResourceReference { urn: urn(), id, package_version: "1.0.0".to_owned() })
        }),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map("[a-z_]{1,6}", inner.clone(), 0..4)
                .prop_map(|map| Value::Map(map.into_iter().collect())),
            inner.clone().prop_map(Value::secret),
            (proptest::option::of(inner), any::<bool>()).prop_map(|(value, secret)| {
                Value::Output(Box::new(OutputValue { value, secret, dependencies: vec![urn()] }))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn everything_survives_the_wire(value in values()) {
        let encoded = encode(one(value.clone()), ALL).unwrap();
        let bytes = encoded.encode_to_vec();
        let decoded = decode(Struct::decode(bytes.as_slice()).unwrap(), KEEP).unwrap();
        prop_assert_eq!(decoded, one(value));
    }

    #[test]
    fn nothing_special_reaches_a_plugin_that_knows_nothing(value in values()) {
        let plain = Encoding::default();
        let decoded = decode(encode(one(value), plain).unwrap(), KEEP).unwrap();
        for value in decoded.values() {
            let special = |value: &Value| {
                matches!(value, Value::Secret(_) | Value::Unknown | Value::Resource(_) | Value::Output(_))
            };
            prop_assert!(!value.any(&special), "{:?}", value);
        }
    }
}

#[test]
fn every_sentinel_is_unknown() {
    for sentinel in UNKNOWNS {
        let properties = Struct { fields: [("p".to_owned(), text(sentinel))].into() };
        assert_eq!(decode(properties.clone(), KEEP), Ok(one(Value::Unknown)));
        assert_eq!(
            decode(properties.clone(), Decoding { unknowns: Unknowns::Drop, outputs: false }),
            Ok(PropertyMap::new())
        );
        assert_eq!(decode(properties, REJECT), Err(EncodingError::Unknown("p".to_owned())));
    }
}

#[test]
fn the_form_is_pulumis() {
    let secret = encode(one(Value::secret("s".into())), ALL).unwrap();
    assert_eq!(secret, wire(&[(SIGNATURE, text(SECRET)), ("value", text("s"))]));
    let bare = encode(one(Value::secret("s".into())), Encoding::default()).unwrap();
    assert_eq!(bare.fields["p"], text("s"));
    let asset = Value::from(Asset { hash: "h".to_owned(), source: AssetSource::Text("t".to_owned()) });
    let full = encode(one(asset.clone()), ALL).unwrap();
    assert_eq!(full, wire(&[(SIGNATURE, text(ASSET)), ("hash", text("h")), ("text", text("t"))]));
    let elided = encode(one(asset), Encoding { elide: true, ..ALL }).unwrap();
    assert_eq!(elided, wire(&[(SIGNATURE, text(ASSET)), ("hash", text("h"))]));
    let reference = |id: Option<Value>| {
        Value::from(ResourceReference { urn: urn(), id: id.map(Box::new), package_version: String::new() })
    };
    let component = encode(one(reference(None)), ALL).unwrap();
    let parts =
        [(SIGNATURE, text(RESOURCE)), ("urn", text(urn().as_str())), ("name", text("x")), ("type", text("a:b:C"))];
    assert_eq!(component, wire(&parts));
    let lowered = |id| encode(one(reference(id)), Encoding { unknowns: true, ..Encoding::default() }).unwrap();
    assert_eq!(lowered(None).fields["p"], text(urn().as_str()));
    assert_eq!(lowered(Some("i".into())).fields["p"], text("i"));
    assert_eq!(lowered(Some(Value::Unknown)).fields["p"], text(UNKNOWNS[0]));
}

#[test]
fn what_is_unknown_is_left_out_with_its_mark() {
    let list = Value::List(vec!["a".into(), Value::Unknown, Value::secret(Value::Unknown)]);
    let properties = PropertyMap::from([("l".to_owned(), list), ("u".to_owned(), Value::Unknown)]);
    let sent = encode(properties, Encoding { unknowns: false, ..ALL }).unwrap();
    assert_eq!(decode(sent, REJECT), Ok(PropertyMap::from([("l".to_owned(), Value::List(vec!["a".into()]))])));
}

#[test]
fn an_output_becomes_its_value_where_outputs_are_not_known() {
    let output = |value, secret| Value::Output(Box::new(OutputValue { value, secret, dependencies: vec![urn()] }));
    let lower = Encoding { outputs: false, ..ALL };
    let sent = |value| decode(encode(one(value), lower).unwrap(), KEEP).unwrap();
    assert_eq!(sent(output(Some("v".into()), false)), one("v".into()));
    assert_eq!(sent(output(Some("v".into()), true)), one(Value::secret("v".into())));
    assert_eq!(sent(output(None, true)), one(Value::secret(Value::Unknown)));
    // And in the other direction.
    let kept = encode(one(output(Some("v".into()), true)), ALL).unwrap();
    assert_eq!(decode(kept, REJECT), Ok(one(Value::secret("v".into()))));
}

#[test]
fn what_is_not_understood_is_an_error() {
    let signature = wire(&[(SIGNATURE, text("ffff"))]);
    let error = decode(signature, KEEP).unwrap_err();
    assert_eq!(error.to_string(), "property `p` has an object with the unrecognized signature `ffff`");
    for malformed in [
        wire(&[(SIGNATURE, text(SECRET))]),
        wire(&[(SIGNATURE, text(RESOURCE))]),
        wire(&[(SIGNATURE, text(RESOURCE)), ("urn", text("not a urn"))]),
        wire(&[(SIGNATURE, text(ARCHIVE)), ("assets", text("x"))]),
        wire(&[(SIGNATURE, text(OUTPUT)), ("secret", text("yes"))]),
        wire(&[(SIGNATURE, text(ASSET)), ("hash", prost_types::Value { kind: Some(Kind::BoolValue(true)) })]),
    ] {
        assert!(matches!(decode(malformed.clone(), KEEP), Err(EncodingError::Malformed { .. })), "{malformed:?}");
    }
}

#[test]
fn empty_contents_and_left_out_contents_differ() {
    let empty_text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let decoded = |hash: &str| decode(wire(&[(SIGNATURE, text(ASSET)), ("hash", text(hash))]), KEEP).unwrap();
    let asset = |hash: &str, source| one(Value::from(Asset { hash: hash.to_owned(), source }));
    assert_eq!(decoded(empty_text), asset(empty_text, AssetSource::Text(String::new())));
    assert_eq!(decoded("abc"), asset("abc", AssetSource::Elided));
}

/// Encoded properties can be decoded again: the enforced limit is the decoder's.
#[test]
fn depth_is_refused_before_it_is_sent() {
    type Wrap = fn(Value) -> Value;
    let wraps: [Wrap; 3] = [
        |value| Value::List(vec![value]),
        |value| Value::Map(one(value)),
        |value| Value::Map(one(Value::secret(value))),
    ];
    for wrap in wraps {
        let mut value = Value::from("leaf");
        let mut deepest = None;
        for level in 0..200 {
            match encode(one(value.clone()), ALL) {
                Ok(properties) => {
                    let answer =
                        CreateResponse { id: "i".to_owned(), properties: Some(properties), ..Default::default() };
                    let read = CreateResponse::decode(answer.encode_to_vec().as_slice());
                    assert_eq!(read.as_ref().map_err(ToString::to_string), Ok(&answer), "level {level}");
                    deepest = Some(level);
                }
                Err(error) => {
                    assert_eq!(error, EncodingError::TooDeep("p".to_owned()));
                    break;
                }
            }
            value = wrap(value);
        }
        assert!(deepest.is_some_and(|level| (15..60).contains(&level)), "{deepest:?}");
    }
}
