//! Messages in the log of calls.

use std::sync::Arc;

use bytes::Bytes;
use outrigger_terraform::Protocol;
use outrigger_terraform::json::Transcript;
use outrigger_terraform::schema::Schemas;
use outrigger_transport::tap::Transcript as _;

/// A Protobuf field of bytes.
fn field(number: u8, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    let length = u8::try_from(bytes.len()).unwrap();
    assert!(length < 0x80 && number < 16);
    [&[number << 3 | 2, length], bytes].concat()
}

fn number(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

/// A provider with one resource, `x_a`, which has a name and a sensitive key; and with the function `f` of a string.
fn transcript() -> Transcript {
    let attribute = |name: &str, sensitive: u8| {
        let parts = [field(1, name), field(2, "\"string\""), number(5, 1), number(7, sensitive)];
        field(2, parts.concat())
    };
    let block = [attribute("name", 0), attribute("key", 1)].concat();
    let resource = field(2, [field(1, "x_a"), field(2, field(2, block))].concat());
    let text = [field(1, "text"), field(2, "\"string\"")].concat();
    let function = [field(1, text), field(3, field(1, "\"number\""))].concat();
    let function = field(7, [field(1, "f"), field(2, function)].concat());
    let transcript = Transcript::default();
    let schemas = Schemas::index(Bytes::from([resource, function].concat()), Protocol::Six).unwrap();
    transcript.knows(&Arc::new(schemas));
    transcript
}

/// `{"key": "k", "name": "n"}`.
fn state() -> Vec<u8> {
    field(1, [b"\x82\xa3key\xa1k\xa4name\xa1n".as_slice()].concat())
}

fn asked(call: &str, message: &[&[u8]]) -> String {
    transcript().request(&format!("/tfplugin6.Provider/{call}"), &message.concat()).0
}

fn answered(call: &str, request: &[&[u8]], message: &[&[u8]]) -> String {
    transcript().request(&format!("/tfplugin6.Provider/{call}"), &request.concat()).1(&message.concat())
}

const SHOWN: &str = r#"{"key":"[secret]","name":"n"}"#;

#[test]
fn of_a_plan() {
    let name = field(1, "x_a");
    let identity = field(8, field(1, field(1, [0xc0])));
    let capabilities = field(7, number(2, 1));
    let request: &[&[u8]] = &[&name, &field(2, field(1, [0xc0])), &field(3, state()), &field(5, "private")];
    assert_eq!(
        asked("PlanResourceChange", &[request, &[&capabilities, &identity]].concat()),
        format!(
            r#"{{"type_name":"x_a","prior_state":null,"proposed_new_state":{SHOWN},"prior_private":{{"length":7}},"client_capabilities":{{"write_only_attributes_allowed":true}},"prior_identity":{{"length":1}}}}"#
        )
    );
    let path = [field(1, field(1, "name")), field(1, number(3, 2)), field(1, field(2, "k"))].concat();
    let diagnostic = [number(1, 2), field(2, "Odd"), field(3, "Very \"odd\"."), field(4, &path)].concat();
    let diagnostics = [field(4, diagnostic), field(4, field(2, "Bare"))].concat();
    assert_eq!(
        answered("PlanResourceChange", request, &[&diagnostics, &field(1, state()), &field(2, path), &number(5, 1)]),
        format!(
            r#"{{"planned_state":{SHOWN},"requires_replace":["name[2][\"k\"]"],"diagnostics":[{{"severity":"WARNING","summary":"Odd","detail":"Very \"odd\".","attribute":"name[2][\"k\"]"}},{{"severity":"INVALID","summary":"Bare"}}],"legacy_type_system":true}}"#
        )
    );
    assert_eq!(answered("PlanResourceChange", request, &[&field(6, "")]), r#"{"deferred":{"reason":0}}"#);
    assert_eq!(answered("PlanResourceChange", request, &[&field(6, number(1, 3))]), r#"{"deferred":{"reason":3}}"#);
    assert_eq!(answered("PlanResourceChange", request, &[]), "{}");
    assert_eq!(answered("PlanResourceChange", request, &[&[0xff]]), r#"{"length":1}"#);
    assert_eq!(answered("PlanResourceChange", request, &[&field(1, [0xff])]), r#"{"length":3}"#);
}

#[test]
fn of_what_is_not_the_subject() {
    let imported = |name: &str| field(1, [field(1, name), field(2, state()), field(3, "p")].concat());
    assert_eq!(
        answered("ImportResourceState", &[&field(1, "x_a")], &[&imported("x_a"), &imported("x_b")]),
        format!(
            r#"{{"imported_resources":[{{"type_name":"x_a","state":{SHOWN},"private":{{"length":1}}}},{{"type_name":"x_b","state":{{"length":14}},"private":{{"length":1}}}}]}}"#
        )
    );
    let raw = field(3, [field(1, r#"{"key":"k"}"#), field(2, [field(1, "key"), field(2, "k")].concat())].concat());
    assert_eq!(
        asked("UpgradeResourceState", &[&field(1, "x_a"), &number(2, 4), &raw]),
        r#"{"type_name":"x_a","version":4,"raw_state":{"json":{"length":11}}}"#
    );
    assert_eq!(
        asked("ReadResource", &[&field(1, "x_c"), &field(2, state())]),
        r#"{"type_name":"x_c","current_state":{"length":14}}"#
    );
    assert_eq!(asked("NoSuchCall", &[b"abc"]), r#"{"length":3}"#);
}

#[test]
fn of_functions() {
    let request: &[&[u8]] = &[&field(1, "f"), &field(2, field(1, b"\xa1t"))];
    assert_eq!(asked("CallFunction", request), r#"{"name":"f","arguments":[{"length":2}]}"#);
    assert_eq!(asked("CallFunction", &[&field(1, "f")]), r#"{"name":"f","arguments":[]}"#);
    assert_eq!(answered("CallFunction", request, &[&field(1, field(1, [7]))]), r#"{"result":{"length":1}}"#);
    let error = field(2, [field(1, "no"), number(2, 0)].concat());
    assert_eq!(answered("CallFunction", request, &[&error]), r#"{"error":{"text":"no","function_argument":0}}"#);
    let entry = |name: &str, function: &[u8]| field(1, [field(1, name), field(2, function)].concat());
    assert_eq!(
        answered("GetFunctions", &[], &[&entry("g", &[0xff]), &entry("f", &field(3, field(1, "\"number\"")))]),
        r#"{"functions":{"f":{"return_type":"number"},"g":{"length":1}}}"#
    );
}

#[test]
fn of_newer_calls() {
    let named = |number: u8, name: &str| field(number, field(1, name));
    assert_eq!(
        answered("GetMetadata", &[], &[&field(1, number(3, 1)), &named(4, "x_a"), &named(4, "x_b"), &named(9, "x_c")]),
        r#"{"server_capabilities":{"move_resource_state":true},"resources":["x_a","x_b"],"actions":["x_c"]}"#
    );
    let attribute = field(2, [field(1, "id"), field(2, "\"string\""), number(3, 1)].concat());
    let schema = [number(1, 1), attribute].concat();
    assert_eq!(
        answered("GetResourceIdentitySchemas", &[], &[&field(1, [field(1, "x_a"), field(2, schema)].concat())]),
        r#"{"identity_schemas":{"x_a":{"version":1,"identity_attributes":[{"name":"id","type":"string","required_for_import":true}]}}}"#
    );
    assert_eq!(
        answered("OpenEphemeralResource", &[&field(1, "x_e")], &[&field(2, number(1, 60)), &field(4, "")]),
        r#"{"renew_at":"1970-01-01T00:01:00Z","private":{"length":0}}"#
    );
    let request: &[&[u8]] = &[&field(1, "x_d")];
    assert_eq!(asked("InvokeAction", request), r#"{"action_type":"x_d"}"#);
    assert_eq!(answered("InvokeAction", request, &[&field(1, field(1, "on"))]), r#"{"progress":{"message":"on"}}"#);
    assert_eq!(answered("InvokeAction", request, &[&field(2, "")]), r#"{"completed":{}}"#);
}
