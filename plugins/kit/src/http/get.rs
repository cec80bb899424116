//! `kit:index:httpGet`.

use std::collections::BTreeMap;

use outrigger_sdk::{Context, Function, Inputs, Outputs, Result};

use super::request::{Request, RequestArgs};
use crate::marked::Marked;

/// Fetches something from an HTTP server. Proxies are not used.
#[derive(Inputs)]
pub(crate) struct HttpGet {
    /// What to fetch: an `http` or `https` URL.
    url: Marked<String>,
    /// The headers to send. Those that are secret, and `Authorization` and `Cookie`, are not sent to another server when there is
    /// a redirect.
    headers: Option<BTreeMap<String, Marked<String>>>,
    /// The status codes that mean success: codes (`"200"`), ranges (`"200-299"`) and classes (`"2xx"`). Without any, `"2xx"`.
    expected_status: Option<Vec<String>>,
    /// How many more times to try when there is no answer, or the answer is 429, 500, 502, 503 or 504.
    #[outrigger(default = 3)]
    retries: u32,
    /// How many seconds to wait before the second attempt. Each time after that it is twice as long, up to a minute.
    #[outrigger(default = 1.0)]
    retry_delay: f64,
    /// How many seconds one attempt may take, until the whole answer is there.
    #[outrigger(default = 30.0)]
    timeout: f64,
    /// Whether to follow redirects, up to ten.
    #[outrigger(default = true)]
    follow_redirects: bool,
    /// The largest body of an answer, in bytes, up to 67108864. A larger one is an error.
    #[outrigger(default = 1_048_576)]
    body_limit: u64,
    /// Certificates of authorities to trust besides those that the machine trusts, in PEM form.
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
