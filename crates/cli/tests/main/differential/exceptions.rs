//! Where answers may differ.

use super::compare::Exception;

const SECRET_VALUE: &str = "random, and secret";
const RANDOM: &str = "random";
const KEY: &str = "made from a new key";
const CLOCK: &str = "the time of the call";

/// Values that differ between two runs of the same program. Both sides have one of the same type.
pub(crate) const MASKS: &[Exception] = &[
    mask("random", "Create.reply.id", RANDOM),
    mask("random", "Create.reply.properties.id", RANDOM),
    mask("random", "Create.reply.properties.result", RANDOM),
    mask("random", "Create.reply.properties.result.value", SECRET_VALUE),
    mask("random", "*.reply.properties.bcryptHash.value", SECRET_VALUE),
    mask("random", "Create.reply.properties.hex", RANDOM),
    mask("random", "Create.reply.properties.hex.value", SECRET_VALUE),
    mask("random", "Create.reply.properties.base64.value", SECRET_VALUE),
    mask("random", "Create.reply.properties.dec", RANDOM),
    mask("random", "Create.reply.properties.b64Url", RANDOM),
    mask("random", "Create.reply.properties.b64Std", RANDOM),
    mask("time", "Create.reply.id", CLOCK),
    mask("time", "Create.reply.properties.id", CLOCK),
    mask("time", "Create.reply.properties.rfc3339", CLOCK),
    mask("time", "Create.reply.properties.unix", CLOCK),
    mask("time", "Create.reply.properties.second", CLOCK),
    mask("tls", "Create.reply.id", KEY),
    mask("tls", "Create.reply.properties.id", KEY),
    mask("tls", "Create.reply.properties.publicKeyPem", KEY),
    mask("tls", "Create.reply.properties.publicKeyOpenssh", KEY),
    mask("tls", "Create.reply.properties.publicKeyFingerprintMd5", KEY),
    mask("tls", "Create.reply.properties.publicKeyFingerprintSha256", KEY),
    mask("tls", "Create.reply.properties.privateKeyPem.value", SECRET_VALUE),
    mask("tls", "Create.reply.properties.privateKeyPemPkcs8.value", SECRET_VALUE),
    mask("tls", "Create.reply.properties.privateKeyOpenssh.value", SECRET_VALUE),
    mask("tls", "Create.reply.properties.certPem", KEY),
    mask("tls", "Create.reply.properties.certRequestPem", KEY),
    mask("tls", "Create.reply.properties.validityStartTime", CLOCK),
    mask("tls", "Create.reply.properties.validityEndTime", CLOCK),
];

/// Parts of texts that differ between two runs of the same program: what they look like, and what they are.
pub(crate) const SCRUBBED: &[(&str, &str)] =
    &[(r"/tmp/plugin-?[0-9]+", "{socket}"), (r"0x[0-9a-f]+", "{address}"), (r"goroutine [0-9]+", "{goroutine}")];

/// Lists whose order differs between two runs of the same program.
pub(crate) const UNORDERED: &[Exception] =
    &[mask("*", "*.reply.failures", "validators of a provider run in the order of a Go map")];

/// Differences by decision: where the other side is meant to be better.
pub(crate) const ALLOWED: &[Exception] = &[];

const fn mask(provider: &'static str, pattern: &'static str, reason: &'static str) -> Exception {
    Exception { provider, pattern, reason }
}
