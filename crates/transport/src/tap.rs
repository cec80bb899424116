//! A log of every call on a channel, in the form of `PULUMI_DEBUG_GRPC`: one JSON object per line, when a request is sent and when its answer
//! has arrived. A channel without a tap pays one comparison per call.

mod secret;

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http_body::{Body, Frame};
use percent_encoding::percent_decode_str;

use secret::Secret;

/// A destination for log lines.
pub trait CallLog: fmt::Debug + Send + Sync {
    /// One line, without its end. A line that cannot be written is lost: a log must not stop the work that it reports.
    fn line(&self, line: &str);
}

/// Converts an answer to JSON.
pub type Answers = Box<dyn Fn(&[u8]) -> String + Send + Sync>;

/// Knows the messages of a protocol well enough to log them without secrets.
pub trait Transcript: Send + Sync {
    /// A request as JSON, and the converter for its answers.
    fn request(&self, path: &str, message: &[u8]) -> (String, Answers);
}

/// A log of the calls on some channels.
pub struct Tap {
    log: Arc<dyn CallLog>,
    transcript: Arc<dyn Transcript>,
    /// A JSON object, which is in every line.
    metadata: String,
    secrets: Mutex<BTreeSet<Secret>>,
}

impl Tap {
    /// Writes to a log. The plugin's name is in each line.
    pub fn new(log: Arc<dyn CallLog>, transcript: Arc<dyn Transcript>, kind: &str, name: &str) -> Self {
        let metadata = format!(r#"{{"kind":{},"mode":"client","name":{}}}"#, quoted(kind), quoted(name));
        Self { log, transcript, metadata, secrets: Mutex::default() }
    }

    /// From now on this text is hidden wherever it occurs: for secrets that travel without a mark.
    pub fn hide(&self, text: &str) {
        if !text.is_empty() {
            locked(&self.secrets).insert(Secret::new(text));
        }
    }

    pub(crate) fn call(self: &Arc<Self>, path: &str) -> Tapped {
        let call = TappedCall {
            tap: Arc::clone(self),
            path: path.to_owned(),
            began: Instant::now(),
            request: None,
            answers: None,
            held: None,
            streamed: false,
            ended: false,
        };
        Tapped(Arc::new(Mutex::new(call)))
    }

    fn write(&self, line: &str) {
        let mut line = line.to_owned();
        locked(&self.secrets).iter().for_each(|secret| secret.hide_in(&mut line));
        self.log.line(&line);
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}

/// A logged call.
#[derive(Clone)]
pub(crate) struct Tapped(Arc<Mutex<TappedCall>>);

struct TappedCall {
    tap: Arc<Tap>,
    path: String,
    began: Instant,
    request: Option<String>,
    answers: Option<Answers>,
    /// The first answer, until it is known whether it is the only one.
    held: Option<String>,
    streamed: bool,
    ended: bool,
}

impl Tapped {
    /// The request's body, which is logged as it is sent.
    pub(crate) fn request(&self, body: tonic::body::Body) -> tonic::body::Body {
        tonic::body::Body::new(Listening { body, messages: Messages::default(), call: self.clone() })
    }

    /// The reader of the answer.
    pub(crate) fn answer(&self) -> Answer {
        Answer { messages: Messages::default(), call: self.clone() }
    }

    /// The call failed.
    pub(crate) fn failed(&self, reason: &str) {
        locked(&self.0).end(Some(reason));
    }
}

impl TappedCall {
    fn asked(&mut self, message: &[u8]) {
        let (request, answers) = self.tap.transcript.request(&self.path, message);
        self.line(&format!(r#""request":{request},"#), "request_started", None);
        self.request = Some(request);
        self.answers = Some(answers);
    }

    fn answered(&mut self, message: &[u8]) {
        let answer = self.answers.as_ref().map_or_else(|| "null".to_owned(), |answers| answers(message));
        if let Some(first) = self.held.take() {
            self.streamed = true;
            self.line(&format!(r#""response":{first},"#), "", None);
        }
        if self.streamed {
            self.line(&format!(r#""response":{answer},"#), "", None);
        } else {
            self.held = Some(answer);
        }
    }

    fn end(&mut self, error: Option<&str>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let mut parts = String::new();
        if let Some(request) = self.request.take() {
            parts.push_str(&format!(r#""request":{request},"#));
        }
        if let Some(answer) = self.held.take() {
            parts.push_str(&format!(r#""response":{answer},"#));
        }
        if let Some(error) = error {
            parts.push_str(&format!(r#""errors":[{}],"#, quoted(error)));
        }
        let duration = self.began.elapsed().as_nanos();
        self.line(&parts, "response_completed", Some(duration));
    }

    fn line(&self, parts: &str, progress: &str, duration: Option<u128>) {
        let progress = if progress.is_empty() { String::new() } else { format!(r#""progress":{},"#, quoted(progress)) };
        let duration = duration.map(|duration| format!(r#","duration":{duration}"#)).unwrap_or_default();
        self.tap.write(&format!(
            r#"{{"method":{},{parts}"metadata":{},{progress}"timestamp":"{}"{duration}}}"#,
            quoted(&self.path),
            self.tap.metadata,
            prost_types::Timestamp::from(SystemTime::now()),
        ));
    }
}

/// Logs the end of a call that is never answered, because its caller no longer waits.
impl Drop for TappedCall {
    fn drop(&mut self) {
        if self.request.is_some() {
            self.end(Some("the caller did not wait for the answer"));
        }
    }
}

/// Reads an answer as it passes through.
pub(crate) struct Answer {
    messages: Messages,
    call: Tapped,
}

impl Answer {
    /// An answer that is only a status has it among its first headers.
    pub(crate) fn headers(&self, headers: &HeaderMap) {
        if headers.contains_key("grpc-status") {
            self.trailers(headers);
        }
    }

    pub(crate) fn data(&mut self, data: &Bytes) {
        self.messages.push(data);
        while let Some(message) = self.messages.next() {
            locked(&self.call.0).answered(&message);
        }
    }

    pub(crate) fn trailers(&self, trailers: &HeaderMap) {
        let text = |name| trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match text("grpc-status") {
            "0" => locked(&self.call.0).end(None),
            status => {
                let message = percent_decode_str(text("grpc-message")).decode_utf8_lossy();
                locked(&self.call.0).end(Some(&format!("status {status}: {message}")))
            }
        }
    }

    pub(crate) fn failed(&self, reason: &str) {
        self.call.failed(reason);
    }
}

/// A body that is read for the log while it is sent.
struct Listening {
    body: tonic::body::Body,
    messages: Messages,
    call: Tapped,
}

impl Body for Listening {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
        {
            self.messages.push(data);
            while let Some(message) = self.messages.next() {
                locked(&self.call.0).asked(&message);
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

/// Messages in a stream of bytes: a flag, four bytes of length, the message.
#[derive(Default)]
struct Messages {
    bytes: BytesMut,
}

impl Messages {
    fn push(&mut self, data: &[u8]) {
        self.bytes.extend_from_slice(data);
    }

    fn next(&mut self) -> Option<Bytes> {
        let length = self.bytes.get(1..5)?.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
        if self.bytes.len() < 5 + length {
            return None;
        }
        self.bytes.advance(5);
        Some(self.bytes.split_to(length).freeze())
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Lines(Mutex<Vec<String>>);

    impl CallLog for Lines {
        fn line(&self, line: &str) {
            locked(&self.0).push(line.to_owned());
        }
    }

    struct Lengths;

    impl Transcript for Lengths {
        fn request(&self, _: &str, message: &[u8]) -> (String, Answers) {
            (String::from_utf8_lossy(message).into_owned(), Box::new(|answer| String::from_utf8_lossy(answer).into()))
        }
    }

    fn told(lines: &Lines) -> Vec<serde_json::Value> {
        locked(&lines.0)
            .iter()
            .map(|line| {
                let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
                let entry = value.as_object_mut().unwrap();
                assert!(entry.remove("timestamp").unwrap().as_str().unwrap().ends_with('Z'));
                assert_eq!(entry.remove("metadata").unwrap()["name"], "random");
                entry.remove("duration");
                value
            })
            .collect()
    }

    fn framed(message: &str) -> Bytes {
        let mut bytes = vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()];
        bytes.extend_from_slice(message.as_bytes());
        bytes.into()
    }

    fn tap(lines: &Arc<Lines>) -> Arc<Tap> {
        Arc::new(Tap::new(Arc::clone(lines) as Arc<dyn CallLog>, Arc::new(Lengths), "resource", "random"))
    }

    fn trailers(status: &'static str, message: &'static str) -> HeaderMap {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", http::HeaderValue::from_static(status));
        trailers.insert("grpc-message", http::HeaderValue::from_static(message));
        trailers
    }

    #[test]
    fn a_call_has_two_lines_and_secrets_are_hidden() {
        let lines = Arc::new(Lines::default());
        let tap = tap(&lines);
        tap.hide("canary");
        tap.hide("ab");
        let call = tap.call("/a.B/C");
        locked(&call.0).asked(br#"{"a":"ab","b":"abc","c":"the canary sings"}"#);
        let mut answer = call.answer();
        let whole = framed(r#"{"d":"canary"}"#);
        answer.data(&whole.slice(..7));
        answer.data(&whole.slice(7..));
        answer.trailers(&trailers("0", ""));
        let request = serde_json::json!({"a": "[secret]", "b": "abc", "c": "the [secret] sings"});
        assert_eq!(
            told(&lines),
            [
                serde_json::json!({"method": "/a.B/C", "request": request, "progress": "request_started"}),
                serde_json::json!({
                    "method": "/a.B/C", "request": request, "response": {"d": "[secret]"}, "progress": "response_completed",
                }),
            ]
        );
    }

    #[test]
    fn streams_have_a_line_for_each_answer_and_failures_are_told() {
        let lines = Arc::new(Lines::default());
        let call = tap(&lines).call("/a.B/C");
        locked(&call.0).asked(b"{}");
        let mut answer = call.answer();
        answer.data(&[framed("1"), framed("2")].concat().into());
        answer.trailers(&trailers("5", "no%20such%3A thing"));
        answer.failed("later");
        let told = told(&lines);
        assert_eq!(told.len(), 4);
        assert_eq!((&told[1]["response"], &told[2]["response"]), (&1.into(), &2.into()));
        assert_eq!(told[3]["errors"][0], "status 5: no such: thing");
    }

    #[test]
    fn a_call_that_is_given_up_is_told() {
        let lines = Arc::new(Lines::default());
        let call = tap(&lines).call("/a.B/C");
        locked(&call.0).asked(b"{}");
        drop(call);
        assert_eq!(told(&lines)[1]["errors"][0], "the caller did not wait for the answer");
    }
}
