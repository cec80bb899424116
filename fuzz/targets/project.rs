//! Any bytes as a project file or a stack's file: read or refused with a place, never a panic.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use outrigger_project::Project;
use outrigger_syntax::{Document, Keys};
use outrigger_yaml::check_project;

fuzz_target!(|bytes: &[u8]| {
    for keys in [Keys::Text, Keys::Scalar] {
        match Document::parse_bytes_with("Pulumi.yaml", bytes, keys) {
            Ok(document) => {
                outrigger_fuzz::check_spans(&document, &document.root);
                if let Ok(project) = Project::from_document(Path::new("Pulumi.yaml"), document) {
                    let _ = (check_project(&project), project.check_version());
                }
            }
            Err(found) => assert!(found.iter().all(|one| one.place.is_some() && !one.hints.is_empty()), "{found:?}"),
        }
    }
});
