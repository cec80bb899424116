//! Measures the cost of a large schema to a program that uses ten of its types, compared with decoding all of it:
//! `cargo run --release -p bench --bin lazy`. Prints JSON with nanoseconds, the fastest round of each.
#![allow(clippy::print_stdout, reason = "a program for the command line")]

use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use outrigger_schema::{Definition, Package, Property, Type};

/// The minimum size of the schema.
const BYTES: usize = 5_000_000;

/// How many resource types the program uses.
const USED: usize = 10;

/// The number of measurements of each.
const ROUNDS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let (schema, resources) = schema();
    let (mut some, mut all) = (u128::MAX, u128::MAX);
    for _ in 0..ROUNDS {
        let bytes = schema.clone().into_bytes();
        let started = Instant::now();
        black_box(use_some(bytes, resources)?);
        some = some.min(started.elapsed().as_nanos());
        let bytes = schema.clone().into_bytes();
        let started = Instant::now();
        black_box(decode_all(bytes)?);
        all = all.min(started.elapsed().as_nanos());
    }
    let report = serde_json::json!({
        "bytes": schema.len(), "resources": resources, "used": USED, "some_ns": some as u64, "all_ns": all as u64,
    });
    println!("{report}");
    Ok(())
}

/// Ten types as a program writes them, spread over the schema, with every type that their properties refer to.
fn use_some(bytes: Vec<u8>, resources: usize) -> Result<Package, Box<dyn Error>> {
    let package = Package::parse(bytes)?;
    for number in 0..USED {
        let number = number * resources / USED;
        let written = format!("cloud:module{}:Thing{number}", number % 40);
        let token = package.resolve_resource(&written).ok_or("a type is missing")?;
        let resource = package.resource(&token)?.ok_or("a resource is missing")?;
        follow(&package, resource.inputs.values().chain(resource.properties.values()))?;
    }
    Ok(package)
}

/// Decodes the types of properties, as checking a value of each would.
fn follow<'a>(package: &Package, properties: impl Iterator<Item = &'a Property>) -> Result<(), Box<dyn Error>> {
    for property in properties {
        let mut ty = &property.ty;
        while let Type::List(element) | Type::Map(element) = ty {
            ty = element;
        }
        let Type::Named(reference) = ty else { continue };
        if let Definition::Object(object) = &*package.ty(&reference.token)?.ok_or("a type is missing")? {
            follow(package, object.properties.values())?;
        }
    }
    Ok(())
}

fn decode_all(bytes: Vec<u8>) -> Result<Package, Box<dyn Error>> {
    let package = Package::parse(bytes)?;
    for token in package.resource_tokens() {
        package.resource(token)?;
    }
    for token in package.function_tokens() {
        package.function(token)?;
    }
    for token in package.type_tokens() {
        package.ty(token)?;
    }
    Ok(package)
}

/// A schema with the proportions of a large cloud's: resources with inputs and outputs, a nested type and an enumeration for
/// each, a function for every second one, and half of the bytes in descriptions. Also returns the number of resources.
fn schema() -> (String, usize) {
    let (mut resources, mut types, mut functions) = (String::new(), String::new(), String::new());
    let mut count = 0;
    while resources.len() + types.len() + functions.len() < BYTES + BYTES / 100 {
        let module = format!("module{}", count % 40);
        let comma = if count == 0 { "" } else { "," };
        let options = format!("cloud:{module}/Thing{count}Options:Thing{count}Options");
        let mode = format!("cloud:{module}/Thing{count}Mode:Thing{count}Mode");
        let _ = write!(
            resources,
            r#"{comma}"cloud:{module}/thing{count}:Thing{count}":{{"description":"{}","properties":{{{}}},"required":["name","arn"],"inputProperties":{{{}}},"requiredInputs":["size"]}}"#,
            words(8),
            properties(&options, &mode, r#","arn":{"type":"string","description":"Names it everywhere."}"#),
            properties(&options, &mode, ""),
        );
        let _ = write!(
            types,
            r#"{comma}"{options}":{{"type":"object","description":"{}","properties":{{"enabled":{{"type":"boolean","description":"{}"}},"limits":{{"type":"array","items":{{"type":"integer"}}}},"mode":{{"$ref":"\#/types/{mode}"}}}},"required":["enabled"]}},"{mode}":{{"type":"string","enum":[{{"name":"Fast","value":"fast"}},{{"name":"Safe","value":"safe"}}]}}"#,
            words(1),
            words(1),
        );
        if count % 2 == 0 {
            let _ = write!(
                functions,
                r#"{comma}"cloud:{module}/getThing{count}:getThing{count}":{{"description":"{}","inputs":{{"properties":{{"name":{{"type":"string","description":"{}"}}}},"required":["name"]}},"outputs":{{"properties":{{{}}},"required":["name"]}}}}"#,
                words(2),
                words(1),
                properties(&options, &mode, ""),
            );
        }
        count += 1;
    }
    let text = format!(
        r#"{{"name":"cloud","version":"1.0.0","meta":{{"moduleFormat":"(.*)(?:/[^/]*)"}},"types":{{{types}}},"provider":{{}},"resources":{{{resources}}},"functions":{{{functions}}}}}"#
    );
    (text.replace(r"\#", "#"), count)
}

fn properties(options: &str, mode: &str, more: &str) -> String {
    format!(
        r#""name":{{"type":"string","description":"{0}","willReplaceOnChanges":true}},"size":{{"type":"integer","description":"{0}"}},"mode":{{"$ref":"\#/types/{mode}","description":"{0}"}},"options":{{"$ref":"\#/types/{options}","description":"{0}"}},"tags":{{"type":"object","additionalProperties":{{"type":"string"}},"description":"{0}"}},"zones":{{"type":"array","items":{{"type":"string"}},"description":"{0}"}},"key":{{"type":"string","secret":true,"description":"{0}"}},"enabled":{{"type":"boolean","default":false,"description":"{0}"}}{more}"#,
        words(1),
    )
}

/// A description of so many sentences, with characters that JSON must escape.
fn words(sentences: usize) -> String {
    r#"Says how the `thing` is kept, see \"Sizes\" below.\n"#.repeat(sentences)
}
