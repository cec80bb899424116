//! The meaning of a status that came instead of an answer, whichever side made it.

use outrigger_provider::{CallError, ErrorKind};
use tonic::{Code, Status};

/// Reads a status from the plugin or from our own decoder.
pub fn read(plugin: &str, call: &str, status: &Status) -> CallError {
    let (kind, message) = match own(status) {
        Some((kind, message)) => (kind, message),
        None => (kind(status.code()), text(status)),
    };
    CallError::new(plugin, call, kind, message)
}

/// Whether our own request was over the limit, and so was not sent.
pub(crate) fn is_too_large_to_send(status: &Status) -> bool {
    status.message().contains("encoded message length too large")
}

/// The messages of Go's library when the call was carried out and its answer could not be sent.
const UNSENT: [(&str, &str); 4] = [
    ("grpc: trying to send message larger than max", "is larger than the plugin can send"),
    ("grpc: message too large (", "is larger than the plugin can send"),
    ("grpc: error while marshaling: ", "could not be written by the plugin"),
    ("grpc: error while compressing: ", "could not be written by the plugin"),
];

/// Statuses from our own half of the protocol. Their codes would mean something else from a plugin: an answer that is too large has
/// `OUT_OF_RANGE`, which from a plugin would mean that nothing happened.
fn own(status: &Status) -> Option<(ErrorKind, String)> {
    let message = status.message();
    if is_too_large_to_send(status) {
        return Some((ErrorKind::NotDone, "the request is larger than 400 MiB and was not sent".to_owned()));
    }
    if message.contains("decoded message length too large") {
        return Some((ErrorKind::Garbage, "the answer is larger than 400 MiB and was not read".to_owned()));
    }
    if let Some((_, why)) = UNSENT.iter().find(|(unsent, _)| message.starts_with(unsent)) {
        return Some((ErrorKind::Garbage, format!("the answer {why}: {message}")));
    }
    if message.contains("recursion limit reached") {
        let message = "the answer is nested too deeply to be read: about 33 levels of objects are the limit";
        return Some((ErrorKind::Garbage, message.to_owned()));
    }
    if message.starts_with("failed to decode Protobuf message") {
        return Some((ErrorKind::Garbage, format!("the answer cannot be understood: {message}")));
    }
    not_grpc(message).map(|reason| (ErrorKind::Garbage, reason))
}

/// The library's message about bytes that are not gRPC, reworded. It gives them codes under which a plugin would report a plain failure; but it
/// is unknown what was done before these bytes came. `tonic` has no other sign than the text, and the plugin `chaos` produces each of them.
fn not_grpc(message: &str) -> Option<String> {
    const HTTP: &str = "grpc-status header missing, mapped from HTTP status code ";
    const BODY: &str = "protocol error: received message with invalid compression flag";
    let status = message.strip_prefix(HTTP).or_else(|| {
        let rest = message.strip_prefix(BODY)?;
        rest.split_once("response with status: ").map(|(_, status)| status)
    });
    if let Some(status) = status {
        return Some(format!("the answer is not gRPC (HTTP status {status})"));
    }
    if message.starts_with("protocol error: missing grpc-status trailer") {
        return Some("the answer ended without a final status".to_owned());
    }
    if message.starts_with("Content is compressed with ") {
        return Some("the answer is compressed, although compression was not requested".to_owned());
    }
    if let Some(reason) = message.strip_prefix("protocol error: ") {
        return Some(format!("the answer is not gRPC: {reason}"));
    }
    match message {
        "Missing response message." => Some("the answer contains no message".to_owned()),
        "Unexpected EOF decoding stream." => Some("the answer ends in the middle of a message".to_owned()),
        _ => None,
    }
}

/// Only these three codes leave the state of a resource in doubt; every other means that nothing happened.
fn kind(code: Code) -> ErrorKind {
    match code {
        Code::Unimplemented => ErrorKind::Unsupported,
        Code::Internal | Code::DataLoss | Code::Unknown => ErrorKind::Unknown,
        _ => ErrorKind::NotDone,
    }
}

/// The plugin's message, as much as a person may want to read: it may be as long as a gRPC message.
fn text(status: &Status) -> String {
    const SHOWN: usize = 64 * 1024;
    let message = status.message();
    if message.is_empty() {
        return status.code().description().to_owned();
    }
    let cut = message.floor_char_boundary(SHOWN);
    match message.split_at_checked(cut) {
        Some((start, rest)) if !rest.is_empty() => format!("{start}... ({} bytes more)", rest.len()),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_decide_what_happened() {
        for (code, expected) in [
            (Code::Unimplemented, ErrorKind::Unsupported),
            (Code::Internal, ErrorKind::Unknown),
            (Code::DataLoss, ErrorKind::Unknown),
            (Code::Unknown, ErrorKind::Unknown),
            (Code::Unavailable, ErrorKind::NotDone),
            (Code::InvalidArgument, ErrorKind::NotDone),
            (Code::DeadlineExceeded, ErrorKind::NotDone),
            (Code::Cancelled, ErrorKind::NotDone),
            (Code::OutOfRange, ErrorKind::NotDone),
        ] {
            assert_eq!(read("p", "Create", &Status::new(code, "no")).kind, expected, "{code:?}");
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_leaves_doubt() {
        let large = "Error, decoded message length too large: found 419430401 bytes, the limit is: 419430400 bytes";
        let error = read("p", "Create", &Status::out_of_range(large));
        assert_eq!(error.kind, ErrorKind::Garbage);
        assert!(error.leaves_doubt());
        for unsent in [
            Status::resource_exhausted("grpc: trying to send message larger than max (318068673 vs. 268435456)"),
            Status::resource_exhausted("grpc: message too large (4294967296 bytes)"),
            Status::internal("grpc: error while marshaling: string field contains invalid UTF-8"),
            Status::internal("grpc: error while compressing: no"),
        ] {
            let error = read("p", "Create", &unsent);
            assert_eq!(error.kind, ErrorKind::Garbage);
            assert!(error.message.contains(unsent.message()), "{error}");
        }
    }
}
