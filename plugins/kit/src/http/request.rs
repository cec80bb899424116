//! `kit:http:Request`.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use hyper::body::Bytes;
use outrigger_sdk::{Changes, Check, Context, Created, Error, Inputs, Object, Outputs, Resource, Result, State, Value};

use super::client::{Answer, Call, Terms};
use super::exchange::{Exchange, Failure, answered, headers, is_idempotent, method, text_or_base64};
use super::status::Expected;
use super::tls;
use super::url::Url;
use crate::marked::Marked;

/// A larger limit is taken for a mistake.
pub(super) const LARGEST_BODY: u64 = 64 * 1024 * 1024;

/// The inputs of a request.
#[derive(Clone, Inputs)]
pub(crate) struct RequestArgs {
    /// The URL to send it to, `http` or `https`. A new URL means a new request.
    #[outrigger(replace)]
    pub(super) url: Marked<String>,
    /// The method. A new method means a new request.
    #[outrigger(replace, default = "GET")]
    pub(super) method: String,
    /// The headers to send. Secret ones, and `Authorization` and `Cookie`, are not sent on to another server after a redirect.
    pub(super) headers: Option<BTreeMap<String, Marked<String>>>,
    /// The body to send, as text.
    pub(super) body: Option<Marked<String>>,
    /// The status codes that mean success: codes (`"204"`), ranges (`"200-299"`) and classes (`"2xx"`). Without any, `"2xx"`.
    pub(super) expected_status: Option<Vec<String>>,
    /// Whether to allow a method that has an effect each time it is sent, such as `POST`. The request is sent again when something
    /// changes, but never retried because there was no answer.
    #[outrigger(default = false)]
    pub(super) allow_non_idempotent: bool,
    /// How many times to retry if there is no answer, or the answer is 429, 500, 502, 503 or 504.
    #[outrigger(default = 3)]
    pub(super) retries: u32,
    /// How many seconds to wait before the first retry. The wait doubles each time, up to a minute.
    #[outrigger(default = 1.0)]
    pub(super) retry_delay: f64,
    /// How many seconds one attempt may take, up to the complete answer.
    #[outrigger(default = 30.0)]
    pub(super) timeout: f64,
    /// Whether to follow redirects, up to ten.
    #[outrigger(default = true)]
    pub(super) follow_redirects: bool,
    /// The largest body of an answer, in bytes, up to 67108864. A larger one is an error.
    #[outrigger(default = 1_048_576)]
    pub(super) body_limit: u64,
    /// Certificates of authorities to trust in addition to the machine's, in PEM form.
    pub(super) ca_certificate: Option<String>,
    /// Whether the body of the answer is secret. It always is if the URL or the body sent is secret.
    #[outrigger(default = false)]
    pub(super) secret_response: bool,
    /// A request to send when the resource is deleted. Without it, nothing is sent.
    pub(super) delete: Option<DeleteRequest>,
    /// Any values. When one of them changes, the resource is replaced, and so the request is sent again.
    #[outrigger(replace)]
    pub(super) triggers: Option<Vec<Value>>,
}

/// A request to send when a `kit:http:Request` is deleted. By default it uses the settings of the first request. An answer that the thing
/// to delete is gone already (404 or 410) counts as success.
#[derive(Clone, Object)]
#[outrigger(token = "kit:http:DeleteRequest")]
pub(crate) struct DeleteRequest {
    /// The URL to send it to; by default that of the first request.
    url: Option<Marked<String>>,
    /// The method.
    #[outrigger(default = "DELETE")]
    method: String,
    /// The headers to send; by default those of the first request.
    headers: Option<BTreeMap<String, Marked<String>>>,
    /// The body to send, as text.
    body: Option<Marked<String>>,
    /// The status codes that mean success. Without any, `"2xx"`.
    expected_status: Option<Vec<String>>,
}

/// A request to an HTTP server. It is sent when the resource is created, and again when something in it changes.
///
/// Refreshing sends it again if its method is `GET` or `HEAD`. Proxies are not used.
#[derive(Outputs)]
pub(crate) struct Request {
    /// The status code of the answer.
    pub(super) status: u16,
    /// The headers of the answer, with names in lower case; several of one name are joined with commas.
    pub(super) response_headers: BTreeMap<String, Marked<String>>,
    /// The body of the answer, if it is text (UTF-8).
    pub(super) response_body: Option<Marked<String>>,
    /// The body of the answer as base64, if it is not text.
    pub(super) response_body_base64: Option<Marked<String>>,
}

impl RequestArgs {
    fn is_secret(&self) -> bool {
        self.secret_response || self.url.secret || self.body.as_ref().is_some_and(|body| body.secret)
    }

    fn exchange(&self) -> Result<Exchange, (&'static str, String)> {
        let method = method(&self.method).map_err(|why| ("method", why))?;
        if !is_idempotent(&method) && !self.allow_non_idempotent {
            let why = format!(
                "`{method}` is not idempotent, and may have to be sent again; set `allowNonIdempotent: true` if \
                 repeating it is safe"
            );
            return Err(("method", why));
        }
        let (headers, confidential) = headers(self.headers.iter().flatten()).map_err(|why| ("headers", why))?;
        let seconds = |name, seconds: f64| match Duration::try_from_secs_f64(seconds) {
            Ok(duration) => Ok(duration),
            Err(_) => Err((name, "it is not a number of seconds".to_owned())),
        };
        let timeout = seconds("timeout", self.timeout)?;
        if timeout.is_zero() {
            return Err(("timeout", "it must be greater than 0".to_owned()));
        }
        if self.body_limit > LARGEST_BODY {
            return Err(("bodyLimit", format!("it is at most {LARGEST_BODY}")));
        }
        if let Some(Err(why)) = self.ca_certificate.as_deref().map(tls::certificates) {
            return Err(("caCertificate", why));
        }
        let expected = self.expected_status.as_deref().unwrap_or_default();
        Ok(Exchange {
            call: Call {
                method,
                url: Url::parse(&self.url.value).map_err(|why| ("url", why))?,
                headers,
                body: self.body.clone().map(|body| Bytes::from(body.value)).unwrap_or_default(),
            },
            terms: Terms { timeout, body_limit: self.body_limit, authorities: self.ca_certificate.clone() },
            expected: Expected::parse(expected).map_err(|why| ("expectedStatus", why))?,
            retries: self.retries,
            pause: seconds("retryDelay", self.retry_delay)?,
            follow: self.follow_redirects,
            confidential,
            shown_url: (!self.url.secret).then(|| self.url.value.clone()),
            quotable: !self.is_secret(),
        })
    }

    /// The request to send when the resource is deleted.
    fn farewell(&self) -> Option<Self> {
        let delete = self.delete.as_ref()?;
        Some(Self {
            url: delete.url.clone().unwrap_or_else(|| self.url.clone()),
            method: delete.method.clone(),
            headers: delete.headers.clone().or_else(|| self.headers.clone()),
            body: delete.body.clone(),
            expected_status: delete.expected_status.clone(),
            delete: None,
            ..self.clone()
        })
    }

    /// Whether both send the same request.
    fn sends_like(&self, other: &Self) -> bool {
        self.headers == other.headers
            && self.body.as_ref().map(|body| &body.value) == other.body.as_ref().map(|body| &body.value)
            && self.follow_redirects == other.follow_redirects
            && self.ca_certificate == other.ca_certificate
    }

    pub(super) async fn send(&self, cx: &Context) -> Result<Request, Failure> {
        let exchange = self.exchange().map_err(|(name, why)| Failure::Other(Error::new(format!("`{name}`: {why}"))))?;
        let Answer { status, headers, body } = exchange.run(cx).await?;
        let (response_body, response_body_base64) = text_or_base64(body, self.is_secret());
        Ok(Request { status, response_headers: answered(headers), response_body, response_body_base64 })
    }
}

impl Resource for Request {
    type Inputs = RequestArgs;
    const TOKEN: &'static str = "kit:http:Request";

    async fn check(_cx: &Context, check: &mut Check<RequestArgs>) -> Result<()> {
        check.inputs.method.make_ascii_uppercase();
        if let Err((property, why)) = check.inputs.exchange() {
            check.refuse(property, why);
        }
        if let Some(Err((property, why))) = check.inputs.farewell().map(|farewell| farewell.exchange().map(drop)) {
            check.refuse(format!("delete.{property}"), why);
        }
        Ok(())
    }

    async fn diff(_cx: &Context, _state: &State<Self>, _inputs: &RequestArgs, changes: &mut Changes) -> Result<()> {
        // These affect only how it is sent the next time.
        for property in ["retries", "retryDelay", "timeout", "allowNonIdempotent"] {
            changes.ignore(property);
        }
        Ok(())
    }

    async fn create(cx: &Context, inputs: RequestArgs) -> Result<Created<Self>> {
        let made = inputs.send(cx).await.map_err(Failure::into_error)?;
        Ok(Created::new(uuid::Uuid::new_v4().to_string(), made))
    }

    async fn read(cx: &Context, mut state: State<Self>) -> Result<Option<State<Self>>> {
        if ![Method::GET, Method::HEAD].iter().any(|method| method.as_str() == state.inputs.method) {
            return Ok(Some(state));
        }
        match state.inputs.send(cx).await {
            Ok(mut found) => {
                let body = |request: &Self| {
                    let text = request.response_body.clone().or_else(|| request.response_body_base64.clone());
                    text.map(|text| text.value)
                };
                // Headers such as the date differ each time. That alone is not a change.
                if (found.status, body(&found)) == (state.outputs.status, body(&state.outputs)) {
                    found.response_headers = state.outputs.response_headers;
                }
                state.outputs = found;
                Ok(Some(state))
            }
            Err(Failure::Unexpected(404 | 410, _)) => Ok(None),
            Err(failure) => Err(failure.into_error()),
        }
    }

    async fn update(cx: &Context, state: State<Self>, inputs: RequestArgs) -> Result<Self> {
        if !inputs.sends_like(&state.inputs) {
            return inputs.send(cx).await.map_err(Failure::into_error);
        }
        let secret = inputs.is_secret();
        let remark = |text: Option<Marked<String>>| text.map(|text| Marked::new(text.value, secret));
        let Self { status, response_headers, response_body, response_body_base64 } = state.outputs;
        Ok(Self {
            status,
            response_headers,
            response_body: remark(response_body),
            response_body_base64: remark(response_body_base64),
        })
    }

    async fn delete(cx: &Context, state: State<Self>) -> Result<()> {
        let Some(farewell) = state.inputs.farewell() else { return Ok(()) };
        match farewell.send(cx).await {
            Ok(_) | Err(Failure::Unexpected(404 | 410, _)) => Ok(()),
            Err(failure) => Err(failure.into_error().context("the request `delete`")),
        }
    }
}
