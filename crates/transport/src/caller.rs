//! The common part of every call to a plugin: deadline, cancellation, and the plugin's death.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use outrigger_provider::{CallContext, CallError, ErrorKind};
use tokio::time::timeout;
use tonic::{Code, Response, Status};
use tracing::Instrument as _;

use crate::channel::ConnectionLost;
use crate::{Process, status};

/// After a process has ended, its last answer may still be in our socket; after a connection broke, the exit status takes a moment to arrive.
/// Neither takes long.
pub const GRACE: Duration = Duration::from_secs(2);

/// Makes the calls to one plugin.
pub struct Caller {
    process: Option<Arc<dyn Process>>,
    label: String,
    ended: OnceLock<String>,
}

/// A call that failed.
#[derive(Debug)]
pub enum Failed {
    /// The plugin answered with a status, or its answer could not be decoded. [`status::read`] reads it; a protocol may know more.
    Answered(Status),
    /// No answer came.
    Unanswered(CallError),
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Self {
        Self::Unanswered(error)
    }
}

impl Caller {
    /// A caller for a plugin; `process` is `None` if another program started it.
    pub fn new(process: Option<Arc<dyn Process>>, label: String) -> Self {
        Self { process, label, ended: OnceLock::new() }
    }

    /// The plugin's name and version.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The process; `None` if another program started it.
    pub fn process(&self) -> Option<&Arc<dyn Process>> {
        self.process.as_ref()
    }

    /// An error of this plugin. If an answer cannot be understood, it contains the end of the plugin's output, which often gives the reason.
    pub fn error(&self, call: &str, kind: ErrorKind, message: impl Into<String>) -> CallError {
        let error = CallError::new(self.label.clone(), call, kind, message);
        if kind == ErrorKind::Garbage { self.last_words(error) } else { error }
    }

    /// The error for a status, with the end of the plugin's output if the status cannot be understood.
    pub fn read(&self, call: &str, status: &Status) -> CallError {
        let error = status::read(&self.label, call, status);
        if error.kind == ErrorKind::Garbage { self.last_words(error) } else { error }
    }

    /// Waits for a call, no longer than its context allows and no longer than the process lives.
    ///
    /// A call of `tonic` is a future of kilobytes, and would be copied into each future that contains it. So it is boxed here, before it is
    /// awaited: this is no `async fn`, which would keep the unboxed future as well.
    pub fn call<'a, T: Send + 'a>(
        &'a self,
        cx: &'a CallContext,
        name: &'a str,
        call: impl Future<Output = Result<Response<T>, Status>> + Send + 'a,
    ) -> impl Future<Output = Result<T, Failed>> + Send + 'a {
        let span = tracing::debug_span!("call", plugin = %self.label, method = name);
        self.waited(cx, name, Box::pin(call)).instrument(span)
    }

    async fn waited<T: Send>(&self, cx: &CallContext, name: &str, call: Call<'_, T>) -> Result<T, Failed> {
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
    async fn answer<T>(&self, mut call: Call<'_, T>) -> Answer<T> {
        let Some(process) = &self.process else { return Answer::Came(call.await) };
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

    async fn failed(&self, name: &str, status: Status) -> Failed {
        // Only a status from our own side has a source: one that the plugin sent has none.
        let Some((unsent, cause)) = status.source().map(|cause| (holds::<ConnectionLost>(cause), chain(cause))) else {
            return Failed::Answered(status);
        };
        if status::is_too_large_to_send(&status) {
            return Failed::Answered(status);
        }
        let ended = match &self.process {
            Some(process) => timeout(GRACE, process.exited()).await.ok(),
            None => None,
        };
        if unsent {
            // The connection had broken before, so this request was never sent.
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

    fn crashed(&self, name: &str, status: String) -> CallError {
        let status = self.ended.get_or_init(|| status);
        self.last_words(self.error(name, ErrorKind::Crashed, format!("the plugin {status} during the call")))
    }

    /// Adds the end of the plugin's output to an error.
    pub fn last_words(&self, mut error: CallError) -> CallError {
        if let Some(process) = &self.process {
            error.last_words = process.last_words();
        }
        error
    }
}

/// A call under way.
type Call<'a, T> = Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send + 'a>>;

/// The result of a wait.
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

/// An error with its sources: the outermost one often explains nothing.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}
