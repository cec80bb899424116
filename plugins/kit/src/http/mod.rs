//! HTTP requests.
//!
//! `client` makes one request over one connection; `exchange` follows redirects and retries; `request` and `get` are the interface
//! for programs. Every wait has a time limit, and every answer a size limit.

mod client;
mod exchange;
mod get;
mod request;
mod status;
mod tls;
mod url;

pub(crate) use get::HttpGet;
pub(crate) use request::Request;
