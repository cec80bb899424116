//! Any text as a program: parsed and checked against a small schema.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outrigger_syntax::Document;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = Document::parse_bytes("Pulumi.yaml", bytes) {
        outrigger_fuzz::check(document);
    }
});
