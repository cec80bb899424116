//! Secrets stay marked, with the same value.

use serde_json::Value;

use super::{Case, Exception, allow, text};
use crate::peers::differential::talk::{is_secret, plain};

const ASKED: &str = "what was given as a secret stays marked";
const SENSITIVE: &str = "what the provider calls sensitive is marked wherever it is";
const WRITTEN: &str = "what is never stored by the provider is secret";

pub(super) const ALLOWED: &[Exception] = &[
    allow(&["*/*"], "Check.reply.inputs.**", ASKED, |case| marked(case) && given_as_secret(case, "news")),
    allow(&["wide/configuration"], "CheckConfig.reply.inputs.labels", ASKED, |case| {
        let inside = serde_json::from_str::<Value>(text(&case.request()["news"]["labels"]));
        marked(case) && (given_as_secret(case, "news") || inside.is_ok_and(|labels| is_secret(&labels["x"])))
    }),
    allow(&["narrow/secrets", "wide/secrets"], "Create.reply.properties.password", ASKED, |case| {
        marked(case) && given_as_secret(case, "properties")
    }),
    allow(&["local/data", "narrow/data", "wide/data"], "Invoke.reply.return.*", ASKED, |case| {
        marked(case) && given_as_secret(case, "args")
    }),
    allow(&["*/data"], "Invoke.reply.return.password", SENSITIVE, marked),
    allow(&["narrow/data", "wide/data"], "Invoke.reply.return.parts", SENSITIVE, marked),
    allow(&["local/data"], "Invoke.reply.return.content*", SENSITIVE, marked),
    allow(&["tls/certificates"], "Invoke.reply.return.privateKeyPem", SENSITIVE, marked),
    allow(&["wide/nested"], "Check.reply.inputs.login.password", SENSITIVE, marked),
    allow(&["*/shapes", "*/secrets"], "Check.reply.inputs.written", WRITTEN, marked),
];

/// Ours is the Go bridge's value, marked.
fn marked(case: &Case<'_>) -> bool {
    case.left()
        .zip(case.right())
        .is_some_and(|(left, right)| !is_secret(left) && is_secret(right) && plain(left) == plain(right))
}

/// The request has a secret at the place of the difference.
fn given_as_secret(case: &Case<'_>, field: &str) -> bool {
    let path = &case.difference.path[3..];
    let found = path.iter().try_fold(&case.request()[field], |value, part| below(value, part));
    found.is_some_and(is_secret)
}

/// A part of a value. In an answer that is marked, the path has the mark's `value` in it, which the request need not have.
fn below<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    value.get(part).or_else(|| (part == "value").then_some(value))
}
