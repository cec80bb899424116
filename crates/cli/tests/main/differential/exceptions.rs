//! Where answers may differ.

use super::compare::Exception;

const SECRET_VALUE: &str = "random, and secret";
const RANDOM: &str = "random";
const KEY: &str = "made from a new key";
/// Also what is random and made from the time in seconds.
pub(crate) const CLOCK: &str = "the time of the call";

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
    mask("null", "Create.reply.id", CLOCK),
    mask("null", "Create.reply.properties.resourceId", CLOCK),
    mask("null", "Invoke.reply.return.random", CLOCK),
    mask("time", "Create.reply.id", CLOCK),
    mask("time", "Create.reply.properties.id", CLOCK),
    mask("time", "Create.reply.properties.rfc3339", CLOCK),
    mask("time", "Create.reply.properties.unix", CLOCK),
    mask("time", "Create.reply.properties.second", CLOCK),
    mask("time", "Create.reply.properties.minute", CLOCK),
    mask("time", "Create.reply.properties.hour", CLOCK),
    mask("time", "Create.reply.properties.day", CLOCK),
    mask("time", "Create.reply.properties.month", CLOCK),
    mask("time", "Create.reply.properties.year", CLOCK),
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
pub(crate) const SCRUBBED: &[(&str, &str)] = &[
    // A process that died is noticed in one of several ways.
    (r"error reading from server: .*", "{connection lost}"),
    (r#"transport: (authentication handshake failed|[Ee]rror while dialing): [^"]*"#, "{no connection}"),
];

/// Lists whose order differs between two runs of the same program.
pub(crate) const UNORDERED: &[Exception] =
    &[mask("*", "*.reply.failures", "validators of a provider run in the order of a Go map")];

const DETAILS: &str = "differences are told in detail, with what needs a replacement";
const WORDS: &str = "errors are told in our words, with the property that they are about";
const CODE: &str = "the code says whether something was done; the Go bridge's is nearly always the same";
const LOG: &str = "an error is told once, in the answer; a warning in our words";
const MISFIT: &str =
    "a value that does not fit its property, or a property that does not exist, is a failure of the check";
const SECRET: &str = "what is secret stays marked";
const ANEW: &str = "a replacement is planned anew, so that what will be computed again is unknown";
const PLANNED: &str = "deletions are planned by providers that want it";
const FUNCTIONS: &str = "functions of the provider are functions of the package";
const DEPRECATION: &str = "the provider's own words about what is deprecated";
const PARTIAL: &str = "what exists after a failure is told with it";
const TIMEOUTS: &str = "the Go bridge cannot store a resource with limits";
const OPEN_TYPE: &str = "the Go bridge cannot compare values of different types";
const LIES: &str = "a provider that breaks the rules is told so where the Go bridge believes it, and is believed where that is all there is";
const GONE: &str = "what is gone has no properties; the Go bridge answers empty ones, both without an id";
const MONITOR: &str = "our server half connects to the engine's monitor first, which there is none of here";

/// Differences by decision: where ours is meant to be better.
pub(crate) const ALLOWED: &[Exception] = &[
    mask("*/go crashes", "**", "the Go bridge panics on it, and every call after it finds nobody"),
    mask("*", "Handshake.**", "ours has the handshake"),
    mask("*", "GetPluginInfo.reply.version", "ours is the bridge's version, before and after it becomes a package"),
    mask("*", "Configure.reply.acceptSecrets", SECRET),
    mask("*", "Configure.reply.acceptOutputs", "outputs are taken for what they hold"),
    mask("*", "Diff.reply.hasDetailedDiff", DETAILS),
    mask("*", "Diff.reply.detailedDiff", DETAILS),
    mask("*", "DiffConfig.reply.hasDetailedDiff", DETAILS),
    mask("*", "DiffConfig.reply.detailedDiff", DETAILS),
    mask("*", "*.error.code", CODE),
    mask("*", "*.error.message", WORDS),
    mask("*", "Read.reply.inputs", GONE),
    mask("*", "Read.reply.properties", GONE),
    mask("*", "Create.error.details", PARTIAL),
    mask("*", "Update.error.details", PARTIAL),
    mask("*", "Delete.error.details", PARTIAL),
    mask("*", "*.log", LOG),
    mask("*", "*.log.**", LOG),
    mask("*", "Check.error", MISFIT),
    mask("*", "Check.reply", MISFIT),
    mask("*", "Check.reply.failures", MISFIT),
    mask("*/ids", "Check.reply.failures.**", MISFIT),
    mask("*", "CheckConfig.reply.failures", MISFIT),
    mask("*", "Invoke.error", MISFIT),
    mask("*", "Invoke.reply", MISFIT),
    mask("*", "Invoke.reply.failures", "an argument that is not known is not given; engines do not call with one"),
    mask("*", "Invoke.reply.failures.**", "an argument that is not known is not given; engines do not call with one"),
    mask("*", "Invoke.reply.return.**", SECRET),
    mask("*/secrets", "Check.reply.inputs.**", SECRET),
    mask("*/secrets", "Create.reply.properties.password", SECRET),
    mask("*/dynamic", "Check.reply.inputs.anything.**", SECRET),
    mask("null/lives", "Check.reply.inputs.triggers.a", SECRET),
    mask("*/ids", "Check.reply.inputs.requiredIdId", SECRET),
    mask("*/nested", "Check.reply.inputs.*.**.password", SECRET),
    mask("*/configuration", "CheckConfig.reply.inputs.labels", SECRET),
    mask("*", "Check.reply.inputs.written", "what is never stored by the provider is secret"),
    mask("*", "Update.reply.properties.**", ANEW),
    mask("*", "*.world.planned_removals/*", PLANNED),
    mask("*", "GetSchema.reply.schema.functions.*", FUNCTIONS),
    mask("*", "GetSchema.reply.schema.**.deprecationMessage", DEPRECATION),
    mask("*/shapes", "Create.*", TIMEOUTS),
    mask("ancient/lives", "Create.*", TIMEOUTS),
    mask("*/names", "Create.*", TIMEOUTS),
    mask("*/names", "Update.*", TIMEOUTS),
    mask("*/versions", "Delete.*", "what a newer provider stored is not given to an older one to delete"),
    mask("*/parameters by value", "GetSchema.*", "there is no schema of version 1"),
    mask("*/dynamic", "Diff.*", OPEN_TYPE),
    mask("crude/lies", "**", LIES),
    mask(
        "crude/blocks",
        "Create.reply.properties.onlyMember",
        "an object of which nothing is known is shown with what is known of it",
    ),
    mask("*", "Call.**", MONITOR),
    mask("*", "Construct.**", MONITOR),
];

const fn mask(provider: &'static str, pattern: &'static str, reason: &'static str) -> Exception {
    Exception { provider, pattern, reason }
}
