//! One connection to a plugin: its client, and its calls.

use std::future::Future;
use std::sync::Arc;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_transport::caller::{Caller, Failed};
use outrigger_transport::channel::Channel;
use outrigger_transport::tap::Tap;
use outrigger_transport::{Process, limited};
use outrigger_value::{PropertyMap, secrecy};
use prost_types::Struct;
use tonic::{Response, Status};

use crate::encoding::{self, Encoding, EncodingError};
use crate::failure::{self, Failure};
use crate::generated::pulumirpc::resource_provider_client::ResourceProviderClient;

/// A connected plugin.
pub(crate) struct Connection {
    #[cfg(feature = "json")]
    channel: Channel,
    client: ResourceProviderClient<Channel>,
    caller: Caller,
    tap: Option<Arc<Tap>>,
}

impl Connection {
    pub(crate) fn new(
        channel: Channel,
        process: Option<Arc<dyn Process>>,
        label: String,
        tap: Option<Arc<Tap>>,
    ) -> Self {
        let channel = channel.tapped(tap.clone());
        Self {
            client: limited!(ResourceProviderClient::new(channel.clone())),
            #[cfg(feature = "json")]
            channel,
            caller: Caller::new(process, label),
            tap,
        }
    }

    /// The channel, for calls that have no generated client.
    #[cfg(feature = "json")]
    pub(crate) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Encodes properties, and keeps their secrets out of the log of calls.
    pub(crate) fn encode(&self, properties: PropertyMap, how: Encoding) -> Result<Struct, EncodingError> {
        self.overhear(&properties);
        encoding::encode(properties, how)
    }

    /// Keeps secrets in these properties out of the log of calls, even where they travel without a mark.
    pub(crate) fn overhear(&self, properties: &PropertyMap) {
        if let Some(tap) = &self.tap {
            secrecy::secret_texts(properties, &mut |text| tap.hide(text));
        }
    }

    /// The plugin's name and version.
    pub(crate) fn label(&self) -> &str {
        self.caller.label()
    }

    /// The process; `None` if this connection was made by port.
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

    /// The error for a request that cannot be encoded: nothing was sent.
    pub(crate) fn unsendable(&self, call: &str, error: &EncodingError) -> CallError {
        self.error(call, ErrorKind::NotDone, format!("the request was not sent: {error}"))
    }

    /// The error for an answer that cannot be understood.
    pub(crate) fn garbage(&self, call: &str, error: &EncodingError) -> CallError {
        self.error(call, ErrorKind::Garbage, format!("the answer cannot be understood: {error}"))
    }

    /// Waits for a call, no longer than its context allows and no longer than the process lives. No `async fn`, like [`Caller::call`].
    pub(crate) fn call<'a, T: Send + 'a>(
        &'a self,
        cx: &'a CallContext,
        name: &'a str,
        call: impl Future<Output = Result<Response<T>, Status>> + Send + 'a,
    ) -> impl Future<Output = Result<T, Failure>> + Send + 'a {
        let answer = self.caller.call(cx, name, call);
        async move {
            answer.await.map_err(|failed| match failed {
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
}
