//! HTTP requests.
//!
//! `client` makes one request over one connection; `exchange` follows redirects and tries again; `request` and `get` are what a
//! program sees of it. Every wait has a limit, and every answer a size.

mod client;
mod exchange;
mod get;
mod request;
mod status;
mod tls;
mod url;

pub(crate) use get::HttpGet;
pub(crate) use request::Request;
