//! Any text as the stored form of a value of any type: the decoded value is the same in either encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_fuzz::cty::{check, typed};
use outrigger_terraform::cty::{decode, from_json, to_json};

fuzz_target!(|input: &[u8]| {
    let Some((ty, json)) = typed(input) else { return };
    let value = match from_json(json, &ty) {
        Ok(value) => value,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let bytes = check(&value, &ty);
    assert!(decode(&bytes, &ty).is_ok_and(|again| again == value), "another value in MessagePack");
    let text = match to_json(&value, &ty) {
        Ok(text) => text,
        Err(error) => panic!("what was read cannot be written: {error}"),
    };
    let again = match from_json(text.as_bytes(), &ty) {
        Ok(again) => again,
        Err(error) => panic!("{text} cannot be read: {error}"),
    };
    assert!(again == value, "another value: {text}");
    assert_eq!(to_json(&again, &ty).as_ref(), Ok(&text), "another text the second time");
});
