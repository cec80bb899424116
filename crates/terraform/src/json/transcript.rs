//! Messages as they are written into a log.

use std::sync::{Arc, OnceLock};

use outrigger_transport::tap::{self, Answers};
use prost::Message;

use super::calls::{self, Call, Visitor};
use super::context::{Context, Identities, Role, Secrets};
use super::messages::Request;
use super::part::Tell;
use crate::Protocol;
use crate::schema::Schemas;

/// Writes the messages of a provider down. Until its schemas are known, values are shown by their lengths.
#[derive(Debug, Default)]
pub struct Transcript {
    schemas: OnceLock<Arc<Schemas>>,
}

impl Transcript {
    /// From now on values are shown.
    pub fn knows(&self, schemas: &Arc<Schemas>) {
        let _known_before = self.schemas.set(Arc::clone(schemas));
    }
}

impl tap::Transcript for Transcript {
    fn request(&self, path: &str, message: &[u8]) -> (String, Answers) {
        let schemas = self.schemas.get().map(Arc::as_ref);
        let is_this = |rpc: &crate::rpc::Rpc| {
            [Protocol::Five, Protocol::Six].iter().any(|protocol| rpc.path(*protocol).as_str() == path)
        };
        let told = calls::visit(Telling { schemas, message }, is_this);
        told.unwrap_or_else(|| (length(message), Box::new(length)))
    }
}

/// All that is said of what is not understood; schemas are among it.
fn length(message: &[u8]) -> String {
    format!("{{\"length\":{}}}", message.len())
}

struct Telling<'a> {
    schemas: Option<&'a Schemas>,
    message: &'a [u8],
}

impl Visitor for Telling<'_> {
    type Output = (String, Answers);

    fn visit<Q, A>(self, call: &'static Call) -> Self::Output
    where
        Q: Request + Message + Default + Send + Sync + 'static,
        A: Tell + Message + Default + Send + 'static,
    {
        let Ok(question) = Q::decode(self.message) else { return (length(self.message), Box::new(length)) };
        let known = self.schemas.and_then(|schemas| {
            Context::new(schemas, &Identities::new(), call.subject, question.name(), Secrets::HiddenInLog).ok()
        });
        let context = known.unwrap_or_else(|| Context::blind(Secrets::HiddenInLog));
        let request = told(&question, &context);
        let answers = move |message: &[u8]| match A::decode(message) {
            Ok(answer) => told(&answer, &context),
            Err(_) => length(message),
        };
        (request, Box::new(answers))
    }
}

pub(super) fn told(message: &impl Tell, context: &Context) -> String {
    let mut text = String::new();
    message.tell(Role::Subject, context, &mut text);
    text
}
