//! The answers of a well-behaved plugin, which creates every resource as given and returns it unchanged.

use crate::wire::{Message, bytes, is_set};

/// The version that the plugin reports.
const VERSION: &str = "0.1.0";

/// The schema of package `chaos`: one resource, one component with a method, one function.
const SCHEMA: &str = include_str!("schema.json");

/// The part of a request that contains the properties of its resource.
pub(crate) fn properties_of<'a>(call: &str, request: &'a [u8]) -> &'a [u8] {
    match call {
        "Create" => bytes(request, 2),
        "Check" | "Delete" | "Read" => bytes(request, 3),
        "Diff" | "Update" => bytes(request, 4),
        "Construct" => bytes(request, 10),
        _ => &[],
    }
}

/// The answer to a call; `None` if there is no such call.
pub(crate) fn obedient(call: &str, request: &[u8]) -> Option<Message> {
    let message = Message::new();
    Some(match call {
        // Secrets, resources and outputs are supported.
        "Handshake" => message.number(1, 1).number(2, 1).number(3, 1),
        "Configure" => message.number(1, 1).number(2, 1).number(3, 1).number(4, 1),
        "GetPluginInfo" => message.bytes(1, VERSION),
        "GetSchema" => message.bytes(1, SCHEMA),
        "CheckConfig" | "Check" => message.bytes(1, bytes(request, 3)),
        // Nothing changed.
        "DiffConfig" => message.number(4, 1),
        // No verdict: the caller compares the inputs itself.
        "Diff" => message,
        "Create" if is_set(request, 4) => message.bytes(2, bytes(request, 2)),
        "Create" => message.bytes(1, id(request)).bytes(2, bytes(request, 2)),
        "Update" => message.bytes(1, bytes(request, 4)),
        "Read" => message.bytes(1, bytes(request, 1)).bytes(2, bytes(request, 3)).bytes(3, bytes(request, 4)),
        "Invoke" | "Call" => message.bytes(1, bytes(request, 2)),
        "Construct" => message.bytes(1, component(request)).bytes(2, bytes(request, 10)),
        "Delete" | "Cancel" => message,
        _ => return None,
    })
}

/// The id of a created resource.
pub(crate) fn id(request: &[u8]) -> Vec<u8> {
    [b"chaos-", bytes(request, 5)].concat()
}

fn component(request: &[u8]) -> String {
    let [project, stack, ty, name] = [1, 2, 7, 8].map(|field| String::from_utf8_lossy(bytes(request, field)));
    format!("urn:pulumi:{stack}::{project}::{ty}::{name}")
}
