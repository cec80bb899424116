//! Any JSON as a provider's state, which is recovered from the outputs that stand for it; and as outputs, from which a state is recovered or not,
//! secret or not.
#![no_main]

use std::sync::LazyLock;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use outrigger_bridge::stored_state::{Meta, outputs, recovered};
use outrigger_fuzz::cty::rounded;
use outrigger_fuzz::resource::{Resource, properties};
use outrigger_terraform::cty::{Value as Cty, from_json};
use outrigger_value::Value;
use serde_json::Value as Json;
use serde_json::value::RawValue;

static RESOURCE: LazyLock<Resource> = LazyLock::new(Resource::new);

/// The version of the resource's states.
const VERSION: i64 = 3;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(state) = from_json(bytes, &RESOURCE.ty) {
        found_again(&RESOURCE, state, bytes);
    }
    if let Ok(Json::Object(members)) = serde_json::from_slice(bytes) {
        as_outputs(&RESOURCE, members);
    }
});

fn found_again(resource: &Resource, state: Cty, private: &[u8]) {
    let meta = Meta { version: VERSION, private: Bytes::copy_from_slice(private), identity: None };
    let Ok(outputs) = outputs(&resource.object, &resource.ty, &state, &meta) else { return };
    assert_eq!(Meta::of(&outputs), Ok(meta));
    let json = match recovered(&resource.object, &resource.ty, &outputs) {
        Ok(json) => json,
        Err(reason) => panic!("{reason}"),
    };
    match from_json(json.as_bytes(), &resource.ty) {
        Ok(found) => assert!(rounded(&found) == rounded(&state), "found another state: {json}"),
        Err(error) => panic!("{json}: {error}"),
    }
}

fn as_outputs(resource: &Resource, members: serde_json::Map<String, Json>) {
    let outputs = properties(members);
    let plain = outputs.iter().map(|(name, value)| (name.clone(), value.unwrap_secrets())).collect();
    let hidden = outputs.iter().map(|(name, value)| (name.clone(), Value::secret(value.clone()))).collect();
    let found = recovered(&resource.object, &resource.ty, &outputs);
    for other in [plain, hidden] {
        assert_eq!(recovered(&resource.object, &resource.ty, &other), found, "what is secret is found otherwise");
        assert_eq!(Meta::of(&other), Meta::of(&outputs));
    }
    let Ok(json) = found else { return };
    assert!(serde_json::from_str::<&RawValue>(&json).is_ok(), "not JSON: {json}");
    if let Ok(state) = from_json(json.as_bytes(), &resource.ty) {
        found_again(resource, state, b"");
    }
}
