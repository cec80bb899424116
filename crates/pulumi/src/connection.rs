//! One connection to a plugin: its client, and its calls.

use std::future::Future;
use std::sync::Arc;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_transport::Process;
use outrigger_transport::caller::{Caller, Failed};
use outrigger_transport::channel::Channel;
use tonic::{Response, Status};

use crate::encoding::EncodingError;
use crate::failure::{self, Failure};
use crate::generated::pulumirpc::resource_provider_client::ResourceProviderClient;

/// A connected plugin.
pub(crate) struct Connection {
    client: ResourceProviderClient<Channel>,
    caller: Caller,
}

impl Connection {
    pub(crate) fn new(
        client: ResourceProviderClient<Channel>,
        process: Option<Arc<dyn Process>>,
        label: String,
    ) -> Self {
        Self { client, caller: Caller::new(process, label) }
    }

    /// The plugin's name and version.
    pub(crate) fn label(&self) -> &str {
        self.caller.label()
    }

    /// The process, unless this connection was made by port.
    pub(crate) fn process(&self) -> Option<&Arc<dyn Process>> {
        self.caller.process()
    }

    /// The generated client; a clone shares the connection.
    pub(crate) fn client(&self) -> ResourceProviderClient<Channel> {
        self.client.clone()
    }

    /// An error of this plugin.
    pub(crate) fn error(&self, call: &str, kind: ErrorKind, message: impl Into<String>) -> CallError {
        self.caller.error(call, kind, message)
    }

    /// A request that cannot be put on the wire: nothing was sent.
    pub(crate) fn unsendable(&self, call: &str, error: &EncodingError) -> CallError {
        self.error(call, ErrorKind::NotDone, format!("the request was not sent: {error}"))
    }

    /// An answer that cannot be understood.
    pub(crate) fn garbage(&self, call: &str, error: &EncodingError) -> CallError {
        self.error(call, ErrorKind::Garbage, format!("the answer cannot be understood: {error}"))
    }

    /// Waits for a call, no longer than its context says and no longer than the process lives.
    pub(crate) async fn call<T>(
        &self,
        cx: &CallContext,
        name: &'static str,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, Failure> {
        self.caller.call(cx, name, call).await.map_err(|failed| match failed {
            Failed::Unanswered(error) => error.into(),
            Failed::Answered(status) => {
                let mut failure = failure::read(self.label(), name, &status);
                if failure.error.kind == ErrorKind::Garbage {
                    failure.error = self.caller.last_words(failure.error);
                }
                failure
            }
        })
    }
}
