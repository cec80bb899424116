//! Any bytes as a value of any type: a decoded value is written and read again as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_fuzz::cty::{check, holds_large_integer, rounded, typed};
use outrigger_terraform::cty::{decode, encode};

fuzz_target!(|input: &[u8]| {
    let Some((ty, bytes)) = typed(input) else { return };
    let value = match decode(bytes, &ty) {
        Ok(value) => value,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let written = check(&value, &ty);
    let again = match decode(&written, &ty) {
        Ok(again) => again,
        Err(error) => panic!("what was written cannot be read: {error}"),
    };
    assert_eq!(encode(&again, &ty).as_ref(), Ok(&written), "other bytes the second time");
    if holds_large_integer(&value) {
        assert!(rounded(&again) == rounded(&value), "another value, even as doubles");
    } else {
        assert!(again == value, "another value");
    }
});
