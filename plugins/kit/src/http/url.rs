//! The URL of a request.

use http::Uri;
use http::uri::Scheme;

/// An `http` or `https` URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) secure: bool,
    /// The name or address, without the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query, beginning with `/`.
    pub(super) path: String,
}

impl Url {
    /// Parses a URL. The reason does not repeat the text, which may contain a secret.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // The part after `#` is not sent to the server.
        let text = text.split('#').next().unwrap_or_default();
        let uri: Uri = text.parse().map_err(|error| format!("it is not a URL: {error}"))?;
        let secure = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            _ => return Err("it does not begin with `http://` or `https://`".to_owned()),
        };
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if authority.contains('@') {
            return Err("it has a user or a password in it; give them in the header `Authorization`".to_owned());
        }
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("it names no host".to_owned());
        }
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { secure, host, port, path })
    }

    /// Resolves the `Location` of an answer from this URL.
    pub(super) fn join(&self, location: &str) -> Result<Self, String> {
        let scheme = if self.secure { "https" } else { "http" };
        let location = location.split('#').next().unwrap_or_default();
        let (path, _) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let origin = format!("{scheme}://{}", self.authority());
        if location.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) {
            Self::parse(location)
        } else if let Some(rest) = location.strip_prefix("//") {
            Self::parse(&format!("{scheme}://{rest}"))
        } else if location.is_empty() {
            Ok(self.clone())
        } else if location.starts_with('?') {
            Self::parse(&format!("{origin}{path}{location}"))
        } else if location.starts_with('/') {
            Self::parse(&format!("{origin}{}", plain(location)))
        } else {
            let (directory, _) = path.rsplit_once('/').unwrap_or(("", ""));
            Self::parse(&format!("{origin}{}", plain(&format!("{directory}/{location}"))))
        }
    }

    /// Whether both lead to the same server, so that data for one may be sent to the other.
    pub(super) fn is_same_origin(&self, other: &Self) -> bool {
        (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }

    /// The value of the header `Host`.
    pub(super) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let usual = if self.secure { 443 } else { 80 };
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
}

/// A path without `.` and `..`.
fn plain(path: &str) -> String {
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/').skip(1) {
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    // A path that ends in a directory keeps its final slash.
    if path.ends_with("/.") || path.ends_with("/..") {
        kept.push("");
    }
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}{query}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &Url) -> String {
        format!("{}://{}{}", if url.secure { "https" } else { "http" }, url.authority(), url.path)
    }

    #[test]
    fn only_what_can_be_fetched() {
        for (text, expected) in [
            ("http://a", "http://a/"),
            ("https://a:443/b?c=d#e", "https://a/b?c=d"),
            ("http://[::1]:81/x", "http://[::1]:81/x"),
            ("http://a?q", "http://a/?q"),
        ] {
            assert_eq!(shown(&Url::parse(text).unwrap()), expected);
        }
        for (text, reason) in [
            ("ftp://a", "does not begin"),
            ("/a", "does not begin"),
            ("", "not a URL"),
            ("http://me:secret@a", "user or a password"),
            ("http://a b", "not a URL"),
            ("http://:80/", "host"),
        ] {
            let why = Url::parse(text).unwrap_err();
            assert!(why.contains(reason) || why.contains("not a URL"), "{text}: {why}");
            assert!(!why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn locations() {
        let from = Url::parse("http://a:8080/b/c/d?q").unwrap();
        for (location, expected) in [
            ("https://x/y", "https://x/y"),
            ("//x/y", "http://x/y"),
            ("/y", "http://a:8080/y"),
            ("y", "http://a:8080/b/c/y"),
            ("../y?z=../1", "http://a:8080/b/y?z=../1"),
            ("../../../../y", "http://a:8080/y"),
            (".", "http://a:8080/b/c/"),
            ("?r", "http://a:8080/b/c/d?r"),
            ("", "http://a:8080/b/c/d?q"),
            ("#f", "http://a:8080/b/c/d?q"),
        ] {
            assert_eq!(shown(&from.join(location).unwrap()), expected, "{location}");
        }
        assert!(from.join("mailto:me").is_err());
    }
}
