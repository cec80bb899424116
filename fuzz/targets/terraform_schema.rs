//! Any bytes as a provider's schema: its entries are read or refused, and the package schema made of them can be read.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use outrigger_bridge::Naming;
use outrigger_bridge::document::{About, write_document};
use outrigger_bridge::tokens::Selection;
use outrigger_schema::Package;
use outrigger_terraform::Protocol;
use outrigger_terraform::cty::Type;
use outrigger_terraform::schema::{Kind, Schemas, document};
use serde_json::Value;

const KINDS: [Kind; 5] = [Kind::Resource, Kind::DataSource, Kind::Ephemeral, Kind::List, Kind::Action];

fuzz_target!(|bytes: &[u8]| {
    for protocol in [Protocol::Five, Protocol::Six] {
        match Schemas::index(Bytes::copy_from_slice(bytes), protocol) {
            Ok(schemas) => {
                let readable = entries(&schemas);
                let document = document(&schemas, &BTreeMap::new(), "example.com/a/b");
                assert_eq!(document.is_ok(), readable, "{document:?}");
                package(schemas, readable);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

/// Whether every entry can be read. It is the same when it is read twice.
fn entries(schemas: &Schemas) -> bool {
    let mut readable = true;
    for kind in KINDS {
        for name in schemas.names(kind) {
            let kept = schemas.get(kind, name);
            assert_eq!(
                kept.as_ref().map(|found| found.as_deref()),
                schemas.peek(kind, name).as_ref().map(Option::as_ref)
            );
            match kept {
                Ok(Some(schema)) => {
                    let ty = schema.block.ty();
                    // JSON itself is only read to a depth, which nested blocks may go beyond.
                    let read = Type::from_json(ty.to_json().as_bytes());
                    assert!(read.is_err() || read == Ok(ty), "a type is written as another");
                }
                Ok(None) => panic!("`{name}` is listed, but not there"),
                Err(_) => readable = false,
            }
        }
    }
    schemas.function_names().fold(readable, |readable, name| match schemas.function(name) {
        Ok(found) => readable && found.is_some(),
        Err(_) => false,
    })
}

fn package(schemas: Schemas, readable: bool) {
    let naming = match Naming::new("test", Arc::new(schemas), &Selection::default()) {
        Ok(naming) => naming,
        Err(error) => return assert!(error.to_string().contains("--exclude"), "without a next step: {error}"),
    };
    let version = semver::Version::new(1, 2, 3);
    let about = About { version: &version, base_version: "1.0.0", parameter: b"{}", origin: None };
    let mut text = Vec::new();
    if let Err(error) = write_document(&naming, &about, &mut text) {
        return assert!(!readable || error.to_string().contains("--exclude"), "{error}");
    }
    let whole: Value = match serde_json::from_slice(&text) {
        Ok(whole) => whole,
        Err(error) => panic!("the package's schema is not JSON: {error}"),
    };
    let mut types = BTreeSet::new();
    referred(&whole, &mut types);
    let package = match Package::parse(text) {
        Ok(package) => package,
        Err(error) => panic!("the package's schema cannot be read: {error}"),
    };
    for (token, _) in naming.tokens().resources.iter() {
        assert!(matches!(package.resource(token), Ok(Some(_))), "{token}: {:?}", package.resource(token));
        assert!(matches!(naming.resource(token), Ok(Some(_))), "{token}");
    }
    for (token, _) in naming.tokens().data_sources.iter().chain(naming.tokens().functions.iter()) {
        assert!(matches!(package.function(token), Ok(Some(_))), "{token}: {:?}", package.function(token));
    }
    for token in types {
        assert!(matches!(package.ty(token), Ok(Some(_))), "{token}: {:?}", package.ty(token));
    }
    assert!(package.config().is_ok(), "{:?}", package.config());
}

/// The types that are referred to somewhere.
fn referred<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(members) => {
            let token = members.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/types/"));
            found.extend(token);
            members.values().for_each(|member| referred(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| referred(item, found)),
        _ => {}
    }
}
