//! Messages as they are logged.

use std::sync::{Arc, OnceLock};

use outrigger_transport::tap::{self, Answers};

use super::context::{Context, Identities, Secrets};
use super::table::CALLS;
use super::write::{length, shown, text_of};
use crate::Protocol;
use crate::schema::Schemas;

/// Converts the messages of a provider to log entries. Until its schemas are known, values appear as their lengths.
#[derive(Debug, Default)]
pub struct Transcript {
    schemas: OnceLock<Arc<Schemas>>,
}

impl Transcript {
    /// From now on values appear in the log.
    pub fn knows(&self, schemas: &Arc<Schemas>) {
        let _known_before = self.schemas.set(Arc::clone(schemas));
    }
}

impl tap::Transcript for Transcript {
    fn request(&self, path: &str, message: &[u8]) -> (String, Answers) {
        let Some(call) = CALLS.iter().find(|call| {
            [Protocol::Five, Protocol::Six].iter().any(|protocol| call.rpc.path(*protocol).as_str() == path)
        }) else {
            return (length(message.len()), Box::new(|message| length(message.len())));
        };
        let name = call.named_by().map_or(Ok(""), |(number, _)| text_of(message, number)).unwrap_or_default();
        let context = self.schemas.get().and_then(|schemas| {
            Context::new(schemas, &Identities::new(), call.subject, name, Secrets::HiddenInLog).ok()
        });
        let context = context.unwrap_or_else(|| Context::blind(Secrets::HiddenInLog));
        let request = shown(message, call.request, &context);
        (request, Box::new(move |message| shown(message, call.answer, &context)))
    }
}
