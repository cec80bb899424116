//! Failures as statuses for an engine. The code decides what the engine concludes: INTERNAL, DATA_LOSS and UNKNOWN mean that the outcome is not
//! known, every other that nothing happened.

use outrigger_provider::{CallError, CheckFailure, ErrorKind, Outcome, State};
use prost::Message;
use prost_types::Any;
use tonic::{Code, Status};

use crate::encoding::{Encoding, EncodingError, encode};
use crate::generated::google_rpc;
use crate::generated::pulumirpc::configure_error_missing_keys::MissingKey;
use crate::generated::pulumirpc::{self, ConfigureErrorMissingKeys, ErrorResourceInitFailed};

/// The encoding for an engine: in Configure it announced support for all of this, or it is too new to ask.
pub(super) const ANSWER: Encoding =
    Encoding { unknowns: true, secrets: true, resources: true, outputs: false, elide: false };

/// The status for a failed call.
pub(super) fn failure(error: &CallError) -> Status {
    let code = match error.kind {
        ErrorKind::Unsupported => Code::Unimplemented,
        ErrorKind::NotDone => Code::FailedPrecondition,
        ErrorKind::Cancelled => Code::Cancelled,
        ErrorKind::TimedOut => Code::DeadlineExceeded,
        ErrorKind::Unknown => Code::Unknown,
        ErrorKind::Crashed | ErrorKind::Garbage => Code::Internal,
    };
    if error.missing_keys.is_empty() {
        return Status::new(code, words(error));
    }
    let missing_keys = error.missing_keys.iter().cloned();
    let missing_keys = missing_keys.map(|(name, description)| MissingKey { name, description }).collect();
    // Engines look for this detail only together with this code.
    detailed(
        Code::InvalidArgument,
        &error.message,
        "ConfigureErrorMissingKeys",
        &ConfigureErrorMissingKeys { missing_keys },
    )
}

/// The text that an engine shows. A plugin may use another process, which the engine does not know: if that has died, the text names it, the
/// call, and the end of its stderr, which only this plugin has.
fn words(error: &CallError) -> String {
    let mut words = match error.kind {
        ErrorKind::Crashed => format!("{}, {}: {}", error.plugin, error.call, error.message),
        _ => error.message.clone(),
    };
    if !error.last_words.is_empty() {
        words.push_str("\nThe end of its stderr:");
        for line in &error.last_words {
            words.push('\n');
            words.push_str(line);
        }
    }
    words
}

/// The status for a request that cannot be understood: nothing was done.
pub(super) fn unreadable(error: &EncodingError) -> Status {
    Status::invalid_argument(error.to_string())
}

/// The status for an answer that cannot be sent.
pub(super) fn unsendable(error: &EncodingError) -> Status {
    Status::internal(format!("the answer cannot be sent: {error}"))
}

/// The status for a change that was not completed.
pub(super) fn undone(outcome: Outcome) -> Status {
    match outcome {
        Outcome::Partial { state, reasons } => partial(state, reasons),
        // The kind may leave doubt, but a provider that returns this outcome knows that nothing happened.
        Outcome::NotDone(error) if error.leaves_doubt() => {
            let code = if error.kind == ErrorKind::Cancelled { Code::Cancelled } else { Code::FailedPrecondition };
            Status::new(code, words(&error))
        }
        Outcome::NotDone(error) => failure(&error),
        Outcome::Unknown { error, .. } => Status::unknown(words(&error)),
        Outcome::Pending(_) => {
            Status::unknown("the operation is still under way, and Pulumi's protocol cannot wait for it")
        }
        Outcome::Done(_) => Status::internal("the order has not failed"),
    }
}

/// The status for a resource that exists but is not ready.
pub(super) fn partial(state: State, reasons: Vec<String>) -> Status {
    let message = reasons.first().cloned().unwrap_or_else(|| "it exists, but is not ready".to_owned());
    let properties = |map| encode(map, ANSWER);
    let detail = match (properties(state.outputs), properties(state.inputs)) {
        (Ok(outputs), Ok(inputs)) => ErrorResourceInitFailed {
            id: state.id,
            properties: Some(outputs),
            reasons,
            inputs: Some(inputs),
            refresh_before_update: state.refresh_before_update,
        },
        // The id alone is better than nothing: the resource is not lost.
        (Err(error), _) | (_, Err(error)) => {
            let mut reasons = reasons;
            reasons.push(unsendable(&error).message().to_owned());
            ErrorResourceInitFailed { id: state.id, reasons, ..ErrorResourceInitFailed::default() }
        }
    };
    detailed(Code::Unknown, &message, "ErrorResourceInitFailed", &detail)
}

pub(super) fn failures(failures: Vec<CheckFailure>) -> Vec<pulumirpc::CheckFailure> {
    let failure = |CheckFailure { property, reason, .. }| pulumirpc::CheckFailure { property, reason };
    failures.into_iter().map(failure).collect()
}

fn detailed(code: Code, message: &str, name: &str, detail: &impl Message) -> Status {
    let detail = Any { type_url: format!("type.googleapis.com/pulumirpc.{name}"), value: detail.encode_to_vec() };
    let status = google_rpc::Status { code: code.into(), message: message.to_owned(), details: vec![detail] };
    Status::with_details(code, message, status.encode_to_vec().into())
}
