//! `kit:index:httpGet`.

use std::collections::BTreeMap;

use outrigger_sdk::{Context, Function, Inputs, Outputs, Result};

use super::request::{Request, RequestArgs};
use crate::marked::Marked;

/// Fetches a URL from an HTTP server. Proxies are not used.
#[derive(Inputs)]
pub(crate) struct HttpGet {
    /// The URL to fetch, `http` or `https`.
    url: Marked<String>,
    /// The headers to send. Secret ones, and `Authorization` and `Cookie`, are not sent on to another server after a redirect.
    headers: Option<BTreeMap<String, Marked<String>>>,
    /// The status codes that mean success: codes (`"200"`), ranges (`"200-299"`) and classes (`"2xx"`). Without any, `"2xx"`.
    expected_status: Option<Vec<String>>,
    /// How many times to retry if there is no answer, or the answer is 429, 500, 502, 503 or 504.
    #[outrigger(default = 3)]
    retries: u32,
    /// How many seconds to wait before the first retry. The wait doubles each time, up to a minute.
    #[outrigger(default = 1.0)]
    retry_delay: f64,
    /// How many seconds one attempt may take, up to the complete answer.
    #[outrigger(default = 30.0)]
    timeout: f64,
    /// Whether to follow redirects, up to ten.
    #[outrigger(default = true)]
    follow_redirects: bool,
    /// The largest body of an answer, in bytes, up to 67108864. A larger one is an error.
    #[outrigger(default = 1_048_576)]
    body_limit: u64,
    /// Certificates of authorities to trust in addition to the machine's, in PEM form.
    ca_certificate: Option<String>,
    /// Whether the body of the answer is secret. If the URL or a header is secret, everything in the answer is.
    #[outrigger(default = false)]
    secret: bool,
}

/// An answer.
#[derive(Outputs)]
pub(crate) struct Fetched {
    /// The status code.
    status: u16,
    /// The headers, with names in lower case; several of one name are joined with commas.
    headers: BTreeMap<String, Marked<String>>,
    /// The body, if it is text (UTF-8).
    body: Option<Marked<String>>,
    /// The body as base64, if it is not text.
    body_base64: Option<Marked<String>>,
}

impl Function for HttpGet {
    type Result = Fetched;
    const TOKEN: &'static str = "kit:index:httpGet";

    async fn call(self, cx: &Context) -> Result<Fetched> {
        let args = RequestArgs {
            url: self.url,
            method: "GET".to_owned(),
            headers: self.headers,
            body: None,
            expected_status: self.expected_status,
            allow_non_idempotent: false,
            retries: self.retries,
            retry_delay: self.retry_delay,
            timeout: self.timeout,
            follow_redirects: self.follow_redirects,
            body_limit: self.body_limit,
            ca_certificate: self.ca_certificate,
            secret_response: self.secret,
            delete: None,
            triggers: None,
        };
        let Request { status, response_headers: headers, response_body: body, response_body_base64: body_base64 } =
            args.send(cx).await.map_err(super::exchange::Failure::into_error)?;
        Ok(Fetched { status, headers, body, body_base64 })
    }
}
