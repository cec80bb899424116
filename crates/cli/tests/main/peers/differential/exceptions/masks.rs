//! Values that are random by nature: they differ between two runs of the same program.

use serde_json::Value;

use super::{Case, Exception, allow};
use crate::peers::differential::talk::UNKNOWN;

const SECRET_VALUE: &str = "random, and secret";
const RANDOM: &str = "random";
const KEY: &str = "made from a new key";
/// Values that are random and made from the time in seconds, too.
pub(crate) const CLOCK: &str = "the time of the call";

/// Values that differ between two runs of the same program.
pub(crate) const MASKS: &[Exception] = &[
    mask(&["random/*"], "Create.reply.id", RANDOM),
    mask(&["random/*"], "Create.reply.properties.id", RANDOM),
    mask(&["random/*"], "Create.reply.properties.result", RANDOM),
    mask(&["random/*"], "Create.reply.properties.result.value", SECRET_VALUE),
    mask(&["random/*"], "*.reply.properties.bcryptHash.value", SECRET_VALUE),
    mask(&["random/*"], "Create.reply.properties.hex", RANDOM),
    mask(&["random/*"], "Create.reply.properties.hex.value", SECRET_VALUE),
    mask(&["random/*"], "Create.reply.properties.base64.value", SECRET_VALUE),
    mask(&["random/*"], "Create.reply.properties.dec", RANDOM),
    mask(&["random/*"], "Create.reply.properties.b64Url", RANDOM),
    mask(&["random/*"], "Create.reply.properties.b64Std", RANDOM),
    mask(&["null/*"], "Create.reply.id", CLOCK),
    mask(&["null/*"], "Create.reply.properties.resourceId", CLOCK),
    mask(&["null/*"], "Invoke.reply.return.random", CLOCK),
    mask(&["time/*"], "Create.reply.id", CLOCK),
    mask(&["time/*"], "Create.reply.properties.id", CLOCK),
    mask(&["time/*"], "Create.reply.properties.rfc3339", CLOCK),
    mask(&["time/*"], "Create.reply.properties.unix", CLOCK),
    mask(&["time/*"], "Create.reply.properties.second", CLOCK),
    mask(&["time/*"], "Create.reply.properties.minute", CLOCK),
    mask(&["time/*"], "Create.reply.properties.hour", CLOCK),
    mask(&["time/*"], "Create.reply.properties.day", CLOCK),
    mask(&["time/*"], "Create.reply.properties.month", CLOCK),
    mask(&["time/*"], "Create.reply.properties.year", CLOCK),
    mask(&["aws/lives"], "Create.reply.properties.createDate", CLOCK),
    mask(&["aws/lives"], "Read.reply.properties.createDate", CLOCK),
    mask(&["aws/lives"], "Update.reply.properties.createDate", CLOCK),
    mask(&["aws/lives"], "Invoke.reply.return.createDate", CLOCK),
    mask(&["tls/*"], "Create.reply.id", KEY),
    mask(&["tls/*"], "Create.reply.properties.id", KEY),
    mask(&["tls/*"], "Create.reply.properties.publicKeyPem", KEY),
    mask(&["tls/*"], "Create.reply.properties.publicKeyOpenssh", KEY),
    mask(&["tls/*"], "Create.reply.properties.publicKeyFingerprintMd5", KEY),
    mask(&["tls/*"], "Create.reply.properties.publicKeyFingerprintSha256", KEY),
    mask(&["tls/*"], "Create.reply.properties.privateKeyPem.value", SECRET_VALUE),
    mask(&["tls/*"], "Create.reply.properties.privateKeyPemPkcs8.value", SECRET_VALUE),
    mask(&["tls/*"], "Create.reply.properties.privateKeyOpenssh.value", SECRET_VALUE),
    mask(&["tls/*"], "Create.reply.properties.certPem", KEY),
    mask(&["tls/*"], "Create.reply.properties.certRequestPem", KEY),
    mask(&["tls/*"], "Create.reply.properties.validityStartTime", CLOCK),
    mask(&["tls/*"], "Create.reply.properties.validityEndTime", CLOCK),
];

/// Parts of texts that differ between two runs of the same program: their pattern, and their name.
pub(crate) const SCRUBBED: &[(&str, &str)] = &[
    // A process that died is noticed in one of several ways.
    (r"error reading from server: .*", "{connection lost}"),
    (r"(?s)goroutine \d+ \[running\].*", "{stack}"),
    (r#"transport: (authentication handshake failed|[Ee]rror while dialing): [^"]*"#, "{no connection}"),
];

/// Lists whose order differs between two runs of the same program.
pub(crate) const UNORDERED: &[Exception] =
    &[mask(&["*/*"], "*.reply.failures", "validators of a provider run in the order of a Go map")];

const fn mask(scenarios: &'static [&'static str], pattern: &'static str, reason: &'static str) -> Exception {
    allow(scenarios, pattern, reason, alike)
}

/// A random value is still of the same kind on both sides, and known.
fn alike(case: &Case<'_>) -> bool {
    let made = |value: &Value| value != "" && value != UNKNOWN;
    case.left().zip(case.right()).is_some_and(|(left, right)| {
        std::mem::discriminant(left) == std::mem::discriminant(right) && made(left) && made(right)
    })
}
