//! Answers that are well-formed messages, but wrong.

use crate::answer;
use crate::deed::Deed;
use crate::wire::{Message, double, object, properties, text};

/// The key that marks a special object, and the mark of a secret.
const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";

/// Represents an unknown text.
const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/// The wrong answer for a deed, if it has one.
pub(crate) fn of(deed: Deed, call: &str, request: &[u8]) -> Option<Message> {
    let holding = |value: Message| Some(with(call, request, &properties(&[("extra", value)])));
    match deed {
        Deed::Unsigned => holding(object(&properties(&[(SIGNATURE, text("nobody-knows-this"))]))),
        Deed::SecretWithoutValue => holding(object(&properties(&[(SIGNATURE, text(SECRET))]))),
        Deed::Deep => holding((0..10_000).fold(text("bottom"), |inside, _| object(&properties(&[("deeper", inside)])))),
        Deed::NotANumber => holding(double(f64::NAN)),
        Deed::UnknownOutput => holding(text(UNKNOWN)),
        Deed::Empty => Some(Message::new()),
        Deed::NoId => Some(Message::new().message(2, &properties(&[("value", text("made"))]))),
        Deed::OtherId => {
            let kept = properties(&[("value", text("moved"))]);
            Some(Message::new().bytes(1, "somebody-else").message(2, &kept).message(3, &kept))
        }
        // A property difference of kind 99, and 7 as the verdict whether anything changed.
        Deed::UnknownEnum => {
            let kind = Message::new().number(1, 99);
            Some(Message::new().number(4, 7).entry(6, "value", &kind).number(7, 1))
        }
        _ => None,
    }
}

/// The details of a status for a resource that exists but is not ready.
pub(crate) fn partial(value: &str) -> Message {
    let kept = properties(&[("value", text(value))]);
    let detail = Message::new().bytes(1, "chaos-it").message(2, &kept).bytes(3, "still waking up");
    let any = Message::new().bytes(1, "type.googleapis.com/pulumirpc.ErrorResourceInitFailed").message(2, &detail);
    Message::new().number(1, 2).bytes(2, "chaos is not ready").message(3, &any)
}

/// The bytes between the start of a creation's answer and the text of its only property, for an answer sent in pieces.
pub(crate) fn around_a_text(request: &[u8], length: usize) -> Vec<u8> {
    let mut start = Message::new().bytes(1, answer::id(request)).finish();
    let entry_key = Message::new().bytes(1, "extra").finish();
    // The entry is a message with a key before its value, so its length counts both.
    let value = crate::wire::nested(&[2, 3], length);
    start.extend(crate::wire::nested(&[2, 1], entry_key.len() + value.len() + length));
    start.extend(entry_key);
    start.extend(value);
    start
}

/// The usual answer with other properties.
fn with(call: &str, request: &[u8], properties: &Message) -> Message {
    let message = Message::new();
    match call {
        "Create" => message.bytes(1, answer::id(request)).message(2, properties),
        "Read" => message.bytes(1, crate::wire::bytes(request, 1)).message(2, properties).message(3, properties),
        "Construct" => message.bytes(1, "urn:pulumi:dev::shop::chaos:index:Group::it").message(2, properties),
        _ => message.message(1, properties),
    }
}
