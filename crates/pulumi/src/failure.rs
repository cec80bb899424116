//! The meaning of a plugin's error status.

use outrigger_provider::CallError;
use prost::Message;
use prost_types::Any;
use tonic::Status;

use crate::generated::google_rpc;
use crate::generated::pulumirpc::{
    ConfigureErrorMissingKeys, ErrorCause, ErrorResourceInitFailed, InputPropertiesError,
};

/// A failed call, perhaps with the detail that the resource exists anyway.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error for the user.
    pub(crate) error: CallError,
    /// The resource exists, but is not ready.
    pub(crate) partial: Option<Box<ErrorResourceInitFailed>>,
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self { error, partial: None }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// Reads a status from the plugin or from our own decoder.
pub(crate) fn read(plugin: &str, call: &str, status: &Status) -> Failure {
    let mut error = outrigger_transport::status::read(plugin, call, status);
    let mut partial = None;
    let mut missing_keys = Vec::new();
    for detail in details(status) {
        if let Some(detail) = of::<ErrorResourceInitFailed>(&detail, "ErrorResourceInitFailed") {
            partial = Some(Box::new(detail));
        } else if let Some(detail) = of::<ConfigureErrorMissingKeys>(&detail, "ConfigureErrorMissingKeys") {
            missing_keys.extend(detail.missing_keys.into_iter().map(|key| (key.name, key.description)));
        } else if let Some(detail) = of::<InputPropertiesError>(&detail, "InputPropertiesError") {
            for property in detail.errors {
                error.message.push_str(&format!("\n{}: {}", property.property_path, property.reason));
            }
        } else if let Some(detail) = of::<ErrorCause>(&detail, "ErrorCause")
            && !detail.message.is_empty()
            && !error.message.contains(&detail.message)
        {
            error.message.push_str(&format!("\n{}", detail.message));
        }
    }
    error.missing_keys = missing_keys;
    Failure { error, partial }
}

fn details(status: &Status) -> Vec<Any> {
    google_rpc::Status::decode(status.details()).map(|status| status.details).unwrap_or_default()
}

fn of<M: Message + Default>(detail: &Any, name: &str) -> Option<M> {
    let (_, full_name) = detail.type_url.rsplit_once('/')?;
    (full_name.strip_prefix("pulumirpc.")? == name).then(|| M::decode(detail.value.as_slice()).ok()).flatten()
}
