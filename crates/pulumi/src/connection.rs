//! One connection to a plugin, and what every call over it has in common: deadline, cancellation, and the plugin's death.

use std::error::Error;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_transport::Process;
use outrigger_transport::channel::{Channel, ConnectionLost};
use tokio::time::timeout;
use tonic::{Code, Response, Status};

use crate::encoding::EncodingError;
use crate::failure::{self, Failure};
use crate::generated::pulumirpc::resource_provider_client::ResourceProviderClient;

/// After a process has ended its last answer may still lie in our socket; after a connection broke the exit status takes
/// a moment to arrive. Neither takes long.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// A connected plugin.
pub(crate) struct Connection {
    client: ResourceProviderClient<Channel>,
    process: Option<Arc<dyn Process>>,
    label: String,
    ended: OnceLock<String>,
}

impl Connection {
    pub(crate) fn new(
        client: ResourceProviderClient<Channel>,
        process: Option<Arc<dyn Process>>,
        label: String,
    ) -> Self {
        Self { client, process, label, ended: OnceLock::new() }
    }

    /// The plugin's name and version.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The process, unless this connection was made by port.
    pub(crate) fn process(&self) -> Option<&Arc<dyn Process>> {
        self.process.as_ref()
    }

    /// The generated client; a clone shares the connection.
    pub(crate) fn client(&self) -> ResourceProviderClient<Channel> {
        self.client.clone()
    }

    /// An error of this plugin. What cannot be understood comes with its last words: they often say why.
    pub(crate) fn error(&self, call: &str, kind: ErrorKind, message: impl Into<String>) -> CallError {
        let error = CallError::new(self.label.clone(), call, kind, message);
        if kind == ErrorKind::Garbage { self.last_words(error) } else { error }
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
        if let Some(status) = self.ended.get() {
            let message = format!("the call was not made: the plugin {status} before");
            return Err(self.last_words(self.error(name, ErrorKind::NotDone, message)).into());
        }
        let answer = async {
            match cx.deadline {
                Some(deadline) => match timeout(deadline, self.answer(call)).await {
                    Ok(answer) => answer,
                    Err(_) => Answer::Late(deadline),
                },
                None => self.answer(call).await,
            }
        };
        let answer = tokio::select! {
            biased;
            answer = answer => answer,
            () = cx.cancel.cancelled() => Answer::Cancelled,
        };
        match answer {
            Answer::Came(Ok(response)) => Ok(response.into_inner()),
            Answer::Came(Err(status)) => Err(self.failed(name, status).await),
            Answer::Gone(status) => Err(self.crashed(name, status).into()),
            Answer::Late(deadline) => {
                let message = format!("no answer within {} s", deadline.as_secs_f64());
                Err(self.last_words(self.error(name, ErrorKind::TimedOut, message)).into())
            }
            Answer::Cancelled => {
                Err(self.error(name, ErrorKind::Cancelled, "the wait was cancelled before an answer came").into())
            }
        }
    }

    /// Races the call against the end of the process.
    async fn answer<T>(&self, call: impl Future<Output = Result<Response<T>, Status>>) -> Answer<T> {
        let Some(process) = &self.process else { return Answer::Came(call.await) };
        tokio::pin!(call);
        let status = tokio::select! {
            biased;
            answer = &mut call => return Answer::Came(answer),
            status = process.exited() => status,
        };
        match timeout(GRACE, call).await {
            Ok(answer) => Answer::Came(answer),
            Err(_) => Answer::Gone(status),
        }
    }

    async fn failed(&self, name: &'static str, status: Status) -> Failure {
        // Only what our own side made has a source: a status that the plugin sent has none.
        let Some((unsent, cause)) = status.source().map(|cause| (holds::<ConnectionLost>(cause), chain(cause))) else {
            return self.read(name, &status);
        };
        if failure::is_too_large_to_send(&status) {
            return self.read(name, &status);
        }
        let ended = match &self.process {
            Some(process) => timeout(GRACE, process.exited()).await.ok(),
            None => None,
        };
        if unsent {
            // The connection had broken before: this request never left.
            let reason = ended.map_or_else(
                || "the connection to the plugin is lost".to_owned(),
                |status| {
                    let status = self.ended.get_or_init(|| status);
                    format!("the plugin {status} before")
                },
            );
            let message = format!("the call was not made: {reason}");
            return self.last_words(self.error(name, ErrorKind::NotDone, message)).into();
        }
        match ended {
            Some(status) => self.crashed(name, status).into(),
            None if status.code() == Code::Cancelled => {
                let message = "the plugin dropped the call without an answer";
                self.last_words(self.error(name, ErrorKind::Crashed, message)).into()
            }
            None => {
                let message = format!("the connection broke during the call: {cause}");
                self.last_words(self.error(name, ErrorKind::Crashed, message)).into()
            }
        }
    }

    fn read(&self, name: &'static str, status: &Status) -> Failure {
        let mut failure = failure::read(&self.label, name, status);
        if failure.error.kind == ErrorKind::Garbage {
            failure.error = self.last_words(failure.error);
        }
        failure
    }

    fn crashed(&self, name: &str, status: String) -> CallError {
        let status = self.ended.get_or_init(|| status);
        self.last_words(self.error(name, ErrorKind::Crashed, format!("the plugin {status} during the call")))
    }

    fn last_words(&self, mut error: CallError) -> CallError {
        if let Some(process) = &self.process {
            error.last_words = process.last_words();
        }
        error
    }
}

/// How a wait ended.
enum Answer<T> {
    Came(Result<Response<T>, Status>),
    Gone(String),
    Late(Duration),
    Cancelled,
}

fn holds<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<E>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// An error with its sources: the outermost one often says nothing.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}
