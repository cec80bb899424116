//! A complete exchange: a request with redirects, retries, and an expected answer.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use outrigger_sdk::{Context, Error, Result};

use super::client::{Answer, Call, Fault, Terms, send};
use super::status::Expected;
use super::url::Url;
use crate::marked::Marked;

const REDIRECTS: usize = 10;

/// The longest pause between two attempts, and the longest that a server can request.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// An exchange, as a program specifies it.
pub(super) struct Exchange {
    pub(super) call: Call,
    pub(super) terms: Terms,
    pub(super) expected: Expected,
    pub(super) retries: u32,
    pub(super) pause: Duration,
    pub(super) follow: bool,
    /// Headers for the first server only.
    pub(super) confidential: Vec<HeaderName>,
    /// The URL for messages; `None` if it is secret.
    pub(super) shown_url: Option<String>,
    /// Whether messages may quote answers.
    pub(super) quotable: bool,
}

/// How an exchange failed.
pub(super) enum Failure {
    /// The server's answer had an unexpected status.
    Unexpected(u16, Error),
    /// There was no answer, or the request could not be sent.
    Other(Error),
}

impl Failure {
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Unexpected(_, error) | Self::Other(error) => error,
        }
    }
}

/// Whether repeating a method has the same effect as one call.
pub(super) fn is_idempotent(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE, Method::PUT, Method::DELETE].contains(method)
}

/// Parses a method's name.
pub(super) fn method(name: &str) -> Result<Method, String> {
    let upper = name.to_ascii_uppercase();
    match Method::from_bytes(upper.as_bytes()) {
        Ok(Method::CONNECT) => Err("`CONNECT` is for proxies".to_owned()),
        Ok(method) if !name.is_empty() => Ok(method),
        _ => Err(format!("`{}` is not a method", name.escape_debug())),
    }
}

/// Parses the program's headers. Values are not repeated in the reason: they may be secret.
pub(super) fn headers<'a>(
    given: impl Iterator<Item = (&'a String, &'a Marked<String>)>,
) -> Result<(HeaderMap, Vec<HeaderName>), String> {
    let mut confidential = vec![header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION];
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let shown = name.escape_debug();
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{shown}` is not the name of a header"))?;
        if [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::HOST].contains(&name) {
            return Err(format!("`{shown}` is derived from the rest of the request and cannot be set"));
        }
        let mut text = HeaderValue::from_str(&value.value)
            .map_err(|_| format!("the value of `{shown}` has characters that a header cannot have"))?;
        text.set_sensitive(value.secret);
        if value.secret {
            confidential.push(name.clone());
        }
        headers.insert(name, text);
    }
    Ok((headers, confidential))
}

impl Exchange {
    /// Sends the request, and retries if it failed for a reason that may pass.
    pub(super) async fn run(&self, cx: &Context) -> Result<Answer, Failure> {
        let repeatable = is_idempotent(&self.call.method);
        let attempts = self.retries.saturating_add(1);
        let mut pause = self.pause.min(LONGEST_PAUSE);
        let mut attempt = 1;
        loop {
            let outcome = tokio::select! {
                outcome = self.follow(cx) => outcome,
                () = cx.cancelled() => return Err(Failure::Other(self.cancelled(repeatable))),
            };
            let (failure, again, asked) = match outcome {
                Ok(answer) if self.expected.contains(answer.status) => return Ok(answer),
                Ok(answer) => {
                    let again = repeatable && matches!(answer.status, 429 | 500 | 502 | 503 | 504);
                    let asked = answer.headers.get("retry-after").and_then(|text| text.parse().ok());
                    let error = self.error(&self.surprise(&answer), attempt);
                    (Failure::Unexpected(answer.status, error), again, asked.map(Duration::from_secs))
                }
                Err(fault) => {
                    let error = self.error(&fault.message, attempt);
                    let in_doubt = fault.sent && !repeatable;
                    let error = if in_doubt { error.in_doubt() } else { error };
                    (Failure::Other(error), fault.passing && !in_doubt, None)
                }
            };
            if !again || attempt >= attempts {
                return Err(failure);
            }
            let wait = pause.max(asked.unwrap_or_default()).min(LONGEST_PAUSE);
            let what = failure.into_error();
            cx.progress(format_args!("{what}; trying again in {} seconds", wait.as_secs_f64()));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = cx.cancelled() => return Err(Failure::Other(self.cancelled(true))),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            attempt += 1;
        }
    }

    /// One attempt, including all redirects.
    async fn follow(&self, cx: &Context) -> Result<Answer, Fault> {
        let mut call = self.call.clone();
        let mut sent = false;
        for _ in 0..=REDIRECTS {
            let answer = send(&call, &self.terms).await.map_err(|fault| Fault { sent: fault.sent || sent, ..fault })?;
            sent = true;
            let location = answer.headers.get("location").filter(|_| self.follow && is_redirect(answer.status));
            // An expected redirect counts as an answer.
            let Some(location) = location.filter(|_| !self.expected.contains(answer.status)) else { return Ok(answer) };
            let lost = |why: &str| Fault { sent: true, ..Fault::lasting(format!("it was redirected, but {why}")) };
            let to = call.url.join(location).map_err(|why| lost(&format!("not to a URL: {why}")))?;
            if call.url.secure && !to.secure {
                return Err(lost("from a secure connection to one that is not"));
            }
            cx.debug(format_args!("redirected to {}", to.host));
            self.redirect(&mut call, to, answer.status);
        }
        let message = format!("it was redirected more than {REDIRECTS} times, the last time to `{}`", call.url.host);
        Err(Fault { sent: true, ..Fault::lasting(message) })
    }

    /// As browsers do: a POST becomes a GET after 301, 302 and 303, and is repeated after 307 and 308.
    fn redirect(&self, call: &mut Call, to: Url, status: u16) {
        let fetch = match status {
            303 => call.method != Method::HEAD,
            301 | 302 => call.method == Method::POST,
            _ => false,
        };
        if fetch {
            call.method = Method::GET;
            call.body = hyper::body::Bytes::new();
            call.headers.remove(header::CONTENT_TYPE);
        }
        if !call.url.is_same_origin(&to) {
            for name in &self.confidential {
                call.headers.remove(name);
            }
        }
        call.url = to;
    }

    fn name(&self) -> String {
        let url = self.shown_url.as_deref().unwrap_or("[secret]");
        format!("{} {url}", self.call.method)
    }

    fn error(&self, what: &str, attempt: u32) -> Error {
        let tried = if attempt > 1 {
            format!(" (attempt {attempt} of {})", self.retries.saturating_add(1))
        } else {
            String::new()
        };
        Error::new(format!("{}: {what}{tried}", self.name()))
    }

    fn cancelled(&self, repeatable: bool) -> Error {
        if repeatable {
            return Error::cancelled();
        }
        Error::new(format!("{}: cancelled before there was an answer", self.name())).in_doubt()
    }

    fn surprise(&self, answer: &Answer) -> String {
        let reason = StatusCode::from_u16(answer.status).ok().and_then(|status| status.canonical_reason());
        let reason = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
        let mut text = format!("the server answered {}{reason}; {} is expected", answer.status, self.expected.text());
        if self.quotable {
            let body = String::from_utf8_lossy(&answer.body);
            let quoted: String = body
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .filter(|letter| !letter.is_control())
                .take(200)
                .collect();
            if !quoted.is_empty() {
                text.push_str(&format!("; its answer: {quoted}"));
            }
        }
        text
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// A body as text, or as base64 if it is not text.
pub(super) fn text_or_base64(body: Vec<u8>, secret: bool) -> (Option<Marked<String>>, Option<Marked<String>>) {
    match String::from_utf8(body) {
        Ok(text) => (Some(Marked::new(text, secret)), None),
        Err(error) => (None, Some(Marked::new(STANDARD.encode(error.as_bytes()), secret))),
    }
}

/// Headers of an answer. Cookies are secret, because they grant access.
pub(super) fn answered(
    headers: std::collections::BTreeMap<String, String>,
) -> std::collections::BTreeMap<String, Marked<String>> {
    headers.into_iter().map(|(name, value)| (name.clone(), Marked::new(value, name == "set-cookie"))).collect()
}
